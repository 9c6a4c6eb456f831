-- Events seen for the first time. One that another transaction wrote meanwhile is left alone (E-072, E-075).
INSERT INTO events (
    source_id, source_key, occurrence, record_key, event_fingerprint, digest, target_id, page_id, task_id, title,
    description, event_date, event_time, starts_at, ends_at, end_date, time_zone, doors, timing, recurrence,
    structured_date, category, event_status, sold_out, organiser, performers, price_low_minor, price_high_minor,
    currency, image_url, url, ticket_url, uid, language, confidence, normalization_method, provenance, venue_id,
    venue_name, venue_key, town_key, structured_location, latitude, longitude, precision, location_flagged, online,
    cell, area, last_seen_run_id, search_text, match_requested_at
)
SELECT
    source_id, source_key, occurrence, record_key, event_fingerprint, digest, target_id, page_id, task_id, title,
    description, event_date, event_time, starts_at, ends_at, end_date, time_zone, doors, timing, recurrence,
    structured_date, category, event_status, sold_out, organiser, performers, price_low_minor, price_high_minor,
    currency, image_url, url, ticket_url, uid, language, confidence, normalization_method, provenance, venue_id,
    venue_name, venue_key, town_key, structured_location, latitude, longitude, precision, location_flagged, online,
    cell, area, last_seen_run_id, search_text, now()
FROM jsonb_populate_recordset(NULL::events, %(rows)s)
ON CONFLICT (source_id, source_key, occurrence) DO NOTHING
RETURNING id, source_id, source_key, occurrence
