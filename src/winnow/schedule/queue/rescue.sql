-- Leases that ran out: their worker is gone. The task goes back to its lane (or on to @resume when its
-- page is archived) and its slot comes free; one that has lost too many workers fails (R-05). What a dispatcher held
-- was never begun: nobody died of it.
WITH lost AS MATERIALIZED (
    SELECT id, lane AS held, NOT starts_with(coalesce(leased_by, ''), %(dispatcher)s) AS begun
    FROM tasks
    WHERE status = 'running' AND lease_until < statement_timestamp()
    ORDER BY lease_until
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
),
recovered AS (
    UPDATE tasks AS t
    SET status = CASE WHEN lost.begun AND t.losses + 1 >= %(max_losses)s THEN 'failed' ELSE 'queued' END,
        losses = t.losses + lost.begun::integer::smallint,
        attempts = greatest(0, t.attempts - 1),
        lane = CASE WHEN t.stage <> 'fetch' THEN '@resume' ELSE t.lane END,
        lease_until = NULL,
        leased_by = NULL,
        due_at = CASE WHEN EXISTS (SELECT 1 FROM sources AS s WHERE s.id = t.source_id AND s.paused)
                        OR EXISTS (SELECT 1 FROM scrape_runs AS r WHERE r.id = t.run_id AND r.paused)
                      THEN 'infinity'::timestamptz END,
        reason = 'worker_lost',
        last_error = CASE WHEN lost.begun THEN 'the worker ' || coalesce(t.leased_by, '?') || ' died while it held this task'
                          ELSE 'no worker took this task over from ' || t.leased_by END,
        finished_at = CASE WHEN lost.begun AND t.losses + 1 >= %(max_losses)s THEN statement_timestamp() END
    FROM lost
    WHERE t.id = lost.id
    RETURNING t.id, lost.held, t.lane, t.rank, t.status, t.stage, t.url, t.source_id, t.target_id, t.run_id, t.job_id,
              t.producer, t.kind, t.adapter_id, t.reason, t.last_error, t.payload, t.trigger, t.origin, t.page_id,
              t.due_at IS NULL AS ready
)
SELECT * FROM recovered
