-- What a daily run did (E-081). Counters are those of its sources' runs; a circuit counts as tripped when it opened for
-- one of its sources since the run began, also when it has closed again.
WITH part AS (
    SELECT d.source_id, d.state, d.reason, s.name, r.*
    FROM daily_run_sources AS d
    JOIN sources AS s ON s.id = d.source_id
    LEFT JOIN LATERAL (
        SELECT r.id AS scrape_run_id, r.status, r.urls_attempted, r.urls_failed, r.offers_quarantined, r.gauges
        FROM scrape_runs AS r WHERE r.id = d.scrape_run_id
    ) AS r ON true
    WHERE d.daily_run_id = %(id)s
)
SELECT count(*) FILTER (WHERE p.state = 'started') AS sources_processed,
       count(*) FILTER (WHERE p.status = 'SUCCESS') AS sources_succeeded,
       count(*) FILTER (WHERE p.status IN ('FAILED', 'QUARANTINED')) AS sources_failed,
       count(*) FILTER (WHERE p.status = 'RUNNING') AS sources_unfinished,
       count(*) FILTER (WHERE p.state = 'left_out') AS sources_left_out,
       coalesce((SELECT jsonb_object_agg(l.reason, l.n) FROM (
           SELECT reason, count(*) AS n FROM part WHERE state = 'left_out' GROUP BY reason) AS l), '{}') AS left_out,
       coalesce((SELECT jsonb_agg(f.name ORDER BY f.name) FROM (
           SELECT name FROM part WHERE status IN ('FAILED', 'QUARANTINED') ORDER BY name LIMIT 50) AS f), '[]')
           AS failed_sources,
       coalesce(sum(p.urls_attempted), 0)::integer AS pages,
       coalesce(sum((p.gauges ->> 'events_inserted')::integer), 0)::integer AS events_inserted,
       coalesce(sum((p.gauges ->> 'events_updated')::integer), 0)::integer AS events_updated,
       coalesce(sum((p.gauges ->> 'events_skipped')::integer), 0)::integer AS events_skipped,
       coalesce(sum(p.offers_quarantined), 0)::integer AS events_held,
       coalesce(sum(p.urls_failed), 0)::integer AS errors,
       coalesce((SELECT jsonb_agg(t.name ORDER BY t.name) FROM (
           SELECT DISTINCT q.name FROM part AS q JOIN alerts AS a ON a.code = 'circuit_opened'
               AND a.dedupe_key = 'circuit:source:' || q.source_id AND a.last_seen_at >= %(started_at)s) AS t), '[]')
           AS circuit_breakers_tripped,
       (SELECT count(*) FROM dead_letters AS x JOIN part AS q ON q.scrape_run_id = x.run_id
        WHERE x.created_at >= %(started_at)s) AS dlq_items_added
FROM part AS p
