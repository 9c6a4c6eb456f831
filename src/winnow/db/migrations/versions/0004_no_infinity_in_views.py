"""Views show no infinity: psycopg cannot read one into a datetime, so a paused task broke every reader."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP VIEW crawl_tasks")
    op.execute("DROP VIEW source_health_status")
    op.execute("""
-- The catalogue's recurring crawl task: a target with its latest task (C-028 … C-030, DESIGN §11.1), in
-- the catalogue's words (C-010, C-011). A task that is finished and due again is pending (C-019).
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
        WHEN k.status = 'done' THEN 'completed'
        ELSE 'failed'
    END AS status,
    greatest(1, least(10, 5 - t.priority)) AS priority,
    coalesce(
        CASE WHEN k.status IN ('queued', 'running') THEN nullif(k.due_at, 'infinity') END,
        t.next_crawl_at, k.created_at, t.created_at
    ) AS scheduled_at,
    k.started_at,
    CASE WHEN k.status NOT IN ('queued', 'running') THEN k.finished_at END AS completed_at,
    coalesce(k.last_error, t.last_error) AS error_message,
    greatest(0, coalesce(k.attempts, 0) - 1) AS retry_count,
    coalesce(k.max_attempts, 3) AS max_retries,
    coalesce(t.crawl_frequency, interval '1 day') AS crawl_frequency,
    t.next_crawl_at,
    page.content_hash AS html_path,
    k.id AS task_id,
    t.status AS target_status,
    t.enabled,
    t.created_at,
    t.updated_at
FROM scrape_targets t
LEFT JOIN domains d ON d.domain_name = t.domain
LEFT JOIN LATERAL (
    SELECT 1 AS nth, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks
    WHERE target_id = t.id AND target_id IS NOT NULL AND status IN ('queued', 'running')
    UNION ALL
    SELECT 2, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks WHERE id = t.last_task_id
    UNION ALL
    SELECT 3, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM task_archive WHERE id = t.last_task_id
    ORDER BY nth
    LIMIT 1
) k ON true
LEFT JOIN pages page ON page.id = coalesce(k.page_id, t.last_page_id)
""")
    op.execute("""
-- Which sources may be scheduled and in which order (E-110, E-111, E-027). A source that was never
-- scraped counts as 30 days old, so that it is not left behind. `rate_limited_until` is the state the
-- orchestrator leaves sources out by (E-026); it is no part of is_available. NULL
-- while rate_limited means: until someone lets it go on.
CREATE VIEW source_health_status AS
SELECT
    s.*,
    coalesce(c.state, 'CLOSED') AS circuit_state,
    coalesce(c.failure_count, 0) AS failure_count,
    c.cooldown_until,
    CASE
        WHEN c.state = 'OPEN' AND c.cooldown_until > now() THEN false
        WHEN s.auto_disabled THEN false
        WHEN NOT s.enabled THEN false
        ELSE true
    END AS is_available,
    age.days AS days_since_last_scrape,
    age.days * 10 + s.historical_event_count / 10.0 + s.reliability_score * 5 - s.consecutive_failures * 20
        AS priority_score,
    nullif(greatest(l.slowed_until, l.held_until), 'infinity') AS rate_limited_until,
    coalesce(greatest(l.slowed_until, l.held_until) > now(), false) AS rate_limited
FROM sources s
CROSS JOIN LATERAL (
    SELECT coalesce(floor(extract(epoch FROM now() - s.last_scraped_at) / 86400), 30)::integer AS days
) age
LEFT JOIN source_circuits c ON c.source_id = s.id
LEFT JOIN lanes l ON l.lane = s.domain
""")


def downgrade() -> None:
    op.execute("DROP VIEW crawl_tasks")
    op.execute("DROP VIEW source_health_status")
    op.execute("""
-- The catalogue's recurring crawl task: a target with its latest task (C-028 … C-030, DESIGN §11.1), in
-- the catalogue's words (C-010, C-011). A task that is finished and due again is pending (C-019).
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
        WHEN k.status = 'done' THEN 'completed'
        ELSE 'failed'
    END AS status,
    greatest(1, least(10, 5 - t.priority)) AS priority,
    coalesce(CASE WHEN k.status IN ('queued', 'running') THEN k.due_at END, t.next_crawl_at, k.created_at, t.created_at)
        AS scheduled_at,
    k.started_at,
    CASE WHEN k.status NOT IN ('queued', 'running') THEN k.finished_at END AS completed_at,
    coalesce(k.last_error, t.last_error) AS error_message,
    greatest(0, coalesce(k.attempts, 0) - 1) AS retry_count,
    coalesce(k.max_attempts, 3) AS max_retries,
    coalesce(t.crawl_frequency, interval '1 day') AS crawl_frequency,
    t.next_crawl_at,
    page.content_hash AS html_path,
    k.id AS task_id,
    t.status AS target_status,
    t.enabled,
    t.created_at,
    t.updated_at
FROM scrape_targets t
LEFT JOIN domains d ON d.domain_name = t.domain
LEFT JOIN LATERAL (
    SELECT 1 AS nth, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks
    WHERE target_id = t.id AND target_id IS NOT NULL AND status IN ('queued', 'running')
    UNION ALL
    SELECT 2, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM tasks WHERE id = t.last_task_id
    UNION ALL
    SELECT 3, id, status, stage, due_at, created_at, started_at, finished_at, last_error, attempts, max_attempts, page_id
    FROM task_archive WHERE id = t.last_task_id
    ORDER BY nth
    LIMIT 1
) k ON true
LEFT JOIN pages page ON page.id = coalesce(k.page_id, t.last_page_id)
""")
    op.execute("""
-- Which sources may be scheduled and in which order (E-110, E-111, E-027). A source that was never
-- scraped counts as 30 days old, so that it is not left behind. `rate_limited_until` is the state the
-- orchestrator leaves sources out by (E-026); it is no part of is_available.
CREATE VIEW source_health_status AS
SELECT
    s.*,
    coalesce(c.state, 'CLOSED') AS circuit_state,
    coalesce(c.failure_count, 0) AS failure_count,
    c.cooldown_until,
    CASE
        WHEN c.state = 'OPEN' AND c.cooldown_until > now() THEN false
        WHEN s.auto_disabled THEN false
        WHEN NOT s.enabled THEN false
        ELSE true
    END AS is_available,
    age.days AS days_since_last_scrape,
    age.days * 10 + s.historical_event_count / 10.0 + s.reliability_score * 5 - s.consecutive_failures * 20
        AS priority_score,
    greatest(l.slowed_until, l.held_until) AS rate_limited_until,
    coalesce(greatest(l.slowed_until, l.held_until) > now(), false) AS rate_limited
FROM sources s
CROSS JOIN LATERAL (
    SELECT coalesce(floor(extract(epoch FROM now() - s.last_scraped_at) / 86400), 30)::integer AS days
) age
LEFT JOIN source_circuits c ON c.source_id = s.id
LEFT JOIN lanes l ON l.lane = s.domain
""")
