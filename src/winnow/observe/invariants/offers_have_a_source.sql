-- C-070: Every offer belongs to a source (no foreign key: it would cost 17 µs a row of a feed).
SELECT o.id, format('source %s does not exist', o.source_id) AS problem
FROM source_products o
WHERE NOT EXISTS (SELECT FROM sources s WHERE s.id = o.source_id)
