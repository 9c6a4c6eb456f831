-- Which event each of these is shown as: the one at the end of the merges that stand. Events that neither were nor are
-- merged keep their rows untouched.
WITH RECURSIVE up AS (
    SELECT id AS event_id, id AS at FROM unnest(%(ids)s::bigint[]) AS g (id)
    UNION
    SELECT up.event_id, m.kept_id
    FROM up JOIN event_merges AS m ON m.merged_id = up.at AND m.undone_at IS NULL
),
root AS (
    SELECT up.event_id, up.at FROM up
    WHERE NOT EXISTS (SELECT FROM event_merges AS m WHERE m.merged_id = up.at AND m.undone_at IS NULL)
)
UPDATE events AS e SET merged_into = nullif(root.at, e.id)
FROM root
WHERE e.id = root.event_id AND e.merged_into IS DISTINCT FROM nullif(root.at, e.id)
