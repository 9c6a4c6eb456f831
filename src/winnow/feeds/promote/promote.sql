-- F-088, F-091: every offer in step with the feed becomes active as of t0, in one row. The run that was active can no
-- longer be taken back: what it replaced is forgotten.
WITH forgotten AS (
    DELETE FROM offer_before AS b
    USING affiliate_feeds AS f
    WHERE f.id = %(feed_id)s AND b.run_id = f.promoted_run_id AND f.promoted_run_id <> %(run_id)s
),
before AS (
    UPDATE affiliate_feed_runs AS r
    SET promoted_at = %(t0)s, products_promoted = %(promoted)s,
        previous_promoted_at = f.promoted_at, previous_promoted_run_id = f.promoted_run_id
    FROM affiliate_feeds AS f
    WHERE r.id = %(run_id)s AND f.id = r.feed_id AND f.promoted_run_id IS DISTINCT FROM r.id
)
UPDATE affiliate_feeds
SET promoted_at = %(t0)s, promoted_run_id = %(run_id)s, stale_alerted_at = NULL
WHERE id = %(feed_id)s AND current_seen_run_id = %(run_id)s
