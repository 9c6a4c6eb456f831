-- C-070: A URL of a source has each product once: no two offers of pages with one URL and one title.
SELECT min(o.id) AS id,
       format('offers %s share a URL and a title', string_agg(o.id::text, ', ' ORDER BY o.id)) AS problem
FROM source_products o
WHERE o.url_hash IS NOT NULL AND o.feed_run_id IS NULL
GROUP BY o.source_id, o.url_hash, o.title, coalesce(o.sku, ''), o.attributes
HAVING count(*) > 1
