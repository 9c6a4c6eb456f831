-- Known events to come that a page lists without a day that can be read: not missing.
UPDATE events AS e
SET last_seen_run_id = coalesce(g.run_id, e.last_seen_run_id), last_seen_at = now(), missing_since = NULL, misses = 0
FROM unnest(%(source_id)b::bigint[], %(source_key)b::text[], %(run_id)b::bigint[]) AS g (source_id, source_key, run_id)
WHERE e.source_id = g.source_id AND e.source_key = g.source_key AND e.status <> 'gone' AND e.starts_at > now()
