-- Which offers these identities are, locked in one order (PN-12).
SELECT g.n, p.id
FROM unnest(%(n)b::integer[], %(source_id)b::bigint[], %(identity_key)b::text[]) AS g (n, source_id, identity_key)
JOIN source_products AS p ON p.source_id = g.source_id AND p.identity_key = g.identity_key
ORDER BY p.id
FOR UPDATE OF p
