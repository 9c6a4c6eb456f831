-- Offers whose last price of this run is in another currency than the newest visible price before it, or jump_factor times
-- as high or as low.
SELECT count(*)
FROM prices AS p
CROSS JOIN LATERAL (
    SELECT b.amount_minor, b.currency
    FROM prices AS b
    LEFT JOIN affiliate_feed_runs AS r ON r.id = b.affiliate_feed_run_id
    WHERE b.source_product_id = p.source_product_id AND b.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
        AND (b.affiliate_feed_run_id IS NULL OR (r.promoted_at IS NOT NULL AND r.invalidated_at IS NULL AND r.id < %(run_id)s))
    ORDER BY b.created_at DESC, b.id DESC
    LIMIT 1
) AS before
WHERE p.affiliate_feed_run_id = %(run_id)s
    AND NOT EXISTS (
        SELECT FROM prices AS later
        WHERE later.source_product_id = p.source_product_id AND later.affiliate_feed_run_id = %(run_id)s
            AND later.id > p.id)
    AND (p.currency <> before.currency
        OR greatest(p.amount_minor, before.amount_minor) >= %(jump_factor)s * least(p.amount_minor, before.amount_minor))
