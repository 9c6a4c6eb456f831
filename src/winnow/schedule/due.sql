-- Targets whose time has come, one pass of them (C-016): of sources that are on, not paused, whose circuit is not open;
-- with an adapter that is enabled (`generic@12`: for that source); of active domains. A BROKEN one is due for its recheck
-- a week after its last visit (P-075). `probe`: the circuit's cooldown is over, and one visit decides whether the source
-- is scheduled again (E-085).
-- Where the source has an active run they join it, unless it is of another adapter, is being stopped, or has visited them
-- already: a run whose targets are always due would never end. What a person asked for joins it all the same; rechecks
-- wait for its end.
-- In order (C-006, C-017, C-021): priority; how many of its intervals a target is late, at most 10; whether it failed
-- lately; how popular it is; then who has waited longest.
SELECT t.id AS target_id, t.source_id, t.adapter_id, t.url, t.domain, t.kind, t.priority, t.max_attempts, t.schedule,
       t.crawl_frequency, coalesce(c.state <> 'CLOSED', false) AS probe
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
  AND NOT EXISTS (SELECT FROM tasks AS k WHERE k.target_id = t.id AND k.status IN ('queued', 'running'))
  AND NOT EXISTS (SELECT FROM scrape_runs AS r
                  WHERE r.source_id = t.source_id AND NOT r.is_crawl AND r.status = 'RUNNING'
                    AND (%(broken)s OR r.adapter_id <> t.adapter_id OR r.paused OR r.stopping OR coalesce(c.state <> 'CLOSED', false)
                         OR (t.last_scraped_at >= r.started_at AND t.due_because <> 'hand')))
ORDER BY t.priority DESC,
         least(10, floor(extract(epoch FROM now() - t.next_crawl_at)
                         / extract(epoch FROM coalesce(t.expected_every, interval '1 day')))) DESC NULLS LAST,
         t.consecutive_failures > 0 DESC,
         t.popularity DESC,
         t.next_crawl_at
LIMIT %(n)s
FOR UPDATE OF t SKIP LOCKED
