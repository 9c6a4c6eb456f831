-- R-01: A running task has a lease and a fence, and one that is over has none.
SELECT t.id, format('%s with lease %s and fence %s', t.status, t.lease_until, t.fence) AS problem
FROM tasks t
WHERE (t.status = 'running') <> (t.lease_until IS NOT NULL)
