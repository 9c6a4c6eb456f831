"""What a database's schema is, as text that two databases can be compared by.

Order of columns and of select lists is left out: a column added by a migration comes last in its table.
"""

from __future__ import annotations

from typing import Any

import psycopg

TABLES = """
    SELECT oid FROM pg_class
    WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace AND relname <> 'alembic_version'
"""
QUERIES = {
    "tables": f"SELECT relname, reloptions::text FROM pg_class WHERE oid IN ({TABLES})",
    "columns": f"""
        SELECT attrelid::regclass::text || '.' || attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
               attgenerated, pg_get_expr(adbin, adrelid)
        FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE attrelid IN ({TABLES}) AND attnum > 0 AND NOT attisdropped""",
    "constraints": f"""
        SELECT conrelid::regclass::text || '.' || conname, pg_get_constraintdef(oid), convalidated
        FROM pg_constraint WHERE conrelid IN ({TABLES})""",
    "indexes": f"""
        SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid
        FROM pg_index WHERE indrelid IN ({TABLES})""",
    "triggers": f"""
        SELECT tgrelid::regclass::text || '.' || tgname, pg_get_triggerdef(oid), tgenabled
        FROM pg_trigger WHERE NOT tgisinternal AND tgrelid IN ({TABLES})""",
    "functions": """
        SELECT oid::regprocedure::text, pg_get_functiondef(oid)
        FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace
            AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')""",
    "views": "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
    "sequences": """
        SELECT sequencename, data_type::text, increment_by, cycle FROM pg_sequences WHERE schemaname = 'public'""",
    "extensions": "SELECT extname FROM pg_extension",
}


def snapshot(address: str) -> dict[str, Any]:
    with psycopg.connect(address) as conn:
        return {what: {row[0]: plain(what, row[1:]) for row in conn.execute(query)} for what, query in QUERIES.items()}


def plain(what: str, row: tuple[Any, ...]) -> Any:
    return sorted(line.strip(" ,;") for line in row[0].splitlines()) if what == "views" else row


def tables(url: str) -> set[str]:
    """Names of the tables, without Alembic's own."""
    with psycopg.connect(url) as connection:
        found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    return {name for (name,) in found} - {"alembic_version"}
