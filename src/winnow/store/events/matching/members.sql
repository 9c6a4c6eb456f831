-- The events that merges join with this one, directly or by others; the shown one first.
WITH RECURSIVE joined AS (
    SELECT %(id)s::bigint AS id
    UNION
    SELECT CASE WHEN m.kept_id = joined.id THEN m.merged_id ELSE m.kept_id END
    FROM joined
    JOIN event_merges AS m ON (m.kept_id = joined.id OR m.merged_id = joined.id) AND m.undone_at IS NULL
)
SELECT e.id, e.source_id, e.merged_into, e.event_time
FROM joined JOIN events AS e ON e.id = joined.id
ORDER BY e.merged_into IS NOT NULL, e.id
