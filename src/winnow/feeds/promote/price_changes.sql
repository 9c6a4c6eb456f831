-- Prices of a promoted run, some at a time, each with the price consumers saw before it. Only what differs from it; of a
-- run that priced an offer twice, the last price.
WITH batch AS MATERIALIZED (
    SELECT * FROM prices
    WHERE affiliate_feed_run_id = %(run_id)s AND id > %(after)s
    ORDER BY id
    LIMIT %(n)s
)
SELECT p.id, p.source_product_id, CASE WHEN b.run_id IS NULL THEN o.title ELSE b.title END AS title,
       CASE WHEN b.run_id IS NULL THEN o.url ELSE b.url END AS url, o.source_id, p.amount_minor, p.currency, p.availability, p.observed_at,
       before.amount_minor AS before_minor, before.currency AS before_currency,
       before.availability AS before_availability, t.id AS target_id
FROM batch AS p
JOIN source_products AS o ON o.id = p.source_product_id
JOIN affiliate_feeds AS f ON f.source_id = o.source_id
LEFT JOIN offer_before AS b -- a later run is loaded, and nobody outside sees its texts
    ON b.run_id = f.loaded_run_id AND b.source_product_id = o.id AND f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
LEFT JOIN LATERAL (
    SELECT b.amount_minor, b.currency, b.availability
    FROM prices AS b
    LEFT JOIN affiliate_feed_runs AS r ON r.id = b.affiliate_feed_run_id
    WHERE b.source_product_id = p.source_product_id AND b.id < p.id AND b.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
        AND b.affiliate_feed_run_id IS DISTINCT FROM p.affiliate_feed_run_id
        AND (b.affiliate_feed_run_id IS NULL OR (r.promoted_at IS NOT NULL AND r.invalidated_at IS NULL))
    ORDER BY b.created_at DESC, b.id DESC
    LIMIT 1
) AS before ON true
LEFT JOIN LATERAL (SELECT id FROM scrape_targets WHERE source_product_id = o.id ORDER BY id LIMIT 1) AS t ON true
WHERE NOT EXISTS (
        SELECT FROM prices AS later
        WHERE later.source_product_id = p.source_product_id
            AND later.affiliate_feed_run_id = p.affiliate_feed_run_id AND later.id > p.id)
ORDER BY p.id
