-- The offers targets name themselves, locked in one order (PN-12).
SELECT p.id FROM source_products AS p WHERE p.id = ANY(%(id)b::bigint[]) ORDER BY p.id FOR UPDATE OF p
