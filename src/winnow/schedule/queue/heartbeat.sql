-- The worker is alive: its leases last on. What does not come back was taken away in the meantime.
UPDATE tasks AS t
SET lease_until = statement_timestamp() + make_interval(secs => %(lease)s)
FROM unnest(%(id)b::uuid[], %(fence)b::bigint[]) AS g (id, fence)
WHERE t.id = g.id AND t.fence = g.fence AND t.lease_until IS NOT NULL
RETURNING t.id
