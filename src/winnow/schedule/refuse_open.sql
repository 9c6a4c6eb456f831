-- On-demand tasks of a domain whose circuit is open do not wait for it: they fail at once (S-035, DESIGN §11.14).
-- Scheduled ones stay, and so do those that retry a dead letter: nobody is waiting for them.
WITH refused AS MATERIALIZED (
    SELECT t.id
    FROM tasks AS t
    JOIN domain_circuits AS c ON c.domain = t.lane
    WHERE c.state = 'open' AND c.open_until > statement_timestamp()
      AND t.status = 'queued' AND t.producer = 'enrichment' AND t.trigger <> 'RETRY' AND t.due_at IS NULL
    ORDER BY t.id
    LIMIT %(n)s
    FOR UPDATE OF t SKIP LOCKED
),
failed AS (
    UPDATE tasks AS t
    SET status = 'failed', outcome = 'circuit_open', reason = 'domain circuit open', finished_at = statement_timestamp()
    FROM refused
    WHERE t.id = refused.id
    RETURNING t.id, t.lane, true AS ready, t.run_id, t.job_id, t.target_id, t.producer, t.url, t.reason, t.payload
)
SELECT * FROM failed
