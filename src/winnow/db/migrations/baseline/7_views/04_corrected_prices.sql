-- The price history with the overlay of corrections (ADR-015): what is to be ignored is left out, what
-- is to be scaled is scaled. One correction applies to a price: IGNORE before MULTIPLY, then the newest.
CREATE VIEW corrected_prices AS
SELECT
    p.id,
    p.source_product_id,
    o.source_id,
    CASE WHEN c.factor IS NULL THEN p.amount_minor ELSE greatest(1, round(p.amount_minor * c.factor))::bigint END
        AS amount_minor,
    CASE WHEN c.factor IS NULL THEN p.list_price_minor ELSE round(p.list_price_minor * c.factor)::bigint END
        AS list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    p.tax_included,
    p.promo,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type,
    p.ingestion_run_id,
    p.affiliate_feed_run_id,
    p.task_id,
    p.page_id,
    c.id AS correction_id
FROM prices p
JOIN source_products o ON o.id = p.source_product_id
LEFT JOIN LATERAL (
    SELECT k.id, k.action, k.factor
    FROM price_corrections k
    WHERE k.revoked_at IS NULL
        AND (k.price_id IS NULL OR k.price_id = p.id)
        AND (k.source_product_id IS NULL OR k.source_product_id = p.source_product_id)
        AND (k.source_id IS NULL OR k.source_id = o.source_id)
        AND (k.scrape_run_id IS NULL
            OR (p.ingestion_run_type = 'SCRAPE' AND k.scrape_run_id = p.ingestion_run_id))
        AND (k.affiliate_feed_run_id IS NULL OR k.affiliate_feed_run_id = p.affiliate_feed_run_id)
        AND (k.observed_from IS NULL OR p.observed_at >= k.observed_from)
        AND (k.observed_until IS NULL OR p.observed_at < k.observed_until)
    ORDER BY k.action = 'IGNORE' DESC, k.id DESC
    LIMIT 1
) c ON true
WHERE c.action IS DISTINCT FROM 'IGNORE';
