-- The page of a task is archived: from here on it is never fetched again, whoever finishes it.
UPDATE tasks AS t
SET stage = 'extract', page_id = g.page_id
FROM unnest(%(id)b::uuid[], %(fence)b::bigint[], %(page_id)b::uuid[]) AS g (id, fence, page_id)
WHERE t.id = g.id AND t.fence = g.fence AND t.lease_until IS NOT NULL
RETURNING t.id
