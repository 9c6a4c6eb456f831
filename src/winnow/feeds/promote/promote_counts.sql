-- F-084: what is active at t0, and what of it this run saw. After load_close.sql an offer is in step with its feed
-- exactly when the run saw it.
SELECT count(*) FILTER (WHERE last_seen_success_at >= %(t0)s - make_interval(hours => %(expiry_hours)s)) AS active,
       count(*) FILTER (WHERE in_step AND last_seen_success_at >= %(t0)s - make_interval(hours => %(expiry_hours)s))
           AS seen
FROM offer_presence
WHERE source_id = %(source_id)s
