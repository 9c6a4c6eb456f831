-- promote_counts.sql without a look at every offer: those without a row of presence are in step, and were counted by the
-- run that brought them (load_before.sql).
WITH known AS (
    SELECT v.in_step, v.last_seen_success_at, 1 AS n
    FROM source_product_presence AS s
    JOIN offer_presence AS v ON v.source_product_id = s.source_product_id
    WHERE v.source_id = %(source_id)s
    UNION ALL
    SELECT true, f.promoted_at, plain.n
    FROM unnest(%(runs)s::bigint[], %(plain)s::bigint[]) AS plain (run_id, n)
    JOIN affiliate_feeds AS f ON f.source_id = %(source_id)s AND f.promoted_run_id >= plain.run_id
)
SELECT coalesce(sum(n), 0) AS active, coalesce(sum(n) FILTER (WHERE in_step), 0) AS seen
FROM known
WHERE last_seen_success_at >= %(t0)s - make_interval(hours => %(expiry_hours)s)
