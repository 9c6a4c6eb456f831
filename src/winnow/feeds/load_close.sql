-- The end of phase 1: every row of the file is in. Offers the run missed leave the feed's step with what was known
-- of them, offers it saw again come back into step (F-027, F-071); for all others one row says it.
WITH seen AS MATERIALIZED (
    SELECT DISTINCT unnest(source_product_ids) AS id FROM feed_run_seen WHERE run_id = %(run_id)s
),
missed AS (
    INSERT INTO source_product_presence AS s (source_product_id, last_seen_at, last_seen_success_at, left_by_run_id)
    SELECT v.source_product_id, v.last_seen_at, v.last_seen_success_at, %(run_id)s
    FROM offer_presence AS v
    WHERE v.source_id = %(source_id)s AND v.in_step AND NOT EXISTS (SELECT FROM seen WHERE seen.id = v.source_product_id)
    ON CONFLICT (source_product_id) DO UPDATE SET
        last_seen_at = EXCLUDED.last_seen_at, last_seen_success_at = EXCLUDED.last_seen_success_at,
        left_by_run_id = EXCLUDED.left_by_run_id, back_run_id = NULL, updated_at = now()
),
back AS (
    UPDATE source_product_presence AS s
    SET back_run_id = %(run_id)s, last_seen_at = now(), updated_at = now()
    FROM seen
    WHERE s.source_product_id = seen.id AND s.left_by_run_id IS NOT NULL AND s.back_run_id IS NULL
),
remembered AS (
    UPDATE affiliate_feed_runs AS r
    SET previous_seen_at = f.current_seen_at, previous_seen_run_id = f.current_seen_run_id
    FROM affiliate_feeds AS f
    WHERE r.id = %(run_id)s AND f.id = %(feed_id)s AND f.current_seen_run_id IS DISTINCT FROM r.id
)
UPDATE affiliate_feeds SET current_seen_at = now(), current_seen_run_id = %(run_id)s WHERE id = %(feed_id)s
