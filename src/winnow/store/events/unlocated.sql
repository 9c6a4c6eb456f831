-- Venues nobody has placed, with what their newest event's source knows: those of days to come first asked, in the order of
-- their numbers from `after` on. Events that name no venue are grouped by the text of their place.
SELECT v.id AS venue_id, v.name, v.street, v.postal_code, v.town, v.country, s.timezone,
       s.default_latitude AS latitude, s.default_longitude AS longitude
FROM venues AS v
CROSS JOIN LATERAL (
    SELECT e.source_id FROM events AS e WHERE e.venue_id = v.id AND e.starts_at > now() ORDER BY e.starts_at LIMIT 1
) AS e
JOIN sources AS s ON s.id = e.source_id
WHERE v.id > %(after)s AND v.latitude IS NULL AND v.merged_into IS NULL
ORDER BY v.id
LIMIT %(n)s
