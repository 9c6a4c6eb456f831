-- What is to be sent now, leased to the caller. Receivers are walked through one by one (a jump in the index each), so
-- that one with a long queue, or one that hangs, does not stand in the way of the others. The messages about one thing
-- reach a receiver in their order: a later one waits until the earlier one is through or dead.
WITH RECURSIVE receivers AS (
    (SELECT receiver FROM deliveries WHERE status = 'pending' ORDER BY receiver LIMIT 1)
    UNION ALL
    SELECT (
        SELECT d.receiver FROM deliveries AS d
        WHERE d.status = 'pending' AND d.receiver > r.receiver
        ORDER BY d.receiver LIMIT 1
    )
    FROM receivers AS r WHERE r.receiver IS NOT NULL
), room AS MATERIALIZED (
    SELECT r.receiver, greatest(0, %(each)s - (
        SELECT count(*) FROM deliveries AS s WHERE s.status = 'sending' AND s.receiver = r.receiver
    )) AS n
    FROM receivers AS r WHERE r.receiver IS NOT NULL
), due AS MATERIALIZED (
    SELECT d.id
    FROM room
    CROSS JOIN LATERAL (
        SELECT d.id FROM deliveries AS d
        WHERE d.status = 'pending' AND d.receiver = room.receiver AND d.next_attempt_at <= now()
            AND NOT EXISTS (
                SELECT FROM deliveries AS earlier
                WHERE earlier.receiver = d.receiver AND earlier.key = d.key AND earlier.id < d.id
                    AND earlier.status IN ('pending', 'sending')
            )
        ORDER BY d.next_attempt_at, d.id
        LIMIT room.n
        FOR UPDATE SKIP LOCKED
    ) AS d
    LIMIT %(n)s
)
UPDATE deliveries AS d
SET status = 'sending', fence = d.fence + 1, lease_until = now() + make_interval(secs => %(lease)s)
FROM due
WHERE d.id = due.id
RETURNING d.id, d.message_id, d.endpoint_id, d.channel, d.url, d.topic, d.payload, d.attempts, d.fence
