-- The slots of settled tasks come free, and what was handed back ready joins its lane again.
SELECT lane_change(lane, back, -freed, rank)
FROM (
    SELECT lane, sum(back)::integer AS back, sum(freed)::integer AS freed, min(rank)::integer AS rank
    FROM (
        SELECT held AS lane, 0 AS back, 1 AS freed, 250 AS rank FROM unnest(%(lane)b::text[]) AS held
        UNION ALL
        SELECT lane, 1, 0, rank FROM tasks
        WHERE id = ANY(%(back)b::uuid[]) AND status = 'queued' AND due_at IS NULL
    ) AS moves
    GROUP BY lane
    ORDER BY lane
) AS per_lane
