-- Listed now: neither missing nor gone. What a person has hidden stays hidden.
UPDATE events AS e
SET last_seen_run_id = coalesce(g.run_id, e.last_seen_run_id), last_seen_at = now(), missing_since = NULL, misses = 0,
    status = CASE WHEN e.status = 'gone' THEN 'published' ELSE e.status END, gone_at = NULL
FROM unnest(%(id)b::bigint[], %(run_id)b::bigint[]) AS g (id, run_id)
WHERE e.id = g.id
