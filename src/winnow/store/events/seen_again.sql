-- Pages that have not changed since they were read: what they listed is listed still. The rows are locked in one order.
WITH pages AS (
    UPDATE event_pages AS p SET run_id = coalesce(g.run_id, p.run_id), read_at = now()
    FROM unnest(%(source_id)b::bigint[], %(page_hash)b::text[], %(run_id)b::bigint[]) AS g (source_id, page_hash, run_id)
    WHERE p.source_id = g.source_id AND p.page_hash = g.page_hash::char(64)
    RETURNING p.event_ids, g.run_id
),
listed AS MATERIALIZED (
    SELECT e.id, max(pages.run_id) AS run_id
    FROM pages JOIN events AS e ON e.id = ANY(pages.event_ids)
    GROUP BY e.id ORDER BY e.id
)
UPDATE events AS e
SET last_seen_run_id = coalesce(listed.run_id, e.last_seen_run_id), last_seen_at = now(), missing_since = NULL, misses = 0
FROM listed WHERE e.id = listed.id AND e.status <> 'gone'
