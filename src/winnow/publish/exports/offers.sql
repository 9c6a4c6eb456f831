-- Every offer with its newest price; an affiliate's ignores scraped rows (FN-18).
SELECT
    o.id,
    o.source_id,
    s.name AS source_name,
    l.product_id,
    o.title,
    o.url,
    o.image_url,
    o.brand,
    o.category,
    o.sku,
    n.amount_minor,
    n.currency,
    n.exponent,
    n.list_price_minor,
    n.shipping_minor,
    current_availability(n.availability, seen.unavailable_reason, seen.unconfirmed_since) AS availability,
    current_availability(n.availability, seen.unavailable_reason, seen.unconfirmed_since) = 'IN_STOCK' AS in_stock,
    n.observed_at,
    n.created_at AS priced_at,
    seen.last_seen_at,
    seen.unavailable_since,
    seen.unavailable_reason,
    seen.unconfirmed_since,
    greatest(o.updated_at, n.created_at, q.updated_at, l.linked_at) AS changed_at,
    o.identity_key,
    o.mpn,
    o.gtin,
    o.rating::float8 AS rating,
    o.review_count,
    o.description,
    o.attributes,
    o.created_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN source_product_presence q ON q.source_product_id = o.id
LEFT JOIN product_links l ON l.source_product_id = o.id
LEFT JOIN LATERAL (
    SELECT * FROM latest_prices newest
    WHERE newest.source_product_id = o.id AND (s.source_kind <> 'AFFILIATE_FEED' OR NOT newest.scraped)
    ORDER BY newest.created_at DESC, newest.price_id DESC
    LIMIT 1
) n ON true
WHERE (%(source_id)s::bigint IS NULL OR o.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR o.id = %(offer_id)s)
