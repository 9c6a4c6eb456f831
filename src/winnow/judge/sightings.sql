-- What was read of these targets since their offer's last accepted price, and not believed: waiting for a second
-- sighting (the newest hold), or rejected by a person.
SELECT g.n, q.resolution = 'reject' AS refused, (q.payload #>> '{price,minor}')::bigint AS minor,
       q.payload #>> '{price,currency}' AS currency
FROM unnest(%(n)b::integer[], %(target_id)b::bigint[], %(task_id)b::uuid[], %(since)b::timestamptz[])
     AS g (n, target_id, task_id, since)
JOIN quarantine AS q ON q.target_id = g.target_id AND q.created_at > g.since AND q.task_id IS DISTINCT FROM g.task_id
WHERE (q.resolution IS NULL OR q.resolution = 'reject') AND q.payload #>> '{price,minor}' IS NOT NULL
  AND q.findings @> '[{"gate": "plausible_change"}]'
