-- The offers consumers may see, each with its current price; the only way consumers read offers.
--   affiliate (F-108): promoted, not older than its feed's expiry, and its source the display primary;
--                      fails closed.
--   other     (F-109): visible whatever the flag says, until its source's own expiry if it has one.
-- Availability is that of the price, unless its page or server stated something else since, or nothing has confirmed it
-- for too long (current_availability, DESIGN §11.33).
-- `is_retailer_choice` is which of a retailer's sources to show when only one is to be shown: the
-- primary, and without any primary the direct ones (F-109).
-- The current price is the newest one that consumers may see; latest_prices names it, and only if a
-- correction or a run that is not promoted hides that one is the history searched.
-- While a feed's loaded run is not promoted, an offer it changed is shown as it was before (offer_before).
CREATE VIEW consumer_offers AS
SELECT
    o.id AS source_product_id,
    o.source_id,
    s.retailer_id,
    r.name AS retailer_name,
    s.source_kind,
    s.is_display_primary,
    s.is_display_primary OR (s.source_kind = 'DIRECT' AND NOT EXISTS (
        SELECT FROM sources other WHERE other.retailer_id = s.retailer_id AND other.is_display_primary
    )) AS is_retailer_choice,
    l.product_id,
    CASE WHEN b.run_id IS NULL THEN o.title ELSE b.title END AS title,
    CASE WHEN b.run_id IS NULL THEN o.url ELSE b.url END AS url,
    CASE WHEN b.run_id IS NULL THEN o.image_url ELSE b.image_url END AS image_url,
    CASE WHEN b.run_id IS NULL THEN o.brand ELSE b.brand END AS brand,
    CASE WHEN b.run_id IS NULL THEN o.category ELSE b.category END AS category,
    CASE WHEN b.run_id IS NULL THEN o.sku ELSE b.sku END AS sku,
    CASE WHEN b.run_id IS NULL THEN o.impact_item_id ELSE b.impact_item_id END AS impact_item_id,
    CASE WHEN b.run_id IS NULL THEN o.attributes ELSE b.attributes END AS attributes,
    s.affiliate_tracking_template,
    p.id AS price_id,
    p.amount_minor,
    p.list_price_minor,
    p.shipping_minor,
    p.currency,
    p.exponent,
    p.price,
    current_availability(p.availability, seen.unavailable_reason, seen.unconfirmed_since) AS availability,
    current_availability(p.availability, seen.unavailable_reason, seen.unconfirmed_since) = 'IN_STOCK' AS in_stock,
    p.observed_at,
    p.created_at AS priced_at,
    seen.last_seen_at,
    seen.last_seen_success_at,
    seen.unavailable_since,
    seen.unavailable_reason,
    seen.unconfirmed_since
FROM source_products o
JOIN sources s ON s.id = o.source_id
LEFT JOIN retailers r ON r.id = s.retailer_id
LEFT JOIN affiliate_feeds f ON f.source_id = s.id
LEFT JOIN offer_before b
    ON b.run_id = f.loaded_run_id AND b.source_product_id = o.id
    AND f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
LEFT JOIN source_trust_config t ON t.source_id = s.id
LEFT JOIN offer_presence seen ON seen.source_product_id = o.id
LEFT JOIN product_links l ON l.source_product_id = o.id
CROSS JOIN LATERAL (
    SELECT c.* FROM (
        SELECT newest.price_id
        FROM latest_prices newest
        WHERE newest.source_product_id = o.id
            AND (NOT newest.scraped
                OR (s.source_kind <> 'AFFILIATE_FEED' AND t.visibility_status IS NOT DISTINCT FROM 'ELIGIBLE'))
        ORDER BY newest.created_at DESC, newest.price_id DESC
        LIMIT 1
    ) newest
    JOIN consumer_prices c ON c.id = newest.price_id
    UNION ALL
    (SELECT c.* FROM consumer_prices c
    WHERE c.source_product_id = o.id
        AND (f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
            OR EXISTS (SELECT FROM price_corrections WHERE revoked_at IS NULL))
    ORDER BY c.created_at DESC, c.id DESC
    LIMIT 1)
    LIMIT 1
) p
WHERE CASE
    WHEN s.source_kind = 'AFFILIATE_FEED' THEN
        s.is_display_primary AND now() - seen.last_seen_success_at <= make_interval(hours => f.expiry_hours)
    ELSE
        t.expiry_hours IS NULL OR now() - seen.last_seen_success_at <= make_interval(hours => t.expiry_hours)
END;
