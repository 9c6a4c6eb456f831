-- Offers seen for the first time. One that is there already is left alone, whichever of its two keys says so.
INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain, created_by_run_id)
SELECT source_id, identity_type, identity_value, title, url, url_hash, domain, run_id
FROM unnest(
    %(source_id)b::bigint[], %(identity_type)b::text[], %(identity_value)b::text[], %(title)b::text[], %(url)b::text[],
    %(url_hash)b::text[], %(domain)b::text[], %(run_id)b::bigint[]
) AS g (source_id, identity_type, identity_value, title, url, url_hash, domain, run_id)
ORDER BY source_id, identity_type, identity_value
ON CONFLICT DO NOTHING
