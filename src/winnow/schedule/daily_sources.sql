-- Every enabled event source with its place in the daily run, or why it is left out (E-025, E-026, E-027). A source is
-- due when a target of it would be visited before the next daily run anyway, or has no time of its own.
INSERT INTO daily_run_sources (daily_run_id, source_id, position, priority_score, state, reason, until)
SELECT %(id)s, c.id, row_number() OVER (ORDER BY c.priority_score DESC, c.id), c.priority_score,
       CASE WHEN c.reason IS NULL THEN 'waiting' ELSE 'left_out' END, c.reason,
       CASE c.reason WHEN 'circuit_open' THEN c.cooldown_until WHEN 'rate_limited' THEN c.rate_limited_until
                     WHEN 'not_due' THEN c.due_at END
FROM (
    SELECT h.id, h.priority_score, h.cooldown_until, h.rate_limited_until, t.due_at,
           CASE WHEN h.auto_disabled THEN 'auto_disabled'
                WHEN NOT h.is_available THEN 'circuit_open'
                WHEN h.paused THEN 'paused'
                WHEN h.rate_limited THEN 'rate_limited'
                WHEN NOT coalesce(d.is_active, true) THEN 'domain_inactive'
                WHEN t.n = 0 THEN 'no_target'
                WHEN t.gated AND (h.tos_reviewed_at IS NULL OR h.tos_approved_by IS NULL) THEN 'terms_not_reviewed'
                WHEN NOT t.due THEN 'not_due' END AS reason
    FROM source_health_status AS h
    LEFT JOIN domains AS d ON d.domain_name = h.domain
    CROSS JOIN LATERAL (
        SELECT count(*) AS n, min(g.next_crawl_at) AS due_at,
               coalesce(bool_or(coalesce(g.next_crawl_at, '-infinity') <= now() + interval '1 day'), false) AS due,
               coalesce(bool_or(g.adapter_id = ANY(%(gated)b::text[])), false) AS gated
        FROM scrape_targets AS g
        WHERE g.source_id = h.id AND g.enabled AND g.status = 'ACTIVE' AND g.found_by_run_id IS NULL
    ) AS t
    WHERE h.kind = 'event' AND h.enabled
) AS c
