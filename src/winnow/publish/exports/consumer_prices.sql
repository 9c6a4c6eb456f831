-- The history as consumers see it (P-092). A price changes for them when it is recorded, when its feed run is promoted,
-- when its source is made eligible, or when a correction of its offer, source or run is made or revoked.
SELECT
    c.id,
    c.source_product_id,
    c.source_id,
    c.amount_minor,
    c.currency,
    c.exponent,
    c.list_price_minor,
    c.shipping_minor,
    c.availability,
    c.in_stock,
    c.observed_at,
    c.created_at,
    c.ingestion_run_type,
    greatest(
        c.created_at,
        c.promoted_at,
        CASE WHEN c.ingestion_run_type = 'SCRAPE' THEN t.updated_at END,
        CASE WHEN EXISTS (SELECT FROM price_corrections) THEN
            (SELECT max(greatest(k.created_at, k.revoked_at)) FROM price_corrections k
             WHERE (k.price_id IS NULL OR k.price_id = c.id)
                AND (k.source_product_id IS NULL OR k.source_product_id = c.source_product_id)
                AND (k.source_id IS NULL OR k.source_id = c.source_id)
                AND (k.scrape_run_id IS NULL
                    OR (c.ingestion_run_type = 'SCRAPE' AND k.scrape_run_id = c.ingestion_run_id))
                AND (k.affiliate_feed_run_id IS NULL OR k.affiliate_feed_run_id = c.affiliate_feed_run_id)
                AND (k.observed_from IS NULL OR c.observed_at >= k.observed_from)
                AND (k.observed_until IS NULL OR c.observed_at < k.observed_until))
        END
    ) AS changed_at
FROM consumer_prices c
LEFT JOIN source_trust_config t ON t.source_id = c.source_id
WHERE c.created_at >= %(floor)s AND c.created_at < %(until)s
    AND (%(source_id)s::bigint IS NULL OR c.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR c.source_product_id = %(offer_id)s)
