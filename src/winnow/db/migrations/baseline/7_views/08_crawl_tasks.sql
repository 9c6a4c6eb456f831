-- The catalogue's recurring crawl task: a target with its latest task (C-028 … C-030, DESIGN §11.1), in
-- the catalogue's words (C-010, C-011): products, and what crawls found. A task that is finished and due again is pending
-- (C-019). Completed is one whose page was read: forbidden by robots.txt, rejected or held is no success, and `outcome`
-- says which. `paused` ones are not visited, whatever became of their last visit (C-003). `max_retries` counts attempts,
-- the first one among them (C-013): `retry_count` stays below it.
-- No column is ever infinity: Python has no such time.
CREATE VIEW crawl_tasks AS
SELECT
    t.id,
    d.id AS domain_id,
    t.domain AS domain_name,
    t.source_id,
    t.url,
    t.url_hash,
    CASE
        WHEN k.status = 'running' AND k.stage = 'fetch' THEN 'crawling'
        WHEN k.status = 'running' THEN 'parsing'
        WHEN k.status = 'queued' AND k.stage <> 'fetch' THEN 'downloaded'
        WHEN k.status = 'queued' AND k.due_at IS NULL THEN 'queued'
        WHEN k.status = 'queued' OR k.status IS NULL THEN 'pending'
        WHEN t.enabled AND t.status = 'ACTIVE' AND t.next_crawl_at <= now() THEN 'pending'
        WHEN k.status = 'done' AND coalesce(k.outcome, 'accepted') NOT IN ('robots_blocked', 'rejected', 'held')
            THEN 'completed'
        ELSE 'failed'
    END AS status,
    CASE WHEN k.status NOT IN ('queued', 'running') THEN coalesce(k.outcome, k.status) END AS outcome,
    k.reason,
    t.status = 'PAUSED' OR NOT t.enabled OR NOT s.enabled OR s.paused OR NOT coalesce(d.is_active, true)
        OR coalesce((SELECT g.paused_at IS NOT NULL FROM scheduler_state g WHERE g.id = 1), false) AS paused,
    greatest(1, least(10, 5 - t.priority)) AS priority,
    coalesce(
        CASE WHEN k.status IN ('queued', 'running') THEN nullif(k.due_at, 'infinity') END,
        t.next_crawl_at, k.created_at, t.created_at
    ) AS scheduled_at,
    k.started_at,
    CASE WHEN k.status NOT IN ('queued', 'running') THEN k.finished_at END AS completed_at,
    coalesce(k.last_error, t.last_error) AS error_message,
    greatest(0, coalesce(k.attempts, 0) - 1) AS retry_count,
    coalesce(t.max_attempts, k.max_attempts, 3)::integer AS max_retries,
    coalesce(t.crawl_frequency, interval '1 day') AS crawl_frequency,
    t.next_crawl_at,
    t.due_because,
    t.last_scraped_at AS last_crawled_at,
    t.popularity,
    t.found_by_run_id,
    k.trigger,
    page.id AS page_id,
    page.content_hash AS html_path,
    k.id AS task_id,
    t.status AS target_status,
    t.enabled,
    t.created_at,
    t.updated_at
FROM scrape_targets t
JOIN sources s ON s.id = t.source_id
LEFT JOIN domains d ON d.domain_name = t.domain
LEFT JOIN LATERAL (
    SELECT 1 AS nth, id, status, outcome, reason, trigger, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks
    WHERE target_id = t.id AND target_id IS NOT NULL AND status IN ('queued', 'running')
    UNION ALL
    SELECT 2, id, status, outcome, reason, trigger, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks WHERE id = t.last_task_id
    UNION ALL
    SELECT 3, id, status, outcome, reason, trigger, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM task_archive WHERE id = t.last_task_id
    ORDER BY nth
    LIMIT 1
) k ON true
LEFT JOIN pages page ON page.id = coalesce(k.page_id, t.last_page_id)
WHERE t.kind = 'product'
    OR (t.found_by_run_id IS NOT NULL AND EXISTS (SELECT FROM crawls c WHERE c.run_id = t.found_by_run_id));
