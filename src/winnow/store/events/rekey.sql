-- Events that their page lists under another key now: moved to another day, or renamed.
UPDATE events AS e
SET source_key = g.source_key, occurrence = g.occurrence, record_key = g.source_key || '@' || g.occurrence
FROM unnest(%(id)b::bigint[], %(source_key)b::text[], %(occurrence)b::text[]) AS g (id, source_key, occurrence)
WHERE e.id = g.id
