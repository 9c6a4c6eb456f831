"""One candidate at a time beside a live adapter."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "replays_one_shadow",
        "replays",
        ["adapter_id"],
        unique=True,
        postgresql_where=sa.text("mode = 'shadow' AND status = 'running'"),
    )


def downgrade() -> None:
    op.drop_index("replays_one_shadow", table_name="replays")
