"""Offers whose product is ambiguous are held for a person."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
CREATE TABLE product_conflicts (
    source_product_id bigint NOT NULL,
    reason text NOT NULL,
    candidates bigint[] NOT NULL DEFAULT '{}'::bigint[],
    evidence text NOT NULL,
    found_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT product_conflicts_pkey PRIMARY KEY (source_product_id),
    CONSTRAINT product_conflicts_reason_check
        CHECK (reason IN ('several_gtins','brand_differs','several_products')),
    CONSTRAINT product_conflicts_source_product_id_fkey
        FOREIGN KEY (source_product_id) REFERENCES source_products (id) ON DELETE CASCADE
);
CREATE INDEX idx_product_conflicts_found_at ON product_conflicts (found_at);
""")


def downgrade() -> None:
    op.execute("DROP TABLE product_conflicts")
