-- Grants that were not used (the page may not be fetched, or the moment passed) go back to their lanes. One that
-- has left the window counts no more; looking for it in the log could only find somebody else's.
UPDATE lanes
SET grant_at = (after.l).grant_at, grant_n = (after.l).grant_n, slot_at = (after.l).slot_at, turn_at = (after.l).turn_at
FROM (
    SELECT l.lane, lane_return(l, unused.granted_at, unused.n, statement_timestamp()) AS l
    FROM lanes AS l
    JOIN (
        SELECT DISTINCT ON (lane) lane, granted_at, count(*)::integer AS n
        FROM unnest(%(lane)b::text[], %(granted_at)b::timestamptz[]) AS g (lane, granted_at)
        GROUP BY lane, granted_at
        ORDER BY lane, granted_at
    ) AS unused USING (lane)
    WHERE left(l.lane, 1) <> '@'
      AND unused.granted_at > statement_timestamp() - lane_window(l, statement_timestamp())
    ORDER BY l.lane
    FOR UPDATE OF l
) AS after
WHERE lanes.lane = after.lane
