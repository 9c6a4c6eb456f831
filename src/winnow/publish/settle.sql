-- The end of one attempt. Whoever holds an older fence changes nothing: the delivery has been taken over.
UPDATE deliveries
SET status = %(status)s,
    attempts = attempts + 1,
    lease_until = NULL,
    next_attempt_at = now() + make_interval(secs => %(wait)s),
    delivered_at = CASE WHEN %(status)s = 'delivered' THEN now() END,
    last_status_code = %(status_code)s,
    last_error = %(error)s,
    last_duration_ms = %(duration_ms)s
WHERE id = %(id)s AND fence = %(fence)s AND status = 'sending'
