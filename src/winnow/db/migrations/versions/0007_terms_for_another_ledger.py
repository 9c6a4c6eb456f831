"""What a ledger that keeps the log of grants itself has to know about a lane (Redis)."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
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
END $$
""")


def downgrade() -> None:
    op.execute("DROP FUNCTION lane_terms(text, integer, boolean)")
