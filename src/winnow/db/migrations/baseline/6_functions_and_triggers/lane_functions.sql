-- The arithmetic of the politeness ledger. A lane row goes in, a number or the changed row comes out;
-- the statements of schedule/ decide when to call which.

-- How far back the sliding log looks: the rule's interval, doubled while slowed (429, S-059), plus
-- 100 ms, because a grant may be used up to 100 ms after it was given (DESIGN §11.11), plus 50 ms for
-- the way to the server, which may be shorter for a later request. With that slack no window of
-- the interval, as the site sees it, ever holds more than `tokens` requests.
CREATE FUNCTION lane_window(l lanes, moment timestamptz) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN make_interval(secs => l.interval_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.15);
END $$;

-- The least time between two grants, with the same slack.
CREATE FUNCTION lane_pace(l lanes, moment timestamptz) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN make_interval(secs => l.spacing_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.15);
END $$;

-- The first moment at or after `moment` inside the allowed hours (UTC; start = end means all day).
CREATE FUNCTION lane_opening(l lanes, moment timestamptz) RETURNS timestamptz
LANGUAGE plpgsql STABLE AS $$
DECLARE
    utc timestamp := moment AT TIME ZONE 'UTC';
    hour integer := extract(hour FROM utc);
    opening timestamp;
BEGIN
    IF l.hours_start IS NULL OR l.hours_start = l.hours_end THEN
        RETURN moment;
    END IF;
    IF (l.hours_start < l.hours_end AND hour >= l.hours_start AND hour < l.hours_end)
        OR (l.hours_start > l.hours_end AND (hour >= l.hours_start OR hour < l.hours_end)) THEN
        RETURN moment;
    END IF;
    opening := date_trunc('day', utc) + make_interval(hours => l.hours_start);
    IF opening <= utc THEN
        opening := opening + interval '1 day';
    END IF;
    RETURN opening AT TIME ZONE 'UTC';
END $$;

-- How many requests may be granted at `moment`. Lanes named @… make no requests and have no limit.
CREATE FUNCTION lane_room(l lanes, moment timestamptz) RETURNS integer
LANGUAGE plpgsql STABLE AS $$
DECLARE
    since timestamptz;
    room integer := least(l.queued, l.max_concurrent - l.in_flight);
    used integer := 0;
BEGIN
    IF left(l.lane, 1) = '@' THEN
        RETURN room;
    END IF;
    IF l.half_open THEN
        room := least(room, 1 - l.in_flight);
    END IF;
    IF l.held_until > moment OR lane_opening(l, moment) > moment THEN
        RETURN 0;
    END IF;
    IF l.spacing_seconds > 0 THEN
        room := least(room, 1);
        IF cardinality(l.grant_at) > 0 AND l.grant_at[cardinality(l.grant_at)] + lane_pace(l, moment) > moment THEN
            RETURN 0;
        END IF;
    END IF;
    since := moment - lane_window(l, moment);
    FOR i IN 1 .. cardinality(l.grant_at) LOOP
        IF l.grant_at[i] > since THEN
            used := used + l.grant_n[i];
        END IF;
    END LOOP;
    RETURN greatest(0, least(room, l.tokens - used));
END $$;

-- Sets slot_at and turn_at from the log, the hold and the hours. `turn_at` adds 20 ms per rank: the
-- order lanes are served in, so rank weighs at most a few seconds of waiting and ages by itself.
CREATE FUNCTION lane_timed(l lanes, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    span interval := lane_window(l, moment);
    pace interval;
    used integer := 0;
    slot timestamptz := '-infinity';
BEGIN
    IF left(l.lane, 1) <> '@' THEN
        pace := lane_pace(l, moment);
        FOR i IN REVERSE cardinality(l.grant_at) .. 1 LOOP
            EXIT WHEN l.grant_at[i] <= moment - span;
            used := used + l.grant_n[i];
            IF l.spacing_seconds > 0 THEN
                slot := greatest(slot, l.grant_at[i] + pace);
            END IF;
            IF used >= l.tokens THEN
                slot := greatest(slot, l.grant_at[i] + span);
                EXIT;
            END IF;
        END LOOP;
        -- The pace can reach further back than the window: the newest grant always counts for it.
        IF l.spacing_seconds > 0 AND cardinality(l.grant_at) > 0 THEN
            slot := greatest(slot, l.grant_at[cardinality(l.grant_at)] + pace);
        END IF;
        slot := greatest(slot, l.held_until);
        slot := CASE WHEN lane_opening(l, greatest(slot, moment)) > greatest(slot, moment)
                     THEN lane_opening(l, greatest(slot, moment)) ELSE slot END;
    END IF;
    l.slot_at := slot;
    l.turn_at := greatest(slot, moment) + l.best_rank * interval '20 milliseconds';
    l.updated_at := moment;
    RETURN l;
END $$;

-- Takes `n` grants at `moment`: counts them in flight and writes them to the log. Rates above 32 per
-- window are logged in 32 steps, each rounded up to its end, so that the row stays small; rounding
-- up only ever grants later, never more.
CREATE FUNCTION lane_grant(l lanes, n integer, rank integer, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    span double precision := extract(epoch FROM lane_window(l, moment));
    stamp timestamptz := moment;
    kept_at timestamptz[] := '{}';
    kept_n integer[] := '{}';
    last integer;
BEGIN
    l.in_flight := l.in_flight + n;
    l.queued := greatest(0, l.queued - n);
    l.best_rank := coalesce(rank, l.best_rank);
    IF left(l.lane, 1) <> '@' THEN
        IF l.tokens > 32 THEN
            stamp := to_timestamp(ceil(extract(epoch FROM moment) / (span / 32)) * (span / 32));
        END IF;
        FOR i IN 1 .. cardinality(l.grant_at) LOOP
            -- Twice the window is kept, so that a halved rate still sees what was granted before.
            IF l.grant_at[i] > moment - make_interval(secs => 2 * span) THEN
                kept_at := kept_at || l.grant_at[i];
                kept_n := kept_n || l.grant_n[i];
            END IF;
        END LOOP;
        IF n > 0 THEN
            last := cardinality(kept_at);
            IF last > 0 AND kept_at[last] >= stamp THEN
                kept_n[last] := kept_n[last] + n;
            ELSE
                kept_at := kept_at || stamp;
                kept_n := kept_n || n;
            END IF;
        ELSIF cardinality(kept_at) = 0 AND cardinality(l.grant_at) > 0 AND l.spacing_seconds > 0 THEN
            kept_at := l.grant_at[cardinality(l.grant_at):];
            kept_n := l.grant_n[cardinality(l.grant_n):];
        END IF;
        l.grant_at := kept_at;
        l.grant_n := kept_n;
    END IF;
    RETURN lane_timed(l, moment);
END $$;

-- Grants that were never used go back, given as the moments they were granted: each from exactly the entry it was
-- written to, so that later grants keep counting. One that has left the window counts no more; looking for it in
-- the log could only find somebody else's. An entry that is not found stays forgotten: stricter, never looser.
CREATE FUNCTION lane_return(l lanes, unused timestamptz[], moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    since timestamptz := moment - lane_window(l, moment);
    granted_at timestamptz;
BEGIN
    FOREACH granted_at IN ARRAY unused LOOP
        CONTINUE WHEN granted_at <= since;
        FOR i IN 1 .. cardinality(l.grant_at) LOOP
            IF l.grant_at[i] >= granted_at THEN
                IF l.grant_n[i] > 1 THEN
                    l.grant_n[i] := l.grant_n[i] - 1;
                ELSE
                    l.grant_at := l.grant_at[: i - 1] || l.grant_at[i + 1 :];
                    l.grant_n := l.grant_n[: i - 1] || l.grant_n[i + 1 :];
                END IF;
                EXIT;
            END IF;
        END LOOP;
    END LOOP;
    RETURN lane_timed(l, moment);
END $$;

-- The one way counts change outside a claim: work joins or leaves a lane, slots come free. Call it
-- in lane order, so that two transactions never wait for each other.
CREATE FUNCTION lane_change(name text, queued_by integer, in_flight_by integer, rank integer) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    joining timestamptz := statement_timestamp() + rank * interval '20 milliseconds';
BEGIN
    INSERT INTO lanes AS l (lane, queued, in_flight, best_rank, turn_at, max_concurrent)
    VALUES (name, greatest(0, queued_by), greatest(0, in_flight_by), rank, joining,
            CASE WHEN left(name, 1) = '@' THEN 1000000 ELSE 1 END)
    ON CONFLICT (lane) DO UPDATE SET
        queued = greatest(0, l.queued + queued_by),
        in_flight = greatest(0, l.in_flight + in_flight_by),
        best_rank = CASE WHEN queued_by <= 0 THEN l.best_rank
                         WHEN l.queued = 0 THEN excluded.best_rank
                         ELSE least(l.best_rank, excluded.best_rank) END,
        turn_at = CASE WHEN queued_by <= 0 THEN l.turn_at
                       WHEN l.queued = 0 THEN greatest(l.slot_at, statement_timestamp()) + rank * interval '20 milliseconds'
                       ELSE least(l.turn_at, greatest(l.slot_at, statement_timestamp()) + rank * interval '20 milliseconds')
                  END;
END $$;

-- Requests outside a claim (a redirect to another domain, its robots.txt): how many of
-- `n` are granted and logged, and, when not all, the seconds until it is worth asking again. They need
-- slots of the rate; they do not hold any in flight. `holding`: each asker has a task of this lane in
-- flight, and that slot covers its request. A request into a half-open domain is its probe: it holds the
-- lane for a minute, twice as long as any answer takes, so that nobody else sends a second one.
CREATE FUNCTION lane_take(name text, n integer, holding boolean, OUT granted integer, OUT wait double precision)
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz;
    l lanes;
BEGIN
    INSERT INTO lanes (lane) VALUES (name) ON CONFLICT (lane) DO NOTHING;
    SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
    moment := clock_timestamp();
    granted := 0;
    wait := 60;
    IF l.paused THEN
        RETURN;
    END IF;
    l.queued := l.queued + n;
    IF holding THEN
        l.in_flight := greatest(0, l.in_flight - n);
    END IF;
    granted := least(n, lane_room(l, moment));
    IF granted > 0 THEN
        l := lane_grant(l, granted, NULL, moment);
        UPDATE lanes SET grant_at = l.grant_at, grant_n = l.grant_n, slot_at = l.slot_at, turn_at = l.turn_at
        WHERE lane = name;
        IF l.half_open AND NOT holding THEN
            UPDATE lanes SET held_until = moment + interval '1 minute' WHERE lane = name;
        END IF;
    ELSE
        l := lane_timed(l, moment);
    END IF;
    wait := CASE WHEN granted = n THEN 0
                 ELSE greatest(0.05, extract(epoch FROM greatest(l.slot_at, moment) - moment)) END;
END $$;

-- Grants in hand that were not used in time for as many as `n` of this moment, in one statement: taken beside the
-- old ones, a new grant would be refused because of them, for ever at a pace of one every few seconds. The old ones
-- are gone whether or not there is room. Each asker has a task of this lane in flight, whose slot covers its request.
CREATE FUNCTION lane_exchange(name text, unused timestamptz[], n integer, OUT granted integer,
                              OUT wait double precision, OUT granted_at timestamptz)
LANGUAGE plpgsql AS $$
DECLARE
    l lanes;
BEGIN
    SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
    granted_at := clock_timestamp();
    IF FOUND AND cardinality(unused) > 0 THEN
        l := lane_return(l, unused, granted_at);
        UPDATE lanes SET grant_at = l.grant_at, grant_n = l.grant_n, slot_at = l.slot_at, turn_at = l.turn_at
        WHERE lane = name;
    END IF;
    SELECT taken.granted, taken.wait INTO granted, wait FROM lane_take(name, n, true) AS taken;
END $$;

-- What lane_take asks, for a ledger that keeps the log of grants itself (Redis): how many of `n` all rules but the log
-- allow, and what the log has to hold; with no room, the seconds until it is worth asking again.
CREATE FUNCTION lane_terms(name text, n integer, holding boolean, OUT room integer, OUT wait double precision,
                           OUT tokens integer, OUT span double precision, OUT pace double precision)
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    l lanes;
BEGIN
    INSERT INTO lanes (lane) VALUES (name) ON CONFLICT (lane) DO NOTHING;
    SELECT * INTO l FROM lanes WHERE lane = name;
    IF l.half_open AND NOT holding THEN
        SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
        moment := clock_timestamp();
    END IF;
    room := 0;
    wait := 60;
    tokens := l.tokens;
    span := extract(epoch FROM lane_window(l, moment));
    pace := CASE WHEN l.spacing_seconds > 0 THEN extract(epoch FROM lane_pace(l, moment)) ELSE 0 END;
    IF l.paused THEN
        RETURN;
    END IF;
    l.grant_at := '{}';
    l.grant_n := '{}';
    l.queued := l.queued + n;
    IF holding THEN
        l.in_flight := greatest(0, l.in_flight - n);
    END IF;
    room := least(n, lane_room(l, moment));
    IF room > 0 AND l.half_open AND NOT holding THEN
        UPDATE lanes SET held_until = moment + interval '1 minute' WHERE lane = name;
    END IF;
    l := lane_timed(l, moment);
    wait := CASE WHEN room = n THEN 0
                 ELSE greatest(0.05, extract(epoch FROM greatest(l.slot_at, moment) - moment)) END;
END $$;

-- New limits, a slow-down, a hold or a pause: whatever changes, the next slot is computed anew.
CREATE FUNCTION lane_retime() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    l lanes;
BEGIN
    l := lane_timed(NEW, statement_timestamp());
    NEW.slot_at := l.slot_at;
    NEW.turn_at := l.turn_at;
    RETURN NEW;
END $$;

CREATE TRIGGER lanes_retime
BEFORE UPDATE OF tokens, interval_seconds, spacing_seconds, max_concurrent, hours_start, hours_end,
                 slowed_until, held_until, half_open, paused
ON lanes FOR EACH ROW EXECUTE FUNCTION lane_retime();
