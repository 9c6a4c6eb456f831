-- The price history consumers may read (P-092): nothing scraped until its source is made eligible, and
-- nothing scraped at all for an affiliate's offer (FN-18). Null-safe: prices from before runs were
-- recorded stay visible (PN-15), a source without a trust row is not eligible. A feed's price is visible once its run
-- is promoted and as long as it is not taken back; of a run that priced an offer twice, the last price (F-049, F-075).
-- Of a feed that was deleted nothing is: which of its runs were promoted is not known any more.
CREATE VIEW consumer_prices AS
SELECT
    p.id,
    p.source_product_id,
    p.source_id,
    p.amount_minor,
    p.list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    money_decimal(p.amount_minor, p.exponent) AS price,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type,
    p.ingestion_run_id,
    p.affiliate_feed_run_id,
    r.promoted_at
FROM corrected_prices p
JOIN sources s ON s.id = p.source_id
LEFT JOIN source_trust_config t ON t.source_id = p.source_id
LEFT JOIN affiliate_feed_runs r ON r.id = p.affiliate_feed_run_id
WHERE (p.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
        OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE'))
    AND ((p.affiliate_feed_run_id IS NULL
            AND (s.source_kind <> 'AFFILIATE_FEED' OR EXISTS (SELECT FROM affiliate_feeds f WHERE f.source_id = s.id)))
        OR (r.promoted_at IS NOT NULL AND r.invalidated_at IS NULL AND NOT EXISTS (
            SELECT FROM prices later
            WHERE later.source_product_id = p.source_product_id
                AND later.affiliate_feed_run_id = p.affiliate_feed_run_id AND later.id > p.id)));
