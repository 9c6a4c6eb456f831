-- What the page says about an offer, where it says something new (P-061, C-042). A name, text or code the page no longer
-- gives is kept: absence is not a change. Price, stock and rating are what the page says now. What a feed says of its
-- offers is the feed's to change (FN-18).
-- The page that an offer was found on speaks for it as long as its target is visited: another address with the same SKU
-- changes nothing but price and presence.
-- The resolver looks again only where a value changed that identifies a product (P-079).
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
    rating = g.rating,
    review_count = g.review_count,
    breadcrumbs = coalesce(CASE WHEN g.breadcrumbs IS NOT NULL
                                THEN ARRAY(SELECT jsonb_array_elements_text(g.breadcrumbs)) END, p.breadcrumbs),
    availability = g.availability,
    price_minor = g.price_minor,
    price_currency = g.price_currency,
    price_withheld = g.price_withheld,
    field_sources = g.field_sources,
    content_hash = g.content_hash,
    adapter_version = g.adapter_version,
    last_updated_by_run_id = g.run_id,
    resolve_requested_at = CASE WHEN p.content_hash IS NULL OR p.title <> g.title
                                     OR coalesce(g.brand, p.brand) IS DISTINCT FROM p.brand
                                     OR coalesce(g.sku, p.sku) IS DISTINCT FROM p.sku
                                     OR coalesce(g.mpn, p.mpn) IS DISTINCT FROM p.mpn
                                     OR coalesce(g.description, p.description) IS DISTINCT FROM p.description
                                     OR coalesce(g.category, p.category) IS DISTINCT FROM p.category
                                     OR (g.gtin IS NOT NULL AND NOT EXISTS (
                                             SELECT FROM source_product_codes AS c
                                             WHERE c.source_product_id = p.id AND c.type = 'GTIN' AND c.value = g.gtin))
                                THEN now() ELSE p.resolve_requested_at END,
    updated_at = now()
FROM unnest(
    %(id)b::bigint[], %(title)b::text[], %(url)b::text[], %(url_hash)b::text[], %(domain)b::text[],
    %(image_url)b::text[], %(brand)b::text[], %(description)b::text[], %(category)b::text[], %(condition)b::text[],
    %(sku)b::text[], %(retailer_product_id)b::text[], %(mpn)b::text[], %(attributes)b::jsonb[], %(gtin)b::text[],
    %(rating)b::numeric[], %(review_count)b::integer[], %(breadcrumbs)b::jsonb[], %(availability)b::text[],
    %(price_minor)b::bigint[], %(price_currency)b::text[], %(price_withheld)b::text[], %(field_sources)b::jsonb[],
    %(content_hash)b::text[], %(adapter_version)b::text[], %(run_id)b::bigint[], %(target_id)b::bigint[]
) AS g (id, title, url, url_hash, domain, image_url, brand, description, category, condition, sku, retailer_product_id,
        mpn, attributes, gtin, rating, review_count, breadcrumbs, availability, price_minor, price_currency,
        price_withheld, field_sources, content_hash, adapter_version, run_id, target_id)
JOIN source_products AS was ON was.id = g.id
WHERE p.id = g.id AND p.feed_run_id IS NULL
  AND NOT (was.url_hash IS DISTINCT FROM g.url_hash::char(64) AND EXISTS (
          SELECT FROM scrape_targets AS t
          WHERE t.source_id = was.source_id AND t.url_hash = was.url_hash AND t.id IS DISTINCT FROM g.target_id
            AND t.enabled AND t.status = 'ACTIVE'))
RETURNING p.id
