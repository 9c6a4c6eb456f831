-- R-02: A message leaves within an hour of the change that wrote it.
SELECT o.id, format('%s waits since %s', o.topic, o.created_at) AS problem
FROM outbox o
WHERE o.published_at IS NULL AND o.created_at < now() - interval '1 hour'
