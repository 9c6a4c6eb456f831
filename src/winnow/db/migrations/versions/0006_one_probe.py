"""Circuits: a request outside a claim can be the probe of a half-open domain, and is the only one then."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE OR REPLACE FUNCTION lane_take(name text, n integer, holding boolean, OUT granted integer, OUT wait double precision)
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
END $$
""")
    # The lane lets one probe through at a time; its time says which answer is the probe's.
    op.execute("ALTER TABLE domain_circuits DROP COLUMN probe_task")


def downgrade() -> None:
    op.execute("ALTER TABLE domain_circuits ADD COLUMN probe_task uuid")
    op.execute("""
CREATE OR REPLACE FUNCTION lane_take(name text, n integer, holding boolean, OUT granted integer, OUT wait double precision)
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
