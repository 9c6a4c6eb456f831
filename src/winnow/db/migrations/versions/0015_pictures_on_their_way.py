"""Images: which ones wait to be fetched, and by which task."""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "CREATE INDEX idx_images_wanted ON images (id) "
        "WHERE content_hash IS NULL AND task_id IS NULL AND attempts < 3"
    )
    op.execute("CREATE INDEX idx_images_task_id ON images (task_id) WHERE task_id IS NOT NULL")
    op.execute("CREATE INDEX idx_images_image_url ON images (image_url) WHERE content_hash IS NULL")


def downgrade() -> None:
    op.execute("DROP INDEX idx_images_image_url, idx_images_task_id, idx_images_wanted")
