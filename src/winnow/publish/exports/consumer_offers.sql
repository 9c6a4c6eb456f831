-- The offers consumers may see (P-092, F-108, F-109). An offer of a feed changes for them when a run is promoted or a
-- promoted one is rolled back, and not while a run is loaded; one of a source when that is made eligible.
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
    CASE WHEN c.source_kind = 'AFFILIATE_FEED' THEN c.last_seen_success_at ELSE c.last_seen_at END AS last_seen_at,
    c.unavailable_since,
    c.unavailable_reason,
    c.unconfirmed_since,
    greatest(
        c.priced_at, l.linked_at, t.updated_at,
        CASE WHEN c.source_kind <> 'AFFILIATE_FEED' THEN greatest(o.updated_at, q.updated_at) END,
        f.promoted_at, rolled_back.last_at
    ) AS changed_at
FROM consumer_offers c
JOIN source_products o ON o.id = c.source_product_id
JOIN sources s ON s.id = c.source_id
LEFT JOIN source_product_presence q ON q.source_product_id = c.source_product_id
LEFT JOIN product_links l ON l.source_product_id = c.source_product_id
LEFT JOIN source_trust_config t ON t.source_id = c.source_id
LEFT JOIN affiliate_feeds f ON f.source_id = c.source_id
LEFT JOIN (
    SELECT feed_id, max(invalidated_at) AS last_at FROM affiliate_feed_runs WHERE promoted_at IS NOT NULL GROUP BY feed_id
) rolled_back ON rolled_back.feed_id = f.id
WHERE (%(source_id)s::bigint IS NULL OR c.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR c.source_product_id = %(offer_id)s)
