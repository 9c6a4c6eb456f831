"""Feeds run by cron, and may keep their files."""

from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None

UP = """
ALTER TABLE affiliate_feeds ADD COLUMN schedule_cron text;
ALTER TABLE affiliate_feeds ADD COLUMN keep_files boolean NOT NULL DEFAULT false;
ALTER TABLE affiliate_feeds ADD CONSTRAINT affiliate_feeds_one_schedule_check
    CHECK (schedule_frequency_hours IS NULL OR schedule_cron IS NULL);
"""
DOWN = """
ALTER TABLE affiliate_feeds DROP CONSTRAINT affiliate_feeds_one_schedule_check;
ALTER TABLE affiliate_feeds DROP COLUMN keep_files;
ALTER TABLE affiliate_feeds DROP COLUMN schedule_cron;
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute(DOWN)
