-- Events of the range that a complete reading did not list. What passed is not missing.
UPDATE events
SET missing_since = coalesce(missing_since, now()), misses = misses + 1
WHERE source_id = %(source_id)s AND status <> 'gone' AND coalesce(last_seen_run_id, 0) < %(run_id)s::bigint
  AND starts_at > now() AND event_date BETWEEN least(%(first_day)s::date, current_date) AND %(last_day)s::date
