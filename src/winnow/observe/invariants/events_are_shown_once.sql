-- E-115: An event that is shown as another one points at one that is shown itself.
SELECT e.id, format('is shown as %s, which is shown as %s', e.merged_into, o.merged_into) AS problem
FROM events e
JOIN events o ON o.id = e.merged_into
WHERE o.merged_into IS NOT NULL OR o.id = e.id
