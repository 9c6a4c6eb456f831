"""Feeds of other networks, formats and places; how a file's columns are read (F-134)."""

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

CHECKS = {
    "network": ("'IMPACT'", "'IMPACT','AVANTLINK','CJ','RAKUTEN','SHAREASALE','AWIN','GOOGLE'"),
    "transport": ("'FTP','SFTP','FILE'", "'FTP','SFTP','FILE','HTTPS'"),
    "format": ("'CSV'", "'CSV','TSV','XML'"),
    "compression": ("'NONE','GZIP'", "'NONE','GZIP','ZIP'"),
}


def _check(column: str, values: str) -> None:
    name = f"affiliate_feeds_{column}_check"
    op.execute(f"ALTER TABLE affiliate_feeds DROP CONSTRAINT {name}")
    op.execute(f"ALTER TABLE affiliate_feeds ADD CONSTRAINT {name} CHECK ({column} IN ({values}))")


def upgrade() -> None:
    op.execute("ALTER TABLE affiliate_feeds ADD COLUMN encoding text")
    op.execute("ALTER TABLE affiliate_feeds ADD COLUMN delimiter text")
    op.execute("ALTER TABLE affiliate_feeds ADD COLUMN default_currency text NOT NULL DEFAULT 'USD'")
    op.execute("ALTER TABLE affiliate_feeds ADD COLUMN column_overrides jsonb NOT NULL DEFAULT '{}'::jsonb")
    for column, (_, values) in CHECKS.items():
        _check(column, values)


def downgrade() -> None:
    for column, (values, _) in CHECKS.items():
        _check(column, values)
    for column in ("column_overrides", "default_currency", "delimiter", "encoding"):
        op.execute(f"ALTER TABLE affiliate_feeds DROP COLUMN {column}")
