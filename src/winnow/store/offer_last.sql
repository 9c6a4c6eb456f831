-- What was last known of offers that are locked. A statement of its own: one that had to wait for a lock would still
-- show the prices as they were before it waited.
SELECT p.id, p.content_hash, p.url_hash, l.amount_minor, l.currency, l.created_at AS priced_at,
       CASE WHEN s.unavailable_reason IN ('sold_out', 'gone') THEN 'OUT_OF_STOCK' ELSE l.availability END AS availability
FROM source_products AS p
LEFT JOIN source_product_presence AS s ON s.source_product_id = p.id
LEFT JOIN latest_prices AS l ON l.source_product_id = p.id AND l.scraped
WHERE p.id = ANY(%(id)b::bigint[])
