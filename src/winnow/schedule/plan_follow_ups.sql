-- The links of pages that were settled in this transaction, each once per run; how many were new. Only rows: lanes are
-- locked last in the transaction, and the feeder makes the tasks. A link runs after its page, by `later` ranks.
WITH added AS (
    INSERT INTO follow_ups (run_id, url_hash, url, role, depth, rank, position, seed, from_task, state, cut_by, shape,
                            in_sitemap, listed)
    SELECT g.run_id, g.url_hash, g.url, g.role, g.depth, least(250, coalesce(t.rank, 100) + g.later), g.position, g.seed,
           g.from_task, CASE WHEN g.cut_by IS NULL THEN 'waiting' ELSE 'cut' END, g.cut_by, g.shape, g.in_sitemap, g.listed
    FROM unnest(
        %(run_id)b::bigint[], %(from_task)b::uuid[], %(url)b::text[], %(url_hash)b::text[], %(role)b::text[],
        %(depth)b::integer[], %(position)b::integer[], %(later)b::integer[], %(cut_by)b::text[], %(seed)b::jsonb[],
        %(shape)b::text[], %(in_sitemap)b::boolean[], %(listed)b::text[]
    ) AS g (run_id, from_task, url, url_hash, role, depth, position, later, cut_by, seed, shape, in_sitemap, listed)
    LEFT JOIN tasks AS t ON t.id = g.from_task
    ORDER BY g.run_id, g.url_hash
    ON CONFLICT (run_id, url_hash) DO NOTHING
    RETURNING run_id, from_task, cut_by, shape IS NULL AS plain
)
SELECT run_id, from_task, cut_by, plain, count(*)::integer AS n FROM added GROUP BY run_id, from_task, cut_by, plain
