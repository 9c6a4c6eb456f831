"""Runs the invariants and remembers what they found. Written to `invariant_checks`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib.resources import files
from time import monotonic
from typing import Any

import msgspec
import psycopg
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load

FOLDER = "observe/invariants"
EXAMPLES = 5
MAX_SECONDS = 300  # of one query; one that takes longer is reported as not checked
_COUNTED = """
SELECT count(*) OVER () AS violations, found.id::text AS id, found.problem FROM ({query}) AS found
ORDER BY found.id LIMIT {examples}
"""
_STORE = """
INSERT INTO invariant_checks (name, checked_at, violations, examples, error, duration_ms)
VALUES (%(name)s, now(), %(violations)s, %(examples)s, %(error)s, %(duration_ms)s)
ON CONFLICT (name) DO UPDATE SET checked_at = excluded.checked_at, violations = excluded.violations,
    examples = excluded.examples, error = excluded.error, duration_ms = excluded.duration_ms
"""
_LAST = "SELECT name, checked_at, violations, examples, error, duration_ms FROM invariant_checks ORDER BY name"
_DUE = "SELECT coalesce(min(checked_at) <= now() - make_interval(secs => %s), true) FROM invariant_checks"
_FORGET = "DELETE FROM invariant_checks WHERE NOT (name = ANY(%s))"


class Invariant(msgspec.Struct, frozen=True, kw_only=True):
    """`rule` is the requirement and the sentence of what holds, from the first line of the file."""

    name: str
    rule: str
    query: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """`error` says why an invariant could not be checked; then nothing is known of it."""

    name: str
    violations: int
    examples: list[dict[str, Any]]
    duration_ms: int
    error: str | None = None
    checked_at: datetime | None = None

    @property
    def holds(self) -> bool:
        return self.violations == 0 and self.error is None


def invariants() -> list[Invariant]:
    names = sorted(f.name for f in files("winnow").joinpath(FOLDER).iterdir() if f.name.endswith(".sql"))
    return [_read(name) for name in names]


def _read(file: str) -> Invariant:
    text = load(f"{FOLDER}/{file}")
    return Invariant(name=file.removesuffix(".sql"), rule=text.partition("\n")[0].removeprefix("-- "), query=text)


async def check(conn: AsyncConnection[Any], chosen: Sequence[Invariant]) -> list[Finding]:
    """On a connection in autocommit. Reads only; one query at a time."""
    return [await _check(conn, invariant) for invariant in chosen]


async def _check(conn: AsyncConnection[Any], invariant: Invariant) -> Finding:
    begun = monotonic()
    try:
        found = await _violations(conn, invariant)
        error = None
    except (psycopg.errors.QueryCanceled, psycopg.ProgrammingError) as failed:
        found, error = [], str(failed).partition("\n")[0]
    return Finding(
        name=invariant.name,
        violations=found[0]["violations"] if found else 0,
        examples=[{"id": row["id"], "problem": row["problem"]} for row in found],
        duration_ms=round(1000 * (monotonic() - begun)),
        error=error,
    )


async def _violations(conn: AsyncConnection[Any], invariant: Invariant) -> list[dict[str, Any]]:
    async with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SET TRANSACTION READ ONLY")
        await cursor.execute(f"SET LOCAL statement_timeout = '{MAX_SECONDS}s'")
        await cursor.execute(_COUNTED.format(query=invariant.query, examples=EXAMPLES).encode())
        return await cursor.fetchall()


async def store(conn: AsyncConnection[Any], found: Sequence[Finding]) -> None:
    for finding in found:
        await conn.execute(_STORE, {**msgspec.structs.asdict(finding), "examples": Jsonb(finding.examples)})
    await conn.execute(_FORGET, ([invariant.name for invariant in invariants()],))


async def last(conn: AsyncConnection[Any]) -> list[Finding]:
    """What the last check of each found."""
    async with conn.cursor(row_factory=class_row(Finding)) as cursor:
        await cursor.execute(_LAST)
        return await cursor.fetchall()


async def is_due(conn: AsyncConnection[Any], hours: float) -> bool:
    row = await (await conn.execute(_DUE, (hours * 3600,))).fetchone()
    return row is not None and bool(row[0])


def describe(finding: Finding) -> str:
    """One sentence: what does not hold, how often, and an example."""
    rule = {invariant.name: invariant.rule for invariant in invariants()}.get(finding.name, finding.name)
    if finding.error is not None:
        return f"not checked: {rule} ({finding.error})"
    example = finding.examples[0] if finding.examples else {"id": "?", "problem": "?"}
    broken = "1 row breaks" if finding.violations == 1 else f"{finding.violations:,} rows break"
    return f"{broken} {rule} For example {example['id']}: {example['problem']}"
