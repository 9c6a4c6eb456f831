-- F-053: due feeds, claimed and put off by one interval in the same statement; two schedulers never take the same one.
-- After a pause of days a feed is due once, not once per interval (F-054).
UPDATE affiliate_feeds
SET next_run_at = now() + make_interval(hours => schedule_frequency_hours), updated_at = now()
WHERE id IN (
    SELECT id
    FROM affiliate_feeds
    WHERE status = 'ENABLED' AND next_run_at <= now() AND schedule_frequency_hours IS NOT NULL
    ORDER BY next_run_at
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
)
RETURNING id, source_id, network, next_run_at
