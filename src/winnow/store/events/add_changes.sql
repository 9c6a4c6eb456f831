INSERT INTO event_changes (event_id, task_id, changes, cause)
SELECT * FROM unnest(%(event_id)b::bigint[], %(task_id)b::uuid[], %(changes)b::jsonb[], %(cause)b::text[])
