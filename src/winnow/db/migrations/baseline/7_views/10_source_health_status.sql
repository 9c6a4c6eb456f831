-- Which sources may be scheduled and in which order (E-110, E-111, E-027). What the order is made of is derived from the
-- runs that are kept (E-028); of event sources each event counts once, however often it was read. A source that was
-- never scraped counts as 30 days old, so that it is not left behind. `rate_limited_until` is the state the orchestrator leaves sources out by (E-026); it is no part of is_available. NULL
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
    runs.last_scraped_at,
    runs.last_success_at,
    history.historical_event_count,
    runs.reliability_score,
    failed.consecutive_failures,
    age.days_since_last_scrape,
    age.days_since_last_scrape * 10 + history.historical_event_count / 10.0 + runs.reliability_score * 5
        - failed.consecutive_failures * 20 AS priority_score,
    nullif(greatest(l.slowed_until, l.held_until), 'infinity') AS rate_limited_until,
    coalesce(greatest(l.slowed_until, l.held_until) > now(), false) AS rate_limited
FROM sources s
CROSS JOIN LATERAL (
    SELECT
        max(r.started_at) AS last_scraped_at,
        max(r.completed_at) FILTER (WHERE r.status = 'SUCCESS') AS last_success_at,
        coalesce(avg((r.status = 'SUCCESS')::integer) FILTER (WHERE r.status <> 'RUNNING'), 0.5)::double precision
            AS reliability_score
    FROM scrape_runs r
    WHERE r.source_id = s.id
) runs
CROSS JOIN LATERAL (
    SELECT CASE WHEN s.kind = 'event' THEN (SELECT count(*) FROM events e WHERE e.source_id = s.id)
        ELSE (SELECT coalesce(sum(r.offers_valid), 0) FROM scrape_runs r WHERE r.source_id = s.id) END::bigint
        AS historical_event_count
) history
CROSS JOIN LATERAL (
    SELECT count(*)::integer AS consecutive_failures
    FROM scrape_runs r
    WHERE r.source_id = s.id
        AND r.status IN ('FAILED', 'QUARANTINED')
        AND r.completed_at > coalesce(runs.last_success_at, '-infinity')
) failed
CROSS JOIN LATERAL (
    SELECT coalesce(floor(extract(epoch FROM now() - runs.last_scraped_at) / 86400), 30)::integer
        AS days_since_last_scrape
) age
LEFT JOIN source_circuits c ON c.source_id = s.id
LEFT JOIN lanes l ON l.lane = s.domain;
