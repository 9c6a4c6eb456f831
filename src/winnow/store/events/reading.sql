-- What a run read of a source: its events of days to come, and how many of those there were before. `unread` are
-- addresses that are visited regularly and were not in this run. The range of a reading ends with the last day it lists.
SELECT p.pages, p.held, p.cut, e.events, e.expected, e.first_day, e.last_day,
       (SELECT count(*) FROM scrape_targets AS t
        WHERE t.source_id = %(source_id)s AND t.enabled AND t.status IN ('ACTIVE','BROKEN') AND t.kind = 'event'
          AND t.found_by_run_id IS NULL
          AND NOT EXISTS (SELECT FROM event_pages AS q WHERE q.source_id = t.source_id AND q.target_id = t.id
                          AND q.run_id = %(run_id)s)) AS unread
FROM (
    SELECT count(*) AS pages, count(*) FILTER (WHERE held) AS held, coalesce(sum(records_cut), 0) AS cut
    FROM event_pages WHERE source_id = %(source_id)s AND run_id = %(run_id)s
) AS p
CROSS JOIN (
    SELECT count(*) FILTER (WHERE last_seen_run_id >= %(run_id)s) AS events,
           count(*) AS expected,
           min(event_date) FILTER (WHERE last_seen_run_id >= %(run_id)s) AS first_day,
           max(event_date) FILTER (WHERE last_seen_run_id >= %(run_id)s) AS last_day
    FROM events
    WHERE source_id = %(source_id)s AND starts_at >= now() AND status <> 'gone'
) AS e
