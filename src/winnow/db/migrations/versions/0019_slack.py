"""The sliding log looks 50 ms further back: for the way of a request to the server, which the next one's may be shorter."""

from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

FUNCTION = """
CREATE OR REPLACE FUNCTION {name}(l lanes, moment timestamptz) RETURNS interval
LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN make_interval(secs => l.{column} * CASE WHEN l.slowed_until > moment THEN 2 ELSE 1 END + {slack});
END $$
"""


def _replace(slack: str) -> None:
    for name, column in (("lane_window", "interval_seconds"), ("lane_pace", "spacing_seconds")):
        op.execute(FUNCTION.format(name=name, column=column, slack=slack))


def upgrade() -> None:
    _replace("0.15")


def downgrade() -> None:
    _replace("0.1")
