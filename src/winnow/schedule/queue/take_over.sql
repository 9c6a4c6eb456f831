-- Tasks that one process claimed for another pass to it: under a new fence, so that a message delivered twice finds
-- nothing the second time and its first holder can no longer settle them; with a lease of its own.
WITH handed AS MATERIALIZED (
    SELECT t.id
    FROM tasks AS t
    JOIN unnest(%(id)b::uuid[], %(fence)b::bigint[]) AS g (id, fence) ON t.id = g.id AND t.fence = g.fence
    WHERE t.status = 'running' AND t.lease_until IS NOT NULL
    ORDER BY t.id
    FOR UPDATE OF t
)
UPDATE tasks AS t
SET fence = nextval('task_fences'),
    lease_until = statement_timestamp() + make_interval(secs => %(lease)s),
    leased_by = %(worker)s
FROM handed
WHERE t.id = handed.id
RETURNING t.id, t.fence, t.producer, t.kind, t.lane, t.origin, t.url, t.stage, t.trigger, t.source_id, t.target_id,
          t.run_id, t.job_id, t.adapter_id, t.attempts, t.max_attempts, t.page_id, t.payload, t.route,
          t.outcome AS last_outcome, t.created_at AS queued_at, statement_timestamp() AS granted_at
