-- Offers the run missed leave the feed's step with what was known of them (F-027, F-071).
WITH seen AS MATERIALIZED (
    SELECT unnest(source_product_ids) AS id FROM feed_run_seen WHERE run_id = %(run_id)s
)
INSERT INTO source_product_presence AS s (source_product_id, last_seen_at, last_seen_success_at, left_by_run_id)
SELECT v.source_product_id, v.last_seen_at, v.last_seen_success_at, %(run_id)s
FROM offer_presence AS v
WHERE v.source_id = %(source_id)s AND v.in_step AND NOT EXISTS (SELECT FROM seen WHERE seen.id = v.source_product_id)
ON CONFLICT (source_product_id) DO UPDATE SET
    last_seen_at = EXCLUDED.last_seen_at, last_seen_success_at = EXCLUDED.last_seen_success_at,
    left_by_run_id = EXCLUDED.left_by_run_id, back_run_id = NULL, removed_by_run_id = NULL, updated_at = now()
