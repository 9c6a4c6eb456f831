-- claim(n): the lanes that are ready now, in turn; then the best tasks of each, up to its free slots.
-- One statement, no waiting: a lane or task that another transaction has locked is skipped. The cost depends
-- on n, not on how much is queued: both scans stop after the rows they take.
WITH ready AS MATERIALIZED (
    SELECT l
    FROM lanes AS l
    WHERE l.queued > 0
      AND l.in_flight < l.max_concurrent
      AND NOT l.paused
      AND NOT EXISTS (SELECT FROM scheduler_state AS s WHERE s.id = 1 AND s.paused_at IS NOT NULL)  -- C-003: all of it
      AND l.turn_at <= statement_timestamp() + interval '5 seconds'  -- the most that rank adds (250 × 20 ms)
      AND l.slot_at <= statement_timestamp()
    ORDER BY l.turn_at
    LIMIT %(n)s
    FOR UPDATE SKIP LOCKED
),
room AS MATERIALIZED (
    SELECT (ready.l).lane AS lane, ready.l AS l, lane_room(ready.l, statement_timestamp()) AS free
    FROM ready
),
picked AS MATERIALIZED (
    SELECT room.lane, t.id, t.rank
    FROM room
    CROSS JOIN LATERAL (
        SELECT id, rank
        FROM tasks
        WHERE lane = room.lane AND status = 'queued' AND due_at IS NULL
        ORDER BY rank, id
        LIMIT least(room.free, %(n)s)
        FOR UPDATE SKIP LOCKED
    ) AS t
    LIMIT %(n)s
),
counted AS MATERIALIZED (
    SELECT lane, count(*)::integer AS n, max(rank)::integer AS rank FROM picked GROUP BY lane
),
after AS MATERIALIZED (
    SELECT room.lane, counted.n, lane_grant(room.l, coalesce(counted.n, 0), counted.rank, statement_timestamp()) AS l
    FROM room
    LEFT JOIN counted USING (lane)
    -- Lanes that gave tasks; lanes that may grant nothing after all (their slot is computed anew); and,
    -- when every lane was looked into, those whose counted work was locked.
    WHERE counted.n > 0 OR room.free <= 0 OR (SELECT count(*) FROM picked) < %(n)s
),
granted AS (
    UPDATE lanes
    SET queued = (after.l).queued,
        in_flight = (after.l).in_flight,
        best_rank = (after.l).best_rank,
        grant_at = (after.l).grant_at,
        grant_n = (after.l).grant_n,
        slot_at = CASE WHEN after.n > 0 THEN (after.l).slot_at
                       ELSE greatest((after.l).slot_at, statement_timestamp() + interval '50 milliseconds') END,
        turn_at = (after.l).turn_at,
        updated_at = statement_timestamp()
    FROM after
    WHERE lanes.lane = after.lane
),
taken AS (
    UPDATE tasks
    SET status = 'running',
        fence = nextval('task_fences'),
        lease_until = statement_timestamp() + make_interval(secs => %(lease)s),
        leased_by = %(worker)s,
        attempts = attempts + 1,
        started_at = coalesce(started_at, statement_timestamp())
    FROM picked
    WHERE tasks.id = picked.id
    RETURNING tasks.id, tasks.fence, tasks.producer, tasks.kind, tasks.lane, tasks.origin, tasks.url, tasks.stage,
              tasks.trigger, tasks.source_id, tasks.target_id, tasks.run_id, tasks.job_id, tasks.adapter_id,
              tasks.attempts, tasks.max_attempts, tasks.page_id, tasks.payload, tasks.route,
              tasks.outcome AS last_outcome, tasks.created_at AS queued_at, statement_timestamp() AS granted_at
)
SELECT * FROM taken
