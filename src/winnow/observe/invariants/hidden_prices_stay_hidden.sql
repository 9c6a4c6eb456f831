-- P-092: Consumers see no scraped price of a source that is not eligible, and none of a feed run that is not promoted.
SELECT c.id, format('source %s is not eligible, or its feed run is not promoted', c.source_id) AS problem
FROM consumer_prices c
JOIN prices p ON p.id = c.id
LEFT JOIN source_trust_config t ON t.source_id = c.source_id
LEFT JOIN affiliate_feed_runs r ON r.id = p.affiliate_feed_run_id
WHERE (p.ingestion_run_type = 'SCRAPE' AND t.visibility_status IS DISTINCT FROM 'ELIGIBLE')
    OR (p.affiliate_feed_run_id IS NOT NULL AND (r.promoted_at IS NULL OR r.invalidated_at IS NOT NULL))
