-- The end of phase 1: every row of the file is in. One row says it for all offers in step (F-027, F-071).
WITH remembered AS (
    UPDATE affiliate_feed_runs AS r
    SET previous_seen_at = f.current_seen_at, previous_seen_run_id = f.current_seen_run_id
    FROM affiliate_feeds AS f
    WHERE r.id = %(run_id)s AND f.id = %(feed_id)s AND f.current_seen_run_id IS DISTINCT FROM r.id
)
UPDATE affiliate_feeds SET current_seen_at = now(), current_seen_run_id = %(run_id)s WHERE id = %(feed_id)s
