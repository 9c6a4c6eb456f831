-- What the first rows of a chunk will change, for the log: before they are written, while both sides can be compared.
SELECT g.n, g.identity_type, g.identity_value, g.url, g.normalized_url_hash, g.amount, g.currency, g.list_price,
       p.id IS NULL AS is_new,
       array_remove(ARRAY[
           CASE WHEN p.title IS DISTINCT FROM g.title THEN 'title' END,
           CASE WHEN p.url IS DISTINCT FROM g.url THEN 'url' END,
           CASE WHEN p.image_url IS DISTINCT FROM g.image_url THEN 'image_url' END,
           CASE WHEN p.brand IS DISTINCT FROM g.brand THEN 'brand' END,
           CASE WHEN p.description IS DISTINCT FROM g.description THEN 'description' END,
           CASE WHEN p.category IS DISTINCT FROM g.category THEN 'category' END,
           CASE WHEN p.condition IS DISTINCT FROM g.condition THEN 'condition' END,
           CASE WHEN p.sku IS DISTINCT FROM g.sku THEN 'sku' END,
           CASE WHEN p.mpn IS DISTINCT FROM g.mpn THEN 'mpn' END,
           CASE WHEN p.impact_item_id IS DISTINCT FROM g.impact_item_id THEN 'impact_item_id' END,
           CASE WHEN p.normalized_url_hash IS DISTINCT FROM g.normalized_url_hash THEN 'normalized_url_hash' END
       ], NULL) AS fields_changed,
       g.signature AS new_signature, l.price_signature_hash AS old_signature, l.created_at AS last_price_at
FROM feed_stage AS g
LEFT JOIN source_products AS p
    ON p.source_id = %(source_id)s AND p.identity_key = g.identity_type || ':' || g.identity_value
LEFT JOIN latest_prices AS l ON l.source_product_id = p.id AND NOT l.scraped
WHERE g.n < %(shown)s
ORDER BY g.n
