-- The events of the same source with the same title on the same day (E-069), the oldest first.
SELECT g.n, e.*
FROM unnest(%(n)b::bigint[], %(source_id)b::bigint[], %(fingerprint)b::text[]) AS g (n, source_id, fingerprint)
JOIN events AS e ON e.source_id = g.source_id AND e.event_fingerprint = g.fingerprint::char(64)
ORDER BY e.id
FOR UPDATE OF e
