-- A worker closes its tasks, or hands them back. Only the holder of the fence can (R-01): what it no
-- longer owns is not returned, and the caller stores nothing for it. The lanes are freed by
-- free.sql at the end of the same transaction, so that they are locked as briefly as possible.
UPDATE tasks AS t
SET status = g.status,
    stage = g.stage,
    outcome = g.outcome,
    reason = g.reason,
    last_error = g.error,
    page_id = coalesce(g.page_id, t.page_id),
    route = coalesce(g.route, t.route),
    accepted = g.accepted, held = g.held, rejected = g.rejected,
    -- A task that goes on another way has its attempts there before it.
    attempts = CASE WHEN g.route IS NULL THEN t.attempts - g.refund::integer::smallint ELSE 0 END,
    lease_until = NULL,
    leased_by = NULL,
    lane = g.lane,
    due_at = CASE WHEN g.status = 'queued' AND g.wait > 0
                  THEN statement_timestamp() + make_interval(secs => g.wait) END,
    finished_at = CASE WHEN g.status <> 'queued' THEN statement_timestamp() END
FROM unnest(
    %(id)b::uuid[], %(fence)b::bigint[], %(status)b::text[], %(stage)b::text[], %(outcome)b::text[],
    %(reason)b::text[], %(error)b::text[], %(page_id)b::uuid[], %(refund)b::boolean[], %(wait)b::float8[],
    %(lane)b::text[], %(route)b::jsonb[], %(accepted)b::integer[], %(held)b::integer[], %(rejected)b::integer[]
) AS g (id, fence, status, stage, outcome, reason, error, page_id, refund, wait, lane, route, accepted, held, rejected)
WHERE t.id = g.id AND t.fence = g.fence AND t.lease_until IS NOT NULL
RETURNING t.id
