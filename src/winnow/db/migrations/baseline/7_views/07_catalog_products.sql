-- The catalogue's product: an offer with its newest observation (C-031 … C-035, DESIGN §11.2). For
-- operators: it hides nothing, consumers read consumer_offers.
CREATE VIEW catalog_products AS
SELECT
    o.id,
    d.id AS domain_id,
    coalesce(o.domain, s.domain) AS domain_name,
    o.source_id,
    target.id AS crawl_task_id,
    o.url,
    o.url_hash,
    o.title AS product_name,
    o.description,
    money_decimal(p.amount_minor, p.exponent) AS price,
    p.amount_minor,
    p.exponent,
    coalesce(p.currency, 'USD') AS currency,
    lower(current_availability(p.availability, seen.unavailable_reason, seen.unconfirmed_since)) AS availability,
    o.rating,
    o.review_count,
    o.brand,
    o.category,
    o.sku,
    o.image_url,
    o.content_hash,
    o.attributes AS metadata,
    o.adapter_version AS parser_version,
    p.observed_at,
    o.created_at,
    o.updated_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN domains d ON d.domain_name = coalesce(o.domain, s.domain)
LEFT JOIN LATERAL (
    -- The target that refreshes it, else the one that saw it last.
    SELECT id FROM (
        SELECT 1 AS nth, t.id FROM scrape_targets t WHERE t.source_product_id = o.id
        UNION ALL
        SELECT 2, t.id FROM source_product_presence q JOIN scrape_targets t ON t.id = q.target_id
        WHERE q.source_product_id = o.id
    ) AS candidates
    ORDER BY nth, id LIMIT 1
) target ON true
LEFT JOIN LATERAL (
    SELECT l.* FROM latest_prices l
    WHERE l.source_product_id = o.id
    ORDER BY l.created_at DESC, l.price_id DESC
    LIMIT 1
) p ON true;
