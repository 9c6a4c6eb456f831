"""Receivers that hear of some sources only, and alerts nobody is told of for a while."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "webhook_endpoints",
        sa.Column("source_ids", sa.ARRAY(sa.BigInteger), server_default=sa.text("'{}'::bigint[]"), nullable=False),
    )
    op.add_column("alerts", sa.Column("silenced_until", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("alerts", "silenced_until")
    op.drop_column("webhook_endpoints", "source_ids")
