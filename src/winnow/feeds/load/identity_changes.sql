-- Offers whose identity changed with this run. It looks at what the run brought and at what left, not at the whole feed.
--   upgrade   a new offer has a better kind of id than one that is gone, and the same SKU or address (F-039)
--   flap      an address came back under an id it had before, and its last id of another kind left (F-137)
-- `total` counts all of a kind; a few are shown.
WITH brought AS MATERIALIZED (
    SELECT o.id, o.identity_type, o.identity_value, o.sku, o.normalized_url_hash
    FROM source_products AS o
    WHERE o.created_by_run_id = %(run_id)s AND o.source_id = %(source_id)s
        AND o.id IN (SELECT p.source_product_id FROM prices AS p WHERE p.affiliate_feed_run_id = %(run_id)s)
),
upgrades AS (
    SELECT n.id AS new_id, n.identity_type AS new_type, n.identity_value AS new_value,
           old.id AS old_id, old.identity_type AS old_type, old.identity_value AS old_value
    FROM brought AS n
    CROSS JOIN LATERAL (VALUES
        (CASE WHEN n.identity_type = 'IMPACT_ITEM_ID' THEN 'SKU:' || n.sku END),
        (CASE WHEN n.identity_type <> 'URL_HASH' THEN 'URL_HASH:' || n.normalized_url_hash END)
    ) AS less (identity_key)
    JOIN source_products AS old ON old.source_id = %(source_id)s AND old.identity_key = less.identity_key
    JOIN source_product_presence AS s ON s.source_product_id = old.id
    WHERE s.left_by_run_id IS NOT NULL AND s.back_run_id IS NULL
),
back AS MATERIALIZED (
    SELECT o.id, o.identity_type, o.identity_value, o.normalized_url_hash
    FROM source_product_presence AS s
    JOIN source_products AS o ON o.id = s.source_product_id
    WHERE s.back_run_id = %(run_id)s AND o.source_id = %(source_id)s
),
gone AS MATERIALIZED (
    SELECT o.id, o.identity_type, o.identity_value, o.normalized_url_hash
    FROM source_product_presence AS s
    JOIN source_products AS o ON o.id = s.source_product_id
    WHERE s.left_by_run_id = %(run_id)s AND s.back_run_id IS NULL AND o.source_id = %(source_id)s
),
flaps AS (
    SELECT b.id, b.identity_type, b.identity_value, g.id, g.identity_type, g.identity_value
    FROM back AS b
    JOIN gone AS g ON g.normalized_url_hash = b.normalized_url_hash AND g.identity_type <> b.identity_type
),
found AS (
    SELECT 'upgrade' AS kind, * FROM upgrades
    UNION ALL SELECT 'flap', * FROM flaps
)
SELECT kind, old_type, old_value, new_type, new_value, total
FROM (
    SELECT *, count(*) OVER (PARTITION BY kind) AS total, row_number() OVER (PARTITION BY kind ORDER BY new_id) AS nth
    FROM found
) AS numbered
WHERE nth <= %(shown)s
ORDER BY kind DESC, nth
