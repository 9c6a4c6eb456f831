"""What was held of a target is looked up whether it is resolved or not; what waits of a source, too."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("idx_quarantine_target_id", table_name="quarantine")
    op.create_index("idx_quarantine_target_id", "quarantine", ["target_id", "created_at"])
    op.create_index(
        "idx_quarantine_source_id", "quarantine", ["source_id"], postgresql_where=sa.text("resolved_at IS NULL")
    )
    op.create_index(
        "idx_scrape_runs_unchecked",
        "scrape_runs",
        ["completed_at"],
        postgresql_where=sa.text("completed_at IS NOT NULL AND drift_checked_at IS NULL"),
    )


def downgrade() -> None:
    op.drop_index("idx_scrape_runs_unchecked", table_name="scrape_runs")
    op.drop_index("idx_quarantine_source_id", table_name="quarantine")
    op.drop_index("idx_quarantine_target_id", table_name="quarantine")
    op.create_index(
        "idx_quarantine_target_id", "quarantine", ["target_id"], postgresql_where=sa.text("resolved_at IS NULL")
    )
