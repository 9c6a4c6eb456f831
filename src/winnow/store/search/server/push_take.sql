-- The next documents an index has not got, and what was deleted, in the order of their versions. Of a feed whose run is
-- not promoted, the description as it was before.
SELECT d.*, CASE WHEN b.run_id IS NULL THEN o.description ELSE b.description END AS description, false AS deleted
FROM (
    SELECT product_id, source_id, product_name, brand, category, domain_name, created_at, language, codes, rating, price,
           currency, availability, shown_price, shown_currency, shown_availability, shown_until, version
    FROM search_documents
    WHERE version > %(after)s AND version <= %(through)s
    ORDER BY version LIMIT %(n)s
) AS d
JOIN source_products AS o ON o.id = d.product_id
LEFT JOIN affiliate_feeds AS f ON f.source_id = o.source_id AND f.loaded_run_id IS DISTINCT FROM f.promoted_run_id
LEFT JOIN offer_before AS b ON b.run_id = f.loaded_run_id AND b.source_product_id = o.id
ORDER BY d.version
