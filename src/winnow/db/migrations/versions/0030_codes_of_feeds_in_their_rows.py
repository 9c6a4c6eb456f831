"""The code a feed says of an offer stands in the offer's own row (F-038): a row of its own with two index entries was a
tenth of what a new offer costs. `source_product_identifiers` is a view of both."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None

TABLE, CODES = "source_product_identifiers", "source_product_codes"
FORGET = """
CREATE OR REPLACE FUNCTION source_products_forget() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone JOIN prices p ON p.source_product_id = gone.id) THEN
        RAISE EXCEPTION USING
            ERRCODE = 'foreign_key_violation',
            MESSAGE = 'an offer that has a price cannot be deleted: prices is append-only';
    END IF;
    DELETE FROM source_product_presence s USING gone WHERE s.source_product_id = gone.id;
    DELETE FROM {table} i USING gone WHERE i.source_product_id = gone.id;
    DELETE FROM latest_prices l USING gone WHERE l.source_product_id = gone.id;
    DELETE FROM search_documents d USING gone WHERE d.product_id = gone.id;
    RETURN NULL;
END $$;
"""
# The newest one; older codes of an offer stay where they are.
TO_ROWS = """
UPDATE source_products AS o SET gtin = newest.value
FROM (
    SELECT DISTINCT ON (c.source_product_id) c.source_product_id, c.value
    FROM source_product_codes AS c
    JOIN source_products AS f ON f.id = c.source_product_id AND f.feed_run_id IS NOT NULL
    WHERE c.type = 'GTIN'
    ORDER BY c.source_product_id, c.created_at DESC, c.value
) AS newest
WHERE o.id = newest.source_product_id
"""
MOVED = """
DELETE FROM source_product_codes AS c USING source_products AS o
WHERE o.id = c.source_product_id AND c.type = 'GTIN' AND c.value = o.gtin
"""
# Codes in rows are found by their words (queries/products.py).
SEARCHED = """
UPDATE search_documents AS d SET document = d.document || setweight(to_tsvector('english', o.gtin), 'A')
FROM source_products AS o WHERE o.id = d.product_id AND o.gtin IS NOT NULL
"""
VIEW = """
CREATE VIEW source_product_identifiers AS
SELECT c.source_product_id, c.type, c.value, c.created_at
FROM source_product_codes c
UNION ALL
SELECT o.id, 'GTIN', o.gtin, o.created_at
FROM source_products o
WHERE o.gtin IS NOT NULL;
"""
# From PostgreSQL 18 on that a column is NOT NULL has a name as well.
CONSTRAINTS = """
DO $$
DECLARE named text;
BEGIN
    FOR named IN SELECT conname FROM pg_constraint WHERE conrelid = '{new}'::regclass AND conname LIKE '{old}%' LOOP
        EXECUTE format('ALTER TABLE {new} RENAME CONSTRAINT %I TO %I', named, replace(named, '{old}', '{new}'));
    END LOOP;
END $$
"""
BACK = """
INSERT INTO source_product_codes (source_product_id, type, value, created_at)
SELECT id, 'GTIN', gtin, created_at FROM source_products WHERE gtin IS NOT NULL
ON CONFLICT DO NOTHING
"""


def _rename(old: str, new: str) -> None:
    op.execute(f"ALTER TABLE {old} RENAME TO {new}")
    op.execute(f"ALTER INDEX idx_{old}_value RENAME TO idx_{new}_value")
    op.execute(CONSTRAINTS.format(old=old, new=new))


def upgrade() -> None:
    op.execute("ALTER TABLE source_products ADD COLUMN gtin text")
    _rename(TABLE, CODES)
    op.execute(FORGET.format(table=CODES))
    for step in (TO_ROWS, MOVED, SEARCHED, VIEW):
        op.execute(step)


def downgrade() -> None:
    op.execute("DROP VIEW source_product_identifiers")
    op.execute(BACK)
    _rename(CODES, TABLE)
    op.execute(FORGET.format(table=TABLE))
    op.execute("ALTER TABLE source_products DROP COLUMN gtin")
