"""Watches are looked at when a price is appended, and need not remember which; receivers may be consumers."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
ALTER TABLE watches DROP COLUMN last_price_id;
ALTER TABLE webhook_endpoints ADD COLUMN audience text NOT NULL DEFAULT 'operator';
ALTER TABLE webhook_endpoints ADD CONSTRAINT webhook_endpoints_audience_check
    CHECK (audience IN ('operator','consumer'));
""")


def downgrade() -> None:
    op.execute("""
ALTER TABLE webhook_endpoints DROP COLUMN audience;
ALTER TABLE watches ADD COLUMN last_price_id bigint;
""")
