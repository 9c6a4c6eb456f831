-- What a batch of ended tasks adds to its jobs; and the jobs whose tasks have all ended are over, once. A cancelled
-- job stays cancelled and is over when the tasks that were running have ended too (S-101, S-103).
WITH given AS (
    SELECT * FROM unnest(%(id)b::uuid[], %(completed)b::integer[], %(failed)b::integer[], %(cancelled)b::integer[])
        AS g (id, completed, failed, cancelled)
),
-- The sums are made of the locked rows, as in count_run.sql.
counted AS MATERIALIZED (
    SELECT j.id,
           j.finished_at IS NULL AS open,
           j.total_tasks AS total,
           j.completed_tasks + g.completed AS completed,
           j.failed_tasks + g.failed AS failed,
           j.cancelled_tasks + g.cancelled AS cancelled
    FROM jobs AS j
    JOIN given AS g ON g.id = j.id
    ORDER BY j.id
    FOR UPDATE OF j
),
ended AS (
    SELECT *, open AND completed + failed + cancelled >= total AS over FROM counted
)
UPDATE jobs AS j
SET completed_tasks = e.completed,
    failed_tasks = e.failed,
    cancelled_tasks = e.cancelled,
    status = CASE WHEN NOT e.over OR j.status = 'cancelled' THEN j.status
                  WHEN e.failed + e.cancelled = 0 THEN 'completed'
                  WHEN e.completed = 0 THEN 'failed'
                  ELSE 'partially_completed' END,
    updated_at = statement_timestamp(),
    finished_at = CASE WHEN e.over THEN statement_timestamp() ELSE j.finished_at END
FROM ended AS e
WHERE j.id = e.id
RETURNING j.id, j.status, j.total_tasks AS total, e.completed, e.failed, e.cancelled, j.callback_url, e.over
