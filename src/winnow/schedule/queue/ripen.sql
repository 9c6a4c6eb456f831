-- Tasks whose time has come (a retry's wait, a scheduled moment) become ready.
WITH ripe AS MATERIALIZED (
    SELECT id
    FROM tasks
    WHERE status = 'queued' AND due_at IS NOT NULL AND due_at <= statement_timestamp()
    ORDER BY due_at
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
),
ready AS (
    UPDATE tasks AS t SET due_at = NULL FROM ripe WHERE t.id = ripe.id RETURNING t.lane, t.rank
),
joined AS (
    SELECT n, lane_change(lane, n, 0, rank)
    FROM (
        SELECT lane, count(*)::integer AS n, min(rank)::integer AS rank FROM ready GROUP BY lane ORDER BY lane
    ) AS per_lane
)
SELECT coalesce(sum(n), 0)::integer AS ripened FROM joined
