-- Tasks that waited in these lanes have left the queue. The lanes are locked in one order, and last in the transaction.
SELECT lane_change(lane, -n, 0, 250)
FROM (
    SELECT lane, count(*)::integer AS n FROM unnest(%(lane)b::text[]) AS lane GROUP BY lane ORDER BY lane
) AS per_lane
