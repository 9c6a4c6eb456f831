-- The events pipeline's job: a task of the events producer, in the document's words (E-098 … E-100).
-- run_id is what all jobs of one daily run share (E-029): the batch they were asked for in, else the daily run of
-- their source, else the run of their source. Priority: higher first (E-031), internally the lower rank runs first.
-- A page that robots.txt forbids was never fetched: its task is done, its job has failed.
CREATE VIEW pipeline_jobs AS
WITH tasks_of_events AS (
    SELECT id, source_id, job_id, run_id, status, outcome, stage, rank, attempts, max_attempts, last_error, created_at,
        started_at, finished_at
    FROM tasks WHERE producer = 'events'
    UNION ALL
    SELECT id, source_id, job_id, run_id, status, outcome, stage, rank, attempts, max_attempts, last_error, created_at,
        started_at, finished_at
    FROM task_archive WHERE producer = 'events'
), work AS (
    SELECT id, source_id, job_id, run_id, rank, attempts, max_attempts, last_error, created_at, started_at, finished_at,
        CASE WHEN status = 'done' AND outcome = 'robots_blocked' THEN 'failed' ELSE status END AS status,
        CASE WHEN status = 'done' AND outcome = 'robots_blocked' THEN 'fetch' ELSE stage END AS stage
    FROM tasks_of_events
)
SELECT
    k.id,
    k.source_id,
    coalesce(k.job_id::text, (
        SELECT d.run_id::text FROM daily_run_sources s JOIN daily_runs d ON d.id = s.daily_run_id
        WHERE s.scrape_run_id = k.run_id ORDER BY d.id DESC LIMIT 1
    ), k.run_id::text, k.id::text) AS run_id,
    CASE
        WHEN k.status = 'done' THEN 'completed'
        WHEN k.status IN ('failed', 'cancelled', 'stale') THEN 'dead_letter'
        ELSE at_stage.name
    END AS current_stage,
    (
        SELECT jsonb_object_agg(s.name, CASE
            WHEN k.status = 'done' OR s.nth < at_stage.nth THEN 'completed'
            WHEN s.nth > at_stage.nth OR k.status = 'queued' THEN 'pending'
            WHEN k.status = 'running' THEN 'running'
            ELSE 'failed'
        END)
        FROM (VALUES (1, 'fetch'), (2, 'parse'), (3, 'normalize'), (4, 'persist')) s (nth, name)
    ) AS stage_status,
    k.attempts,
    k.max_attempts,
    k.last_error,
    k.created_at,
    k.started_at,
    CASE WHEN k.status = 'done' THEN k.finished_at END AS completed_at,
    100 - k.rank AS priority
FROM work k
JOIN (VALUES
    ('fetch', 1, 'fetch'), ('extract', 2, 'parse'), ('normalise', 3, 'normalize'), ('persist', 4, 'persist'),
    ('done', 5, 'completed')
) at_stage (stage, nth, name) ON at_stage.stage = k.stage;
