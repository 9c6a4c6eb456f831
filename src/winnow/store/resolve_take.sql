-- Offers for the resolver, with what they say they are: those that ask for it, oldest first, or those of one source from
-- an id on. Those a writer holds are left out: it asks again.
SELECT o.id, o.title, o.brand, o.mpn, o.sku, o.source_id, r.retailer_id, o.category, o.description, o.image_url,
       o.feed_run_id IS NOT NULL AND seen.last_seen_success_at IS NULL AS hidden,
       coalesce(t.upc_trusted, false) AS trusted, l.product_id AS linked, l.method,
       coalesce((
           SELECT array_agg(DISTINCT i.value) FROM source_product_identifiers AS i
           WHERE i.source_product_id = o.id AND i.type IN ('GTIN', 'UPC', 'EAN', 'ISBN')
       ), '{}') AS gtins
FROM source_products AS o
LEFT JOIN sources AS r ON r.id = o.source_id
LEFT JOIN source_trust_config AS t ON t.source_id = o.source_id
LEFT JOIN offer_presence AS seen ON seen.source_product_id = o.id
LEFT JOIN product_links AS l ON l.source_product_id = o.id
WHERE o.id = ANY(%(ids)s)
ORDER BY o.resolve_requested_at, o.id
FOR UPDATE OF o SKIP LOCKED
