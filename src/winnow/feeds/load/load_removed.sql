-- Offers that rows of the file remove leave the feed's step. Consumers see them until the run is promoted: the view
-- offer_presence hides them from then on. A row may name an offer by its SKU although a better id identifies it.
WITH named AS (
    SELECT unnest(%(kinds)s::text[]) AS kind, unnest(%(values)s::text[]) AS value
),
gone AS (
    SELECT o.id FROM named AS n
    JOIN source_products AS o ON o.source_id = %(source_id)s AND o.identity_key = n.kind || ':' || n.value
    UNION
    SELECT o.id FROM named AS n
    JOIN source_products AS o ON o.source_id = %(source_id)s AND o.sku = n.value
    WHERE n.kind = 'SKU'
)
INSERT INTO source_product_presence AS s
    (source_product_id, last_seen_at, last_seen_success_at, left_by_run_id, removed_by_run_id)
SELECT v.source_product_id, v.last_seen_at, v.last_seen_success_at, %(run_id)s, %(run_id)s
FROM gone
JOIN offer_presence AS v ON v.source_product_id = gone.id
WHERE v.in_step OR v.last_seen_success_at IS NOT NULL
ON CONFLICT (source_product_id) DO UPDATE SET
    last_seen_at = EXCLUDED.last_seen_at, last_seen_success_at = EXCLUDED.last_seen_success_at,
    left_by_run_id = EXCLUDED.left_by_run_id, removed_by_run_id = EXCLUDED.removed_by_run_id, back_run_id = NULL,
    updated_at = now()
