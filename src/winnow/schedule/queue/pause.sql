-- The queued tasks of a source or of a run wait (due at infinity), or go on where neither is paused.
WITH chosen AS MATERIALIZED (
    SELECT id, due_at IS NULL AS was_ready
    FROM tasks AS t
    WHERE (%(source_id)s::bigint IS NULL OR source_id = %(source_id)s)
      AND (%(run_id)s::bigint IS NULL OR run_id = %(run_id)s)
      AND status = 'queued'
      AND (due_at IS DISTINCT FROM 'infinity') = %(paused)s
      AND (%(paused)s OR NOT (EXISTS (SELECT FROM sources AS s WHERE s.id = t.source_id AND s.paused)
                              OR EXISTS (SELECT FROM scrape_runs AS r WHERE r.id = t.run_id AND r.paused)))
    ORDER BY id
    FOR UPDATE
),
changed AS (
    UPDATE tasks AS t
    SET due_at = CASE WHEN %(paused)s THEN 'infinity'::timestamptz END
    FROM chosen
    WHERE t.id = chosen.id
    RETURNING t.lane, t.rank, chosen.was_ready
),
moved AS (
    SELECT lane_change(lane, n, 0, rank)
    FROM (
        SELECT lane, min(rank)::integer AS rank,
               (CASE WHEN %(paused)s THEN -count(*) FILTER (WHERE was_ready) ELSE count(*) END)::integer AS n
        FROM changed GROUP BY lane ORDER BY lane
    ) AS per_lane
)
SELECT (SELECT count(*) FROM changed)::integer AS changed, (SELECT count(*) FROM moved)::integer AS lanes
