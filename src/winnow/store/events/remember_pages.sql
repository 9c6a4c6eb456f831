-- The last reading of pages. A held one, or an empty one, leaves what the next is compared with.
INSERT INTO event_pages AS p (source_id, page_hash, url, target_id, run_id, read_at, events, event_ids, records_cut, held)
SELECT source_id, page_hash, url, target_id, run_id, now(), events, event_ids, records_cut, held
FROM jsonb_populate_recordset(NULL::event_pages, %(rows)s)
ON CONFLICT (source_id, page_hash) DO UPDATE
SET url = excluded.url, target_id = coalesce(excluded.target_id, p.target_id), run_id = excluded.run_id, read_at = now(),
    events = CASE WHEN excluded.held THEN p.events ELSE excluded.events END,
    event_ids = CASE WHEN excluded.held OR excluded.event_ids = '{}' THEN p.event_ids ELSE excluded.event_ids END,
    records_cut = excluded.records_cut, held = excluded.held
