-- The catalogue's product: an offer with its newest observation (C-031 … C-035, DESIGN §11.2). For
-- operators: it hides nothing, consumers read consumer_offers.
-- A page that was read says itself what its product costs; of a feed's offer the newest price does. `price_withheld` says
-- why a price that the page states is not believed.
CREATE VIEW catalog_products AS
SELECT
    o.id,
    d.id AS domain_id,
    coalesce(o.domain, s.domain) AS domain_name,
    -- As they are indexed (C-035).
    o.domain AS page_domain,
    o.availability AS page_availability,
    o.price_minor AS page_price_minor,
    o.price_currency AS page_currency,
    o.source_id,
    target.id AS crawl_task_id,
    link.product_id,
    o.feed_run_id IS NULL AS of_page,
    o.url,
    o.url_hash,
    o.title AS product_name,
    o.description,
    CASE WHEN o.availability IS NULL THEN money_decimal(p.amount_minor, p.exponent)
         ELSE money_decimal(o.price_minor, currency_exponent(o.price_currency)) END AS price,
    CASE WHEN o.availability IS NULL THEN p.amount_minor ELSE o.price_minor END AS amount_minor,
    CASE WHEN o.availability IS NULL THEN p.exponent ELSE currency_exponent(o.price_currency) END AS exponent,
    coalesce(CASE WHEN o.availability IS NULL THEN p.currency ELSE o.price_currency END, p.currency, 'USD') AS currency,
    o.price_withheld,
    lower(current_availability(
        CASE WHEN o.availability IS NULL THEN p.availability ELSE nullif(o.availability, 'UNKNOWN') END,
        seen.unavailable_reason,
        CASE WHEN o.availability IS NULL OR o.price_minor IS NOT NULL THEN seen.unconfirmed_since END
    )) AS availability,
    seen.unavailable_reason,
    o.rating,
    o.review_count,
    o.brand,
    o.category,
    o.breadcrumbs,
    o.sku,
    coalesce(o.gtin, (SELECT min(c.value) FROM source_product_codes c
                      WHERE c.source_product_id = o.id AND c.type = 'GTIN')) AS gtin,
    o.mpn,
    o.condition,
    o.image_url,
    o.content_hash,
    o.attributes AS metadata,
    o.field_sources,
    o.adapter_version AS parser_version,
    coalesce(seen.last_seen_at, p.observed_at) AS observed_at,
    o.created_at,
    o.updated_at
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN domains d ON d.domain_name = coalesce(o.domain, s.domain)
LEFT JOIN product_links link ON link.source_product_id = o.id
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
