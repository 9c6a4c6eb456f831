-- Which of these bodies no row names any more.
SELECT h.hash
FROM unnest(%(hashes)b::text[]) AS h (hash)
WHERE NOT EXISTS (
          SELECT FROM pages AS p WHERE p.content_hash = h.hash AND p.body_deleted_at IS NULL)
  AND NOT EXISTS (
          SELECT FROM pages AS p WHERE p.screenshot_hash = h.hash AND p.body_deleted_at IS NULL)
  AND NOT EXISTS (SELECT FROM images AS i WHERE i.content_hash = h.hash)
