-- The events of moments to come that these pages listed when they were read last.
SELECT g.n, e.id, e.source_key, e.occurrence, e.title, e.event_date AS day, e.event_time AS hour, e.venue_key,
       coalesce(e.last_seen_run_id = g.run_id, false) AS seen_in_run
FROM unnest(%(n)b::bigint[], %(source_id)b::bigint[], %(page_hash)b::text[], %(run_id)b::bigint[])
     AS g (n, source_id, page_hash, run_id)
JOIN event_pages AS p ON p.source_id = g.source_id AND p.page_hash = g.page_hash::char(64)
JOIN events AS e ON e.id = ANY(p.event_ids)
WHERE e.status <> 'gone'
  AND CASE WHEN e.event_time = 'TBD' THEN e.starts_at >= now() ELSE e.starts_at > now() END
ORDER BY g.n, e.id
