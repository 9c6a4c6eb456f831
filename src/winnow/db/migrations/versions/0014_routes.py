"""How far a task has come in the tiers, and when a source's way of being fetched was learnt (E-036)."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# It shows every column of a source, so it is made anew where they change (E-110).
HEALTH = """
CREATE VIEW source_health_status AS
SELECT
    s.*,
    coalesce(c.state, 'CLOSED') AS circuit_state,
    coalesce(c.failure_count, 0) AS failure_count,
    c.cooldown_until,
    CASE
        WHEN c.state = 'OPEN' AND c.cooldown_until > now() THEN false
        WHEN s.auto_disabled THEN false
        WHEN NOT s.enabled THEN false
        ELSE true
    END AS is_available,
    age.days AS days_since_last_scrape,
    age.days * 10 + s.historical_event_count / 10.0 + s.reliability_score * 5 - s.consecutive_failures * 20
        AS priority_score,
    nullif(greatest(l.slowed_until, l.held_until), 'infinity') AS rate_limited_until,
    coalesce(greatest(l.slowed_until, l.held_until) > now(), false) AS rate_limited
FROM sources s
CROSS JOIN LATERAL (
    SELECT coalesce(floor(extract(epoch FROM now() - s.last_scraped_at) / 86400), 30)::integer AS days
) age
LEFT JOIN source_circuits c ON c.source_id = s.id
LEFT JOIN lanes l ON l.lane = s.domain
"""


def upgrade() -> None:
    op.add_column("tasks", sa.Column("route", JSONB(), nullable=True))
    op.add_column("task_archive", sa.Column("route", JSONB(), nullable=True))
    op.execute("DROP VIEW source_health_status")
    op.add_column("sources", sa.Column("fetcher_learnt_at", sa.DateTime(timezone=True), nullable=True))
    op.execute(HEALTH)


def downgrade() -> None:
    op.execute("DROP VIEW source_health_status")
    op.drop_column("sources", "fetcher_learnt_at")
    op.execute(HEALTH)
    op.drop_column("task_archive", "route")
    op.drop_column("tasks", "route")
