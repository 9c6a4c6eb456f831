-- Events of other sources on the same day at a place that may be the same: the same name of a venue, or a square of the
-- map around it. Both by index, so the cost is that of a day at a place and not of all events.
SELECT DISTINCT e.id AS left_id, c.id AS right_id
FROM unnest(%(id)b::bigint[]) AS g (id)
JOIN events AS e ON e.id = g.id AND e.status <> 'gone'
CROSS JOIN LATERAL (
    SELECT o.id, o.source_id FROM events AS o
    WHERE o.event_date = e.event_date AND o.venue_key = e.venue_key AND e.venue_key <> '' AND o.status <> 'gone'
    UNION ALL
    SELECT o.id, o.source_id FROM events AS o
    WHERE o.event_date = e.event_date AND o.status <> 'gone' AND e.cell IS NOT NULL
      AND o.cell = ANY(ARRAY[e.cell, e.cell - 1, e.cell + 1, e.cell - 100000, e.cell + 100000, e.cell - 100001,
                             e.cell - 99999, e.cell + 99999, e.cell + 100001])
) AS c
WHERE c.source_id <> e.source_id
