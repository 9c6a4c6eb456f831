-- prices.sql where there is no correction at all, as there usually is none: twice as fast.
SELECT
    p.id,
    p.source_product_id,
    o.source_id,
    p.amount_minor,
    p.currency,
    p.exponent,
    p.list_price_minor,
    p.shipping_minor,
    p.availability,
    p.in_stock,
    p.observed_at,
    p.created_at,
    p.ingestion_run_type,
    p.created_at AS changed_at,
    p.ingestion_run_id,
    p.affiliate_feed_run_id,
    p.page_id,
    p.amount_minor AS recorded_minor,
    NULL::bigint AS correction_id,
    false AS ignored
FROM prices p
JOIN source_products o ON o.id = p.source_product_id
WHERE p.created_at >= %(floor)s AND p.created_at < %(until)s
    AND (%(source_id)s::bigint IS NULL OR o.source_id = %(source_id)s)
    AND (%(offer_id)s::bigint IS NULL OR p.source_product_id = %(offer_id)s)
