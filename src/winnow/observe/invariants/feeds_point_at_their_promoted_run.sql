-- F-071: The promoted run of a feed is its own, succeeded, and was not taken back.
SELECT f.id, format('run %s is %s of feed %s', f.promoted_run_id, coalesce(r.status, 'missing'), r.feed_id) AS problem
FROM affiliate_feeds f
LEFT JOIN affiliate_feed_runs r ON r.id = f.promoted_run_id
WHERE f.promoted_run_id IS NOT NULL AND r.id IS NOT NULL
    AND (r.feed_id <> f.id OR r.invalidated_at IS NOT NULL OR r.promoted_at IS NULL)
