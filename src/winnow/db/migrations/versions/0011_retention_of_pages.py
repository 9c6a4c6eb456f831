"""Pages: bodies are found by their hash and by their age, for clean-up."""

from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("CREATE INDEX idx_pages_hash ON pages (content_hash) WHERE body_deleted_at IS NULL")
    op.execute("CREATE INDEX idx_pages_screenshot_hash ON pages (screenshot_hash) WHERE screenshot_hash IS NOT NULL")
    op.execute(
        "CREATE INDEX idx_pages_body ON pages (created_at) WHERE content_hash IS NOT NULL AND body_deleted_at IS NULL"
    )
    op.execute("CREATE INDEX idx_images_content_hash ON images (content_hash) WHERE content_hash IS NOT NULL")


def downgrade() -> None:
    op.execute("DROP INDEX idx_images_content_hash, idx_pages_body, idx_pages_screenshot_hash, idx_pages_hash")
