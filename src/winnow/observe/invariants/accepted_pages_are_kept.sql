-- E-102: A page that was fetched with a body names the body it brought.
SELECT p.id, format('%s bytes without a content hash', p.body_bytes) AS problem
FROM pages p
WHERE p.stored_bytes IS NOT NULL AND p.content_hash IS NULL
