-- Grants that were not used (the page may not be fetched, or the moment passed) go back to their lanes.
UPDATE lanes
SET grant_at = (after.l).grant_at, grant_n = (after.l).grant_n, slot_at = (after.l).slot_at, turn_at = (after.l).turn_at
FROM (
    SELECT l.lane, lane_return(l, unused.granted_at, statement_timestamp()) AS l
    FROM lanes AS l
    JOIN (
        SELECT lane, array_agg(granted_at ORDER BY granted_at) AS granted_at
        FROM unnest(%(lane)b::text[], %(granted_at)b::timestamptz[]) AS g (lane, granted_at)
        GROUP BY lane
    ) AS unused USING (lane)
    WHERE left(l.lane, 1) <> '@'
    ORDER BY l.lane
    FOR UPDATE OF l
) AS after
WHERE lanes.lane = after.lane
