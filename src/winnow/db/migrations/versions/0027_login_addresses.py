"""Failed logins are counted for each address as well."""

from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

UP = """
CREATE TABLE login_addresses (
    address text NOT NULL,
    failures integer NOT NULL DEFAULT 1,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT login_addresses_pkey PRIMARY KEY (address),
    CONSTRAINT login_addresses_failures_check CHECK (failures >= 0)
);
"""
DOWN = """
DROP TABLE login_addresses;
"""


def upgrade() -> None:
    op.execute(UP)


def downgrade() -> None:
    op.execute(DOWN)
