-- Tasks join their lanes. A target that is queued or running already is left alone: its id does not
-- come back, so that the caller knows nothing was added.
WITH given AS (
    SELECT *
    FROM unnest(
        %(id)b::uuid[], %(producer)b::text[], %(kind)b::text[], %(lane)b::text[], %(origin)b::text[], %(url)b::text[],
        %(rank)b::smallint[], %(trigger)b::text[], %(source_id)b::bigint[], %(target_id)b::bigint[],
        %(run_id)b::bigint[], %(job_id)b::uuid[], %(adapter_id)b::text[], %(wait)b::float8[],
        %(max_attempts)b::smallint[], %(payload)b::jsonb[]
    ) AS t (id, producer, kind, lane, origin, url, rank, trigger, source_id, target_id, run_id, job_id, adapter_id,
            wait, max_attempts, payload)
),
added AS (
    INSERT INTO tasks (id, producer, kind, lane, origin, url, rank, trigger, source_id, target_id, run_id, job_id,
                       adapter_id, due_at, max_attempts, payload)
    SELECT id, producer, kind, lane, origin, url, rank, trigger, source_id, target_id, run_id, job_id, adapter_id,
           statement_timestamp() + make_interval(secs => wait), max_attempts, payload
    FROM given
    ON CONFLICT (target_id) WHERE target_id IS NOT NULL AND status IN ('queued', 'running') DO NOTHING
    RETURNING id, lane, rank, due_at
),
joined AS (
    SELECT lane_change(lane, n, 0, rank)
    FROM (
        SELECT lane, count(*) FILTER (WHERE due_at IS NULL)::integer AS n, min(rank)::integer AS rank
        FROM added GROUP BY lane ORDER BY lane
    ) AS per_lane
)
SELECT added.id FROM added, (SELECT count(*) FROM joined) AS done
