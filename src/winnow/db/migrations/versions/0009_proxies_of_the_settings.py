"""Proxies: which ones come from the settings, and go when the settings no longer name them."""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE proxies ADD COLUMN from_settings boolean NOT NULL DEFAULT false")


def downgrade() -> None:
    op.execute("ALTER TABLE proxies DROP COLUMN from_settings")
