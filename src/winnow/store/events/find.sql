-- The events of these keys, locked in one order (PN-12).
SELECT g.n, e.*
FROM unnest(%(n)b::bigint[], %(source_id)b::bigint[], %(source_key)b::text[], %(occurrence)b::text[])
     AS g (n, source_id, source_key, occurrence)
JOIN events AS e ON e.source_id = g.source_id AND e.source_key = g.source_key AND e.occurrence = g.occurrence
ORDER BY e.id
FOR UPDATE OF e
