-- Offers that wait for the resolver, oldest first, with what they say they are. Those a writer holds are left for the
-- next time.
SELECT o.id, o.title, o.brand, o.mpn, o.category, o.description, o.image_url,
       coalesce(t.upc_trusted, false) AS trusted, l.product_id AS linked, l.method,
       coalesce((
           SELECT array_agg(DISTINCT i.value) FROM source_product_identifiers AS i
           WHERE i.source_product_id = o.id AND i.type IN ('GTIN', 'UPC', 'EAN', 'ISBN')
       ), '{}') AS gtins
FROM source_products AS o
LEFT JOIN source_trust_config AS t ON t.source_id = o.source_id
LEFT JOIN product_links AS l ON l.source_product_id = o.id
WHERE o.resolve_requested_at IS NOT NULL
ORDER BY o.resolve_requested_at, o.id
LIMIT %(n)s
FOR UPDATE OF o SKIP LOCKED
