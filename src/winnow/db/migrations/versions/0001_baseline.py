"""The first schema: runs the SQL files of `migrations/baseline/`."""

from alembic import op

from winnow.db import baseline

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _execute(statement: str) -> None:
    # Without parameters, so that a percent sign in a function stays one.
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(statement)


def upgrade() -> None:
    for script in baseline.scripts():
        _execute(script.text)
    _execute(baseline.mark())


def downgrade() -> None:
    for statement in baseline.drops():
        _execute(statement)
