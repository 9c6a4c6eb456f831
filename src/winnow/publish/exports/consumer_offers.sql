-- The offers consumers may see (P-092, F-108, F-109). An offer of a feed changes for them when a run is promoted, one of
-- a source when that is made eligible.
SELECT
    c.source_product_id AS id,
    c.source_id,
    s.name AS source_name,
    c.product_id,
    c.title,
    c.url,
    c.image_url,
    c.brand,
    c.category,
    c.sku,
    c.amount_minor,
    c.currency,
    c.exponent,
    c.list_price_minor,
    c.shipping_minor,
    c.availability,
    c.in_stock,
    c.observed_at,
    c.priced_at,
    c.last_seen_at,
    c.unavailable_since,
    c.unavailable_reason,
    c.unconfirmed_since,
    greatest(o.updated_at, c.priced_at, q.updated_at, l.linked_at, t.updated_at, f.promoted_at) AS changed_at
FROM consumer_offers c
JOIN source_products o ON o.id = c.source_product_id
JOIN sources s ON s.id = c.source_id
LEFT JOIN source_product_presence q ON q.source_product_id = c.source_product_id
LEFT JOIN product_links l ON l.source_product_id = c.source_product_id
LEFT JOIN source_trust_config t ON t.source_id = c.source_id
LEFT JOIN affiliate_feeds f ON f.source_id = c.source_id
WHERE (%(source_id)s::bigint IS NULL OR c.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR c.source_product_id = %(offer_id)s)
