-- What was read of these records since their last accepted price, and not believed: waiting for a second sighting (the
-- newest hold), or rejected by a person. By (source, kind, key): a sighting of another product confirms nothing. What was
-- held after this visit had begun is no earlier sighting: two addresses of one offer read at one moment are one.
SELECT g.n, q.resolution = 'reject' AS refused, (q.payload #>> '{price,minor}')::bigint AS minor,
       q.payload #>> '{price,currency}' AS currency
FROM unnest(%(n)b::integer[], %(source_id)b::bigint[], %(kind)b::text[], %(record_key)b::text[], %(task_id)b::uuid[],
            %(since)b::timestamptz[]) AS g (n, source_id, kind, record_key, task_id, since)
JOIN quarantine AS q ON q.source_id = g.source_id AND q.kind = g.kind AND q.record_key = g.record_key
     AND q.created_at > g.since AND q.task_id IS DISTINCT FROM g.task_id
     AND q.created_at < coalesce((SELECT t.started_at FROM tasks AS t WHERE t.id = g.task_id), now())
WHERE (q.resolution IS NULL OR q.resolution = 'reject') AND q.payload #>> '{price,minor}' IS NOT NULL
  AND q.findings @> '[{"gate": "plausible_change"}]'
