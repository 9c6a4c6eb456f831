-- E-113: Every event consumers read has a title, a day, a place, a category and coordinates.
SELECT e.id, 'lacks a title, a day, a place, a category or coordinates' AS problem
FROM shown_events e
WHERE btrim(e.title) = '' OR e.event_date IS NULL OR btrim(e.venue_name) = '' OR e.category IS NULL
    OR e.latitude IS NULL OR e.longitude IS NULL
