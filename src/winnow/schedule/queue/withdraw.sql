-- Queued tasks leave the queue: cancelled by a person, or stale. What is running is left alone (S-103). Their lanes
-- are updated last in the transaction (leave_lanes.sql).
WITH leaving AS MATERIALIZED (
    SELECT id, lane, due_at
    FROM tasks
    WHERE status = 'queued'
      AND (%(run_id)s::bigint IS NULL OR run_id = %(run_id)s)
      AND (%(job_id)s::uuid IS NULL OR job_id = %(job_id)s)
      AND (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
      AND (%(adapter_id)s::text IS NULL OR adapter_id = %(adapter_id)s)
      AND (%(target_ids)s::bigint[] IS NULL OR target_id = ANY(%(target_ids)s))
      AND (%(lane)s::text IS NULL OR lane = %(lane)s)
      AND (%(kinds)s::text[] IS NULL OR kind = ANY(%(kinds)s))
      AND (%(task_id)s::uuid IS NULL OR id = %(task_id)s)
      AND (%(older_than_seconds)s::float8 IS NULL
           -- P-071 binds the prices job: what a page led to waits as long as its run (DESIGN §11.39)
           OR (NOT coalesce(payload ? 'follow_up', false) AND created_at < statement_timestamp() - make_interval(secs => %(older_than_seconds)s)
               AND due_at IS DISTINCT FROM 'infinity'))
    ORDER BY id
    LIMIT %(n)s
    FOR UPDATE
),
left_queue AS (
    UPDATE tasks AS t
    SET status = %(status)s, reason = %(reason)s, finished_at = statement_timestamp()
    FROM leaving
    WHERE t.id = leaving.id
    RETURNING t.id, t.lane, t.run_id, t.job_id, t.target_id, t.producer, t.url, t.reason, t.payload, leaving.due_at
),
-- A dead letter whose retry is given up waits again.
unread AS (
    UPDATE dead_letters AS d
    SET status = 'pending', next_retry_at = CASE WHEN retry_count < max_retries THEN now() + interval '1 hour' END
    FROM left_queue
    WHERE d.id = (left_queue.payload ->> 'dead_letter_id')::bigint AND d.status = 'retrying'
)
SELECT id, lane, due_at IS NULL AS ready, run_id, job_id, target_id, producer, url, reason, payload FROM left_queue
