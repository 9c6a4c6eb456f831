-- Brings the search documents of these offers up to date (C-051, C-052). A text beyond 50 000 characters adds no words
-- anybody looks for, and a tsvector has a limit.
INSERT INTO search_documents (product_id, product_name, brand, category, domain_name, created_at, document, indexed_at)
SELECT o.id, o.title, o.brand, o.category, o.domain, o.created_at,
       search_document(concat_ws(' ', o.title, o.brand, o.sku, o.mpn, o.gtin), left(o.description, 50000)), o.updated_at
FROM source_products AS o
WHERE o.id = ANY(%(id)b::bigint[])
ON CONFLICT (product_id) DO UPDATE
SET product_name = excluded.product_name, brand = excluded.brand, category = excluded.category,
    domain_name = excluded.domain_name, document = excluded.document, indexed_at = excluded.indexed_at
