-- What sources say a product is called elsewhere: the input of the resolver (P-004, F-078). A feed says at most one code
-- of an offer, and it stands in the offer's own row (F-038).
CREATE VIEW source_product_identifiers AS
SELECT c.source_product_id, c.type, c.value, c.created_at
FROM source_product_codes c
UNION ALL
SELECT o.id, 'GTIN', o.gtin, o.created_at
FROM source_products o
WHERE o.gtin IS NOT NULL;
