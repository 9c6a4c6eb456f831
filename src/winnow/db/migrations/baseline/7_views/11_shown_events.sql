-- The events consumers read, each once: one row of those that were found to be the same (E-113 … E-115). Every one has
-- a title, a day, the name of its place, a category, and coordinates of its town at least; what lacks one of them is not
-- shown before it is complete. An event that its own source no longer lists is shown as long as another one lists it.
CREATE VIEW shown_events AS
SELECT
    e.id, e.source_id, s.name AS source_name, e.title, e.description, e.event_date, e.event_time, e.starts_at, e.ends_at,
    e.over_at, e.end_date, e.time_zone, e.doors, e.timing, e.recurrence, e.structured_date, e.category, e.event_type,
    e.event_status, e.sold_out, e.venue_id, coalesce(v.name, e.venue_name) AS venue_name, e.town_key,
    e.structured_location, e.latitude, e.longitude, e.precision, e.location_flagged, e.online, e.area, e.organiser,
    e.performers, e.price_low_minor, e.price_high_minor, e.currency, e.image_url, e.url, e.ticket_url, e.uid,
    e.language, e.confidence, e.normalization_method, e.provenance, e.sequence, e.first_seen_at, e.last_seen_at,
    e.missing_since, e.search_text, e.created_at, e.updated_at
FROM events e
JOIN sources s ON s.id = e.source_id
LEFT JOIN venues v ON v.id = e.venue_id
WHERE e.merged_into IS NULL AND e.status = 'published' AND e.latitude IS NOT NULL AND btrim(e.venue_name) <> '';
