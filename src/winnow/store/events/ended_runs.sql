-- Runs of event sources that ended and were not looked at, with what speaks against each. Links that are never followed
-- (to another domain, or no address at all) and pages of single events leave out nothing of the listing itself.
SELECT r.id AS run_id, r.source_id, r.completed_at,
       CASE WHEN r.status <> 'SUCCESS' THEN 'the run ended as ' || r.status
            WHEN r.urls_failed + r.urls_cancelled + r.urls_robots_blocked > 0 THEN 'pages of it could not be read'
            WHEN r.links_cut > coalesce((r.links_cut_by ->> 'invalid')::integer, 0) + (
                SELECT count(*) FROM follow_ups AS f
                WHERE f.run_id = r.id AND f.state = 'cut' AND (f.cut_by = 'scope' OR f.role IN ('detail', 'image'))
            ) THEN 'its budget left out pages'
            WHEN r.records_cut > 0 THEN 'a limit left out records of a page' END AS trouble
FROM scrape_runs AS r
JOIN sources AS s ON s.id = r.source_id AND s.kind = 'event'
WHERE r.completed_at IS NOT NULL AND r.completed_at > now() - interval '7 days'
  AND NOT EXISTS (SELECT FROM event_listings AS l WHERE l.run_id = r.id)
ORDER BY r.id
LIMIT %s
