-- The products of which consumers see an offer.
SELECT
    p.id,
    p.name,
    p.brand,
    p.mpn,
    p.gtin,
    p.category,
    p.description,
    p.image_url,
    k.offers,
    p.created_at,
    greatest(p.updated_at, k.linked_at) AS changed_at
FROM products p
CROSS JOIN LATERAL (
    SELECT count(*) AS offers, max(l.linked_at) AS linked_at,
           coalesce(bool_or(c.source_id = %(source_id)s), false) AS of_source
    FROM product_links l JOIN consumer_offers c ON c.source_product_id = l.source_product_id
    WHERE l.product_id = p.id
) k
WHERE k.offers > 0 AND (%(source_id)s::bigint IS NULL OR k.of_source) AND %(offer_id)s::bigint IS NULL
