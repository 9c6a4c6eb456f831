-- The events that merges join with each of these, directly or by others; the shown one of each group first.
WITH RECURSIVE joined AS (
    SELECT id AS seed, id FROM unnest(%(ids)s::bigint[]) AS g (id)
    UNION
    SELECT joined.seed, o.id
    FROM joined
    CROSS JOIN LATERAL (
        SELECT m.merged_id AS id FROM event_merges AS m WHERE m.kept_id = joined.id AND m.undone_at IS NULL
        UNION ALL
        SELECT m.kept_id FROM event_merges AS m WHERE m.merged_id = joined.id AND m.undone_at IS NULL
    ) AS o
)
SELECT joined.seed, e.id, e.source_id, e.merged_into, e.event_time
FROM joined JOIN events AS e ON e.id = joined.id
ORDER BY joined.seed, e.merged_into IS NOT NULL, e.id
