-- Targets whose time has come, highest priority first (P-072): of sources that are on, not paused, whose
-- circuit is not open and that have no active run; with an adapter that is enabled (`generic@12`: for that source); of active domains. A BROKEN one
-- is due for its recheck a week after its last visit (P-075). `probe`: the circuit's cooldown is over, and one
-- visit decides whether the source is scheduled again (E-085).
SELECT t.id AS target_id, t.source_id, t.adapter_id, t.url, t.domain, t.kind, t.priority, t.schedule, t.crawl_frequency,
       coalesce(c.state <> 'CLOSED', false) AS probe
FROM scrape_targets AS t
JOIN sources AS s ON s.id = t.source_id
LEFT JOIN source_circuits AS c ON c.source_id = s.id
LEFT JOIN domains AS d ON d.domain_name = t.domain
WHERE t.enabled
  AND CASE WHEN %(broken)s
           THEN t.status = 'BROKEN' AND (t.found_by_run_id IS NULL OR t.next_crawl_at IS NOT NULL) AND coalesce(t.last_scraped_at, '-infinity') <= now() - interval '7 days'
           ELSE t.status = 'ACTIVE' AND t.next_crawl_at <= now() END
  AND s.enabled AND NOT s.auto_disabled AND NOT s.paused
  AND NOT EXISTS (SELECT 1 FROM scrape_adapter_status AS a
                  WHERE a.adapter_id IN (t.adapter_id, t.adapter_id || '@' || t.source_id) AND NOT a.enabled)
  -- P-103: an adapter made for a site goes live when its terms were read and approved.
  AND (t.adapter_id <> ALL (%(gated)b::text[]) OR (s.tos_reviewed_at IS NOT NULL AND s.tos_approved_by IS NOT NULL))
  AND coalesce(d.is_active, true)
  AND NOT coalesce(c.state = 'OPEN' AND c.cooldown_until > now(), false)
  AND NOT EXISTS (SELECT 1 FROM scrape_runs AS r WHERE r.source_id = t.source_id AND r.status = 'RUNNING')
ORDER BY t.priority DESC, t.next_crawl_at
LIMIT %(n)s
FOR UPDATE OF t SKIP LOCKED
