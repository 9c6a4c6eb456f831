-- What a new reading says of known events (E-070). `sought`: other sources' events are to be compared with it anew.
UPDATE events AS e
SET event_fingerprint = g.event_fingerprint, digest = g.digest, target_id = g.target_id, page_id = g.page_id,
    task_id = g.task_id, title = g.title, description = g.description, event_date = g.event_date,
    event_time = g.event_time, starts_at = g.starts_at, ends_at = g.ends_at, end_date = g.end_date,
    time_zone = g.time_zone, doors = g.doors, timing = g.timing, recurrence = g.recurrence,
    structured_date = g.structured_date, category = g.category, event_status = g.event_status,
    sold_out = g.sold_out, organiser = g.organiser, performers = g.performers, price_low_minor = g.price_low_minor,
    price_high_minor = g.price_high_minor, currency = g.currency, image_url = g.image_url, url = g.url,
    ticket_url = g.ticket_url, uid = g.uid, language = g.language, confidence = g.confidence,
    normalization_method = g.normalization_method, provenance = g.provenance, venue_id = g.venue_id,
    venue_name = g.venue_name, venue_key = g.venue_key, town_key = g.town_key,
    structured_location = g.structured_location, latitude = g.latitude, longitude = g.longitude,
    precision = g.precision, location_flagged = g.location_flagged, online = g.online, cell = g.cell,
    area = g.area, search_text = g.search_text,
    sequence = g.sequence, updated_at = CASE WHEN g.sequence > e.sequence THEN now() ELSE e.updated_at END,
    match_requested_at = CASE WHEN s.sought THEN now() ELSE e.match_requested_at END
FROM jsonb_populate_recordset(NULL::events, %(rows)s) AS g,
     jsonb_to_recordset(%(rows)s) AS s (id bigint, sought boolean)
WHERE e.id = g.id AND s.id = g.id
