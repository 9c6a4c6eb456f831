-- P-067: What was decided in quarantine says who decided and when.
SELECT q.id, format('resolved as %s by %s', q.resolution, coalesce(q.resolved_by, 'nobody')) AS problem
FROM quarantine q
WHERE (q.resolution IS NULL) <> (q.resolved_at IS NULL) OR (q.resolution IS NULL) <> (q.resolved_by IS NULL)
