-- Events of days to come that stand at their source's coordinates and name no venue, from `after` on.
SELECT e.id AS event_id, e.venue_name AS name, e.structured_location ->> 'street' AS street,
       e.structured_location ->> 'postal_code' AS postal_code, e.structured_location ->> 'city' AS town,
       e.structured_location ->> 'country_code' AS country, s.timezone,
       s.default_latitude AS latitude, s.default_longitude AS longitude
FROM events AS e JOIN sources AS s ON s.id = e.source_id
WHERE e.id > %(after)s AND e.location_flagged AND e.venue_id IS NULL AND e.starts_at > now() AND e.status <> 'gone'
  AND e.structured_location <> '{}'
ORDER BY e.id
LIMIT %(n)s
