-- One run for one source (P-072). The constraint lets only one be active (R-07). A source that follows links gives the
-- run a budget for it, with the limits that the caller sets instead of the source's. A source of events that says
-- nothing follows as far as its tier goes (schedule/budget.py); a crawl brings the roles it follows.
INSERT INTO scrape_runs (adapter_id, adapter_version, source_id, retailer_id, trigger, requested_by, close_monitoring,
                         budget, deadline_at, is_crawl)
SELECT %(adapter_id)s, %(adapter_version)s, s.id, s.retailer_id, %(trigger)s, %(requested_by)s,
       EXISTS (SELECT 1 FROM scrape_adapter_status AS a
               WHERE a.adapter_id IN (%(adapter_id)s::text, %(adapter_id)s || '@' || s.id) AND a.close_monitoring),
       b.budget, now() + make_interval(secs => (b.budget ->> 'seconds')::float8), %(roles)s::jsonb IS NOT NULL
FROM sources AS s
CROSS JOIN LATERAL (
    SELECT CASE WHEN r.roles IS NOT NULL
                THEN %(defaults)s::jsonb || coalesce(s.scrape_config -> 'followBudget', '{}'::jsonb) || %(budget)s::jsonb
                     || jsonb_build_object('roles', r.roles) END AS budget
    FROM (SELECT coalesce(%(roles)s::jsonb, s.scrape_config -> 'follow',
                          CASE WHEN s.kind = 'event' THEN %(event_roles)s::jsonb -> s.tier END) AS roles) AS r
) AS b
WHERE s.id = %(source_id)s
ON CONFLICT (source_id, is_crawl) WHERE status = 'RUNNING' DO NOTHING
RETURNING id
