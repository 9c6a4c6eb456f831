-- F-138: An offer that has prices has a newest one, for its page and for its feed.
SELECT DISTINCT ON (p.source_product_id) p.source_product_id AS id, format('price %s has none', p.id) AS problem
FROM prices p
WHERE NOT EXISTS (
    SELECT FROM latest_prices l
    WHERE l.source_product_id = p.source_product_id
        AND l.scraped = (p.ingestion_run_type IS NOT DISTINCT FROM 'SCRAPE')
)
ORDER BY p.source_product_id, p.id
