-- F-053: due feeds, claimed and put off by one interval in the same statement; two schedulers never take the same one.
-- When a cron schedule (F-135) fires next is put in by whoever claims it.
-- After a pause of days a feed is due once, not once per interval (F-054).
UPDATE affiliate_feeds
SET next_run_at = now() + make_interval(hours => coalesce(schedule_frequency_hours, 24)), updated_at = now()
WHERE id IN (
    SELECT id
    FROM affiliate_feeds
    WHERE status = 'ENABLED' AND next_run_at <= now()
        AND (schedule_frequency_hours IS NOT NULL OR schedule_cron IS NOT NULL)
    ORDER BY next_run_at
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
)
RETURNING id, source_id, network, next_run_at, schedule_cron, now() AS now
