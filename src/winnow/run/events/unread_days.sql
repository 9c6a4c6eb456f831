-- Drafts of events that are held because the rules cannot read their day, and that no model was asked about lately.
SELECT DISTINCT ON (q.id, d.id) q.source_id, q.target_id, q.url, s.locale, s.timezone, d.values, s.answered_days
FROM quarantine AS q
JOIN sources AS s ON s.id = q.source_id AND s.kind = 'event' AND s.enabled AND NOT s.paused
JOIN drafts AS d ON d.task_id = q.task_id AND d.kind = 'event'
WHERE q.resolved_at IS NULL AND q.kind = 'event' AND q.scope = 'record' AND q.details LIKE 'start: unreadable:%%'
  AND q.created_at > now() - interval '30 days' AND d.values -> 'start' -> 0 ->> 'raw' IS NOT NULL
  AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(s.answered_days) AS a (text text, asked_on date)
      WHERE a.text = d.values -> 'start' -> 0 ->> 'raw' AND a.asked_on > current_date - 7)
ORDER BY q.id, d.id
LIMIT %(n)s
