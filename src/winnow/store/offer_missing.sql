-- Which of these identities no offer has yet. Looked up one by one: as a NOT EXISTS it may be planned as a pass over all
-- offers there are.
SELECT g.n
FROM unnest(%(n)b::integer[], %(source_id)b::bigint[], %(identity_key)b::text[]) AS g (n, source_id, identity_key)
LEFT JOIN LATERAL (
    SELECT p.id FROM source_products AS p
    WHERE p.source_id = g.source_id AND p.identity_key = g.identity_key
    LIMIT 1
) AS there ON true
WHERE there.id IS NULL
