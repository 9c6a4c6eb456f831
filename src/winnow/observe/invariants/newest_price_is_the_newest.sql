-- F-138: The newest price kept beside an offer is a price of its history, and the history has no newer one.
SELECT l.source_product_id AS id, format('price %s is not the newest', l.price_id) AS problem
FROM latest_prices l
LEFT JOIN prices p ON p.id = l.price_id
WHERE p.id IS NULL OR p.source_product_id <> l.source_product_id OR p.amount_minor <> l.amount_minor
    OR p.currency <> l.currency
    OR EXISTS (
        SELECT FROM prices n
        WHERE n.source_product_id = l.source_product_id
            AND (n.ingestion_run_type IS NOT DISTINCT FROM 'SCRAPE') = l.scraped
            AND (n.created_at, n.id) > (l.created_at, l.price_id)
    )
