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
LEFT JOIN lanes l ON l.lane = s.domain;
