-- The slots that dead workers held come free, and their tasks that go back ready join their lanes again.
SELECT lane_change(lane, back, -freed, rank)
FROM (
    SELECT lane, sum(back)::integer AS back, sum(freed)::integer AS freed, min(rank)::integer AS rank
    FROM (
        SELECT held AS lane, 0 AS back, 1 AS freed, 250 AS rank FROM unnest(%(held)b::text[]) AS held
        UNION ALL
        SELECT b.lane, 1, 0, b.rank FROM unnest(%(lane)b::text[], %(rank)b::bigint[]) AS b (lane, rank)
    ) AS moves
    GROUP BY lane
    ORDER BY lane
) AS per_lane
