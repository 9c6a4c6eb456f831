-- Agendas of one page that could not be read, with the newest letter that kept it (E-058).
SELECT DISTINCT ON (s.id) s.id AS source_id, d.id AS letter_id, (d.payload ->> 'page_id')::uuid AS page_id, s.selector_sets
FROM sources AS s
JOIN dead_letters AS d ON d.source_id = s.id AND d.status = 'pending' AND d.stage = 'extract'
    AND d.payload ->> 'page_id' IS NOT NULL
WHERE s.kind = 'event' AND s.needs_review AND s.review_reason = %(reason)s
  AND s.enabled AND NOT s.paused AND NOT s.auto_disabled
  AND coalesce(s.healing_asked_at < now() - interval '1 day', true)
  AND (SELECT count(*) FROM scrape_targets AS t
       WHERE t.source_id = s.id AND t.enabled AND t.found_by_run_id IS NULL) = 1
ORDER BY s.id, d.id DESC
LIMIT %(n)s
