-- What the page says about an offer, where it says something new (P-061, C-042). A value the page no longer
-- gives is kept: absence is not a change. What a feed says of its offers is the feed's to change (FN-18).
UPDATE source_products AS p
SET title = g.title,
    url = g.url,
    url_hash = g.url_hash,
    domain = g.domain,
    image_url = coalesce(g.image_url, p.image_url),
    brand = coalesce(g.brand, p.brand),
    description = coalesce(g.description, p.description),
    category = coalesce(g.category, p.category),
    condition = coalesce(g.condition, p.condition),
    sku = coalesce(g.sku, p.sku),
    retailer_product_id = coalesce(g.retailer_product_id, p.retailer_product_id),
    mpn = coalesce(g.mpn, p.mpn),
    attributes = p.attributes || g.attributes,
    content_hash = g.content_hash,
    adapter_version = g.adapter_version,
    last_updated_by_run_id = g.run_id,
    resolve_requested_at = now(),
    updated_at = now()
FROM unnest(
    %(id)b::bigint[], %(title)b::text[], %(url)b::text[], %(url_hash)b::text[], %(domain)b::text[],
    %(image_url)b::text[], %(brand)b::text[], %(description)b::text[], %(category)b::text[], %(condition)b::text[],
    %(sku)b::text[], %(retailer_product_id)b::text[], %(mpn)b::text[], %(attributes)b::jsonb[], %(content_hash)b::text[],
    %(adapter_version)b::text[], %(run_id)b::bigint[]
) AS g (id, title, url, url_hash, domain, image_url, brand, description, category, condition, sku, retailer_product_id,
        mpn, attributes, content_hash, adapter_version, run_id)
WHERE p.id = g.id AND p.feed_run_id IS NULL
