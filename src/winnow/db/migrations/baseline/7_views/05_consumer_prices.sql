-- The price history consumers may read (P-092): nothing scraped until its source is made eligible, and
-- nothing scraped at all for an affiliate's offer (FN-18). Null-safe: prices from before runs were
-- recorded stay visible (PN-15), a source without a trust row is not eligible.
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
    p.ingestion_run_type
FROM corrected_prices p
JOIN sources s ON s.id = p.source_id
LEFT JOIN source_trust_config t ON t.source_id = p.source_id
WHERE p.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
    OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE');
