-- Which offers these identities are, locked in one order (PN-12).
SELECT g.n, p.id
FROM unnest(%(n)b::integer[], %(source_id)b::bigint[], %(identity_type)b::text[], %(identity_value)b::text[])
     AS g (n, source_id, identity_type, identity_value)
JOIN source_products AS p
  ON p.source_id = g.source_id AND p.identity_type = g.identity_type AND p.identity_value = g.identity_value
ORDER BY p.id
FOR UPDATE OF p
