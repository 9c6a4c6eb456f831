-- The history as operators see it, with corrections applied and with what they hide. One correction applies to a
-- price: IGNORE before MULTIPLY, then the newest (see the view corrected_prices).
SELECT
    p.id,
    p.source_product_id,
    o.source_id,
    CASE WHEN c.factor IS NULL THEN p.amount_minor ELSE greatest(1, round(p.amount_minor * c.factor))::bigint END
        AS amount_minor,
    p.currency,
    p.exponent,
    CASE WHEN c.factor IS NULL THEN p.list_price_minor ELSE round(p.list_price_minor * c.factor)::bigint END
        AS list_price_minor,
    p.shipping_minor,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type,
    greatest(p.created_at, c.changed_at) AS changed_at,
    p.ingestion_run_id,
    p.affiliate_feed_run_id,
    p.page_id,
    p.amount_minor AS recorded_minor,
    c.id AS correction_id,
    c.action IS NOT DISTINCT FROM 'IGNORE' AS ignored
FROM prices p
JOIN source_products o ON o.id = p.source_product_id
LEFT JOIN LATERAL (
    SELECT
        (array_agg(k.id ORDER BY k.action = 'IGNORE' DESC, k.id DESC) FILTER (WHERE k.revoked_at IS NULL))[1] AS id,
        (array_agg(k.action ORDER BY k.action = 'IGNORE' DESC, k.id DESC) FILTER (WHERE k.revoked_at IS NULL))[1]
            AS action,
        (array_agg(k.factor ORDER BY k.action = 'IGNORE' DESC, k.id DESC) FILTER (WHERE k.revoked_at IS NULL))[1]
            AS factor,
        max(greatest(k.created_at, k.revoked_at)) AS changed_at
    FROM price_corrections k
    WHERE (k.price_id IS NULL OR k.price_id = p.id)
        AND (k.source_product_id IS NULL OR k.source_product_id = p.source_product_id)
        AND (k.source_id IS NULL OR k.source_id = o.source_id)
        AND (k.scrape_run_id IS NULL
            OR (p.ingestion_run_type = 'SCRAPE' AND k.scrape_run_id = p.ingestion_run_id))
        AND (k.affiliate_feed_run_id IS NULL OR k.affiliate_feed_run_id = p.affiliate_feed_run_id)
        AND (k.observed_from IS NULL OR p.observed_at >= k.observed_from)
        AND (k.observed_until IS NULL OR p.observed_at < k.observed_until)
) c ON true
WHERE p.created_at >= %(floor)s AND p.created_at < %(until)s
    AND (%(source_id)s::bigint IS NULL OR o.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR p.source_product_id = %(offer_id)s)
