"""New offers and their first prices are copied straight into their tables: the moments have defaults there, and an
index that nothing reads no longer costs every price two more writes. Offers in step with a feed are counted in an
index."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

MOMENTS = (("prices", "observed_at"), ("latest_prices", "created_at"), ("latest_prices", "observed_at"))


def upgrade() -> None:
    for table, column in MOMENTS:
        op.alter_column(table, column, server_default=sa.func.now())
    op.drop_index("idx_latest_prices_amount_minor", table_name="latest_prices")
    op.drop_index("sp_source_id_id_idx", table_name="source_products")
    op.create_index(
        "sp_source_id_id_idx", "source_products", ["source_id", "id"], postgresql_include=["feed_run_id"]
    )


def downgrade() -> None:
    op.drop_index("sp_source_id_id_idx", table_name="source_products")
    op.create_index("sp_source_id_id_idx", "source_products", ["source_id", "id"])
    op.create_index("idx_latest_prices_amount_minor", "latest_prices", ["amount_minor"])
    for table, column in MOMENTS:
        op.alter_column(table, column, server_default=None)
