"""Receivers hear alerts by severity; what was told when is found quickly."""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
ALTER TABLE webhook_endpoints ADD COLUMN severities text[] NOT NULL DEFAULT '{P1,P2,P3}'::text[];
ALTER TABLE alerts DROP COLUMN occurrence;
CREATE INDEX idx_alerts_notified_at ON alerts (dedupe_key, notified_at);
""")


def downgrade() -> None:
    op.execute("""
DROP INDEX idx_alerts_notified_at;
ALTER TABLE alerts ADD COLUMN occurrence text NOT NULL DEFAULT '';
ALTER TABLE webhook_endpoints DROP COLUMN severities;
""")
