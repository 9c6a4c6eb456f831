"""The baseline: the whole schema as SQL files in `migrations/baseline/`, run in the order of their paths.

Until the first release it changes in place (docs/decisions/one-baseline.md), so a database remembers by a digest which
baseline it was made from, and one made from another is refused (DESIGN §11.36).
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("migrations") / "baseline"
TABLES, FOREIGN_KEYS = "3_tables", "4_foreign_keys.sql"  # written from the models by tables/write_baseline.py
_CREATED = re.compile(r"^CREATE (TABLE|VIEW|FUNCTION|SEQUENCE) (\w+)", re.M)


class Script(NamedTuple):
    path: str  # below FOLDER, for example "7_views/05_consumer_prices.sql"
    text: str


@cache
def scripts() -> tuple[Script, ...]:
    paths = sorted(path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.sql"))
    return tuple(Script(path, (FOLDER / path).read_text(encoding="utf-8")) for path in paths)


@cache
def digest() -> str:
    """16 hexadecimal digits that differ when any file or its place in the order differs."""
    joined = "\0".join(part for script in scripts() for part in script)
    return hashlib.sha256(joined.encode()).hexdigest()[:16]


def mark() -> str:
    """The statement by which a database remembers its baseline: a comment on Alembic's own table."""
    return f"COMMENT ON TABLE alembic_version IS 'baseline {digest()}'"


READ_MARK = "SELECT obj_description(to_regclass('alembic_version'), 'pg_class')"


def matches(comment: str | None) -> bool:
    """Says whether `comment`, as READ_MARK gives it, names this baseline."""
    return comment == f"baseline {digest()}"


def drops() -> list[str]:
    """Statements that remove what the scripts create, last first. Extensions stay: others may use them."""
    created: dict[str, list[str]] = {"VIEW": [], "TABLE": [], "FUNCTION": [], "SEQUENCE": []}
    for kind, name in [found.groups() for script in scripts() for found in _CREATED.finditer(script.text)]:
        created[kind].insert(0, name)
    # CASCADE takes a function along that is given a row of a table, so it may be gone already.
    return [
        *(f"DROP VIEW {name}" for name in created["VIEW"]),
        f"DROP TABLE {', '.join(created['TABLE'])} CASCADE",
        *(f"DROP FUNCTION IF EXISTS {name}" for name in created["FUNCTION"]),
        *(f"DROP SEQUENCE {name}" for name in created["SEQUENCE"]),
    ]
