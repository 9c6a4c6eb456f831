"""Grants outside a claim are taken together: one look at the lane for many tasks."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP FUNCTION lane_take(text, boolean)")
    op.execute("""
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
    ELSE
        l := lane_timed(l, moment);
    END IF;
    wait := CASE WHEN granted = n THEN 0 ELSE greatest(0.05, extract(epoch FROM l.slot_at - moment)) END;
END $$
""")


def downgrade() -> None:
    op.execute("DROP FUNCTION lane_take(text, integer, boolean)")
    op.execute("""
CREATE FUNCTION lane_take(name text, holding boolean) RETURNS double precision
LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    l lanes;
BEGIN
    INSERT INTO lanes (lane) VALUES (name) ON CONFLICT (lane) DO NOTHING;
    SELECT * INTO l FROM lanes WHERE lane = name FOR UPDATE;
    moment := greatest(moment, clock_timestamp());
    IF l.paused THEN
        RETURN 60;
    END IF;
    l.queued := l.queued + 1;
    l.in_flight := greatest(0, l.in_flight - holding::integer);
    IF lane_room(l, moment) < 1 THEN
        l := lane_timed(l, moment);
        RETURN greatest(0.05, extract(epoch FROM l.slot_at - moment));
    END IF;
    l := lane_grant(l, 1, NULL, moment);
    UPDATE lanes SET grant_at = l.grant_at, grant_n = l.grant_n, slot_at = l.slot_at, turn_at = l.turn_at
    WHERE lane = name;
    RETURN 0;
END $$
""")
