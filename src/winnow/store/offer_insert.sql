-- Offers seen for the first time, whole. One that another transaction created meanwhile is left alone.
INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash, domain, image_url, brand,
                             description, category, condition, sku, retailer_product_id, mpn, attributes, rating,
                             review_count, breadcrumbs, availability, price_minor, price_currency, price_withheld,
                             field_sources, content_hash, adapter_version, created_by_run_id, last_updated_by_run_id,
                             resolve_requested_at)
SELECT source_id, identity_type, identity_value, title, url, url_hash, domain, image_url, brand,
       description, category, condition, sku, retailer_product_id, mpn, attributes, rating,
       review_count, CASE WHEN breadcrumbs IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text(breadcrumbs)) END,
       availability, price_minor, price_currency, price_withheld,
       field_sources, content_hash, adapter_version, run_id, run_id, now()
FROM unnest(
    %(source_id)b::bigint[], %(identity_type)b::text[], %(identity_value)b::text[], %(title)b::text[], %(url)b::text[],
    %(url_hash)b::text[], %(domain)b::text[], %(image_url)b::text[], %(brand)b::text[], %(description)b::text[],
    %(category)b::text[], %(condition)b::text[], %(sku)b::text[], %(retailer_product_id)b::text[], %(mpn)b::text[],
    %(attributes)b::jsonb[], %(rating)b::numeric[], %(review_count)b::integer[], %(breadcrumbs)b::jsonb[],
    %(availability)b::text[], %(price_minor)b::bigint[], %(price_currency)b::text[], %(price_withheld)b::text[],
    %(field_sources)b::jsonb[], %(content_hash)b::text[], %(adapter_version)b::text[], %(run_id)b::bigint[]
) AS g (source_id, identity_type, identity_value, title, url, url_hash, domain, image_url, brand, description, category,
        condition, sku, retailer_product_id, mpn, attributes, rating, review_count, breadcrumbs, availability,
        price_minor, price_currency, price_withheld, field_sources, content_hash, adapter_version, run_id)
ORDER BY source_id, identity_type, identity_value
ON CONFLICT DO NOTHING
RETURNING source_id, identity_key, id, content_hash
