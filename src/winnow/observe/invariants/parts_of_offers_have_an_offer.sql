-- C-070: What is kept beside an offer (presence, codes, newest price, search document) belongs to one that exists.
SELECT k.id, format('%s of offer %s, which does not exist', k.kind, k.id) AS problem
FROM (
    SELECT source_product_id AS id, 'presence' AS kind FROM source_product_presence
    UNION ALL SELECT source_product_id, 'code' FROM source_product_codes
    UNION ALL SELECT source_product_id, 'newest price' FROM latest_prices
    UNION ALL SELECT product_id, 'search document' FROM search_documents
) AS k
WHERE NOT EXISTS (SELECT FROM source_products o WHERE o.id = k.id)
