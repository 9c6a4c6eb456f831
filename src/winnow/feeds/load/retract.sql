-- Puts back what a run changed: the texts of its offers and the newest visible price of each. The run itself must not be
-- visible any more. Prices stay in the history, hidden with their run.
UPDATE source_products AS p
SET title = b.title, url = b.url, image_url = b.image_url, brand = b.brand, description = b.description,
    category = b.category, condition = b.condition, sku = b.sku, mpn = b.mpn, impact_item_id = b.impact_item_id,
    normalized_url_hash = b.normalized_url_hash, gtin = b.gtin, attributes = b.attributes, feed_run_id = b.feed_run_id,
    updated_at = now(), resolve_requested_at = now()
FROM offer_before AS b
WHERE b.run_id = %(run_id)s AND p.id = b.source_product_id;
DELETE FROM offer_before WHERE run_id = %(run_id)s;
-- What came with the run is no product's offer any more.
UPDATE source_products AS o
SET resolve_requested_at = now()
FROM (SELECT DISTINCT source_product_id FROM prices WHERE affiliate_feed_run_id = %(run_id)s) AS mine
JOIN product_links AS l ON l.source_product_id = mine.source_product_id
WHERE o.id = mine.source_product_id AND o.created_by_run_id = %(run_id)s;
DELETE FROM latest_prices AS l
USING prices AS p
WHERE p.affiliate_feed_run_id = %(run_id)s AND l.source_product_id = p.source_product_id AND l.price_id = p.id
    AND NOT l.scraped;
-- An offer without a visible price has no latest one: the next run prices it again, whatever the file says.
INSERT INTO latest_prices (
    source_product_id, scraped, price_id, created_at, amount_minor, currency, exponent, list_price_minor,
    shipping_minor, availability, in_stock, observed_at, ingestion_run_type, price_signature_hash)
SELECT n.source_product_id, false, n.id, n.created_at, n.amount_minor, n.currency, n.exponent, n.list_price_minor,
       n.shipping_minor, n.availability, n.in_stock, n.observed_at, n.ingestion_run_type, n.price_signature_hash
FROM (SELECT DISTINCT source_product_id FROM prices WHERE affiliate_feed_run_id = %(run_id)s) AS mine
CROSS JOIN LATERAL (
    SELECT b.*
    FROM prices AS b
    LEFT JOIN affiliate_feed_runs AS r ON r.id = b.affiliate_feed_run_id
    WHERE b.source_product_id = mine.source_product_id AND b.ingestion_run_type IS DISTINCT FROM 'SCRAPE'
        AND (b.affiliate_feed_run_id IS NULL OR (r.promoted_at IS NOT NULL AND r.invalidated_at IS NULL))
    ORDER BY b.created_at DESC, b.id DESC
    LIMIT 1
) AS n
ON CONFLICT (source_product_id, scraped) DO NOTHING
