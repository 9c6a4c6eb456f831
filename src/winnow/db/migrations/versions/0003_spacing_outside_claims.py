"""The spacing between two requests holds for those outside a claim as well."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE FUNCTION lane_pace(l lanes, moment timestamptz) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN make_interval(secs => l.spacing_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.1);
END $$
""")
    op.execute("""
CREATE OR REPLACE FUNCTION lane_room(l lanes, moment timestamptz) RETURNS integer
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
END $$
""")
    op.execute("""
CREATE OR REPLACE FUNCTION lane_timed(l lanes, moment timestamptz) RETURNS lanes
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
END $$
""")


def downgrade() -> None:
    op.execute("""
CREATE OR REPLACE FUNCTION lane_room(l lanes, moment timestamptz) RETURNS integer
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
    END IF;
    since := moment - lane_window(l, moment);
    FOR i IN 1 .. cardinality(l.grant_at) LOOP
        IF l.grant_at[i] > since THEN
            used := used + l.grant_n[i];
        END IF;
    END LOOP;
    RETURN greatest(0, least(room, l.tokens - used));
END $$
""")
    op.execute("""
CREATE OR REPLACE FUNCTION lane_timed(l lanes, moment timestamptz) RETURNS lanes
LANGUAGE plpgsql STABLE AS $$
DECLARE
    span interval := lane_window(l, moment);
    pace interval;
    used integer := 0;
    slot timestamptz := '-infinity';
BEGIN
    IF left(l.lane, 1) <> '@' THEN
        pace := make_interval(
            secs => l.spacing_seconds * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + 0.1);
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
END $$
""")
    op.execute("DROP FUNCTION lane_pace(lanes, timestamptz)")
