-- Writes the documents of these offers anew: words, codes and state (C-051, C-052).
INSERT INTO search_documents AS d (
    product_id, source_id, product_name, brand, category, domain_name, created_at, language, codes, document, rating,
    price, currency, availability, shown_price, shown_currency, shown_availability, shown_until, recheck_at)
SELECT
    s.product_id, s.source_id, s.product_name, s.brand, s.category, s.domain_name, s.created_at, s.language,
    coalesce(codes.known, '{}'),
    search_document(s.language::regconfig, concat_ws(' ', s.product_name, s.brand), s.description),
    s.rating, s.price, s.currency, s.availability, s.shown_price, s.shown_currency, s.shown_availability, s.shown_until,
    s.recheck_at
FROM search_states AS s
CROSS JOIN LATERAL (
    SELECT array_agg(DISTINCT upper(code)) AS known
    FROM (
        SELECT unnest(ARRAY[o.sku, o.mpn, o.gtin, o.retailer_product_id]) AS code
        FROM source_products AS o WHERE o.id = s.product_id
        UNION ALL
        SELECT i.value FROM source_product_codes AS i WHERE i.source_product_id = s.product_id
    ) AS c
    WHERE code <> '' AND char_length(code) <= 255
) AS codes
WHERE s.product_id = ANY(%(id)b::bigint[])
ON CONFLICT (product_id) DO UPDATE
SET source_id = excluded.source_id, product_name = excluded.product_name, brand = excluded.brand,
    category = excluded.category, domain_name = excluded.domain_name, language = excluded.language,
    codes = excluded.codes, document = excluded.document, rating = excluded.rating, price = excluded.price,
    currency = excluded.currency, availability = excluded.availability, shown_price = excluded.shown_price,
    shown_currency = excluded.shown_currency, shown_availability = excluded.shown_availability,
    shown_until = excluded.shown_until, recheck_at = excluded.recheck_at, version = excluded.version,
    indexed_at = now()
