-- C-001: A task is in the queue or in the archive, never in both.
SELECT t.id, 'is in the queue and in the archive' AS problem
FROM tasks t
WHERE EXISTS (SELECT FROM task_archive a WHERE a.id = t.id)
