-- Events of other sources on the same day at a place that may be the same: the same name of a venue, a square of the map
-- around it, or, where one of the two is placed by its town only, a name that shares a word in the towns around. All by
-- index, so the cost is that of a day at a place and not of all events.
SELECT DISTINCT e.id AS left_id, c.id AS right_id
FROM unnest(%(id)b::bigint[]) AS g (id)
JOIN events AS e ON e.id = g.id AND e.status <> 'gone'
CROSS JOIN LATERAL (
    SELECT string_to_array(e.venue_key, ' ') AS words, replace(e.venue_key, ' ', '') AS joined,
           ARRAY[e.area, e.area - 1, e.area + 1, e.area - 2000, e.area + 2000, e.area - 2001, e.area - 1999,
                 e.area + 1999, e.area + 2001] AS areas,
           CASE WHEN e.event_time = 'TBD' THEN interval '26 hours' ELSE interval '30 minutes' END AS later
) AS w
CROSS JOIN LATERAL (
    SELECT o.id, o.source_id FROM events AS o
    WHERE o.event_date = e.event_date AND o.venue_key = e.venue_key AND e.venue_key <> '' AND o.status <> 'gone'
    UNION ALL
    SELECT o.id, o.source_id FROM events AS o
    WHERE o.event_date = e.event_date AND o.status <> 'gone' AND e.cell IS NOT NULL
      AND o.cell = ANY(ARRAY[e.cell, e.cell - 1, e.cell + 1, e.cell - 100000, e.cell + 100000, e.cell - 100001,
                             e.cell - 99999, e.cell + 99999, e.cell + 100001])
    UNION ALL
    SELECT o.id, o.source_id FROM events AS o
    WHERE o.event_date = e.event_date AND o.area = ANY(w.areas) AND o.cell IS NULL AND o.status <> 'gone'
      AND (string_to_array(o.venue_key, ' ') && w.words OR replace(o.venue_key, ' ', '') = w.joined)
    UNION ALL
    -- One without an hour begins at local midnight: up to a day before the other.
    SELECT o.id, o.source_id FROM events AS o
    WHERE e.cell IS NULL AND o.area = ANY(w.areas) AND o.cell IS NOT NULL AND o.status <> 'gone'
      AND o.starts_at BETWEEN e.starts_at - interval '26 hours' AND e.starts_at + w.later
      AND o.event_date = e.event_date
      AND (string_to_array(o.venue_key, ' ') && w.words OR replace(o.venue_key, ' ', '') = w.joined)
) AS c
WHERE c.source_id <> e.source_id
