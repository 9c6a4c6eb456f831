"""Offers are found by their SKU with a hash index: nobody asks for more than equality, and SKUs come in no order, so
that each new one cost a search through a tree."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

NAME, TABLE = "idx_source_products_sku", "source_products"
STATED = sa.text("sku IS NOT NULL")


def upgrade() -> None:
    op.drop_index(NAME, table_name=TABLE)
    op.create_index(NAME, TABLE, ["sku"], postgresql_using="hash", postgresql_where=STATED)


def downgrade() -> None:
    op.drop_index(NAME, table_name=TABLE)
    op.create_index(NAME, TABLE, ["sku"], postgresql_where=STATED)
