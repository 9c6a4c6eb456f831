"""Takes a CSV of targets in: the good rows, once each; the others come back with line and reason.

Rows go in by batches, each its own transaction. A killed import is simply started again: what is there
already is found to be there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import BinaryIO

import msgspec

from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions import validation
from winnow.actions.intake import Cadence, Intake, database_now
from winnow.db.engine import Connection, Database
from winnow.errors import WinnowError
from winnow.observe import audit
from winnow.schedule import domains
from winnow.sources import sources, targets
from winnow.sources.csv_import import CsvFile, ImportRow, Wrong
from winnow.sources.sources import Source
from winnow.sources.targets import NewTarget

BATCH = 1_000
MAX_SHOWN = 1_000  # reasons kept of each sort; all are counted

Progress = Callable[[int], None]


class ImportReport(msgspec.Struct, kw_only=True):
    """`repeated` rows are not errors: their URL was there already, or stood earlier in the file."""

    rows: int = 0
    added: int = 0
    repeated: int = 0
    wrong: int = 0
    wrong_rows: list[Wrong] = []
    repeated_rows: list[Wrong] = []
    ignored_columns: list[str] = []
    encoding: str = ""

    def refuse(self, line: int, reason: str) -> None:
        self.wrong += 1
        if len(self.wrong_rows) < MAX_SHOWN:
            self.wrong_rows.append(Wrong(line, reason))

    def repeat(self, line: int, reason: str) -> None:
        self.repeated += 1
        if len(self.repeated_rows) < MAX_SHOWN:
            self.repeated_rows.append(Wrong(line, reason))


class _Pending(msgspec.Struct, frozen=True):
    line: int
    target: NewTarget


class Import:
    """One import. `source` takes the rows that name none; without it each goes to its domain's source."""

    def __init__(
        self, database: Database, intake: Intake, actor: str, source: Source | None = None, when: Cadence | None = None
    ) -> None:
        self._database = database
        self._intake = intake
        self._actor = actor
        self._source = source
        self._when = when or Cadence()
        self._sources: dict[str, Source | WinnowError] = {}
        self._lines: dict[tuple[int, str], int] = {}
        self._usual: dict[str, timedelta] = {}  # of domains that have an interval of their own
        self.report = ImportReport()

    async def run(self, file: BinaryIO, progress: Progress = lambda _: None) -> ImportReport:
        """`progress` is called with the bytes read so far."""
        csv = CsvFile(file)
        self.report.ignored_columns, self.report.encoding = list(csv.layout.ignored), csv.encoding
        async with self._database.connection() as conn:
            now = await database_now(conn)
            self._usual = await domains.usual_intervals(conn)
        pending: list[_Pending] = []
        try:
            for row in csv.rows():
                pending += await self._read(row, now)
                if len(pending) >= BATCH:
                    await self._store(pending)
                    pending = []
                    progress(csv.position)
            await self._store(pending)
            progress(csv.position)
        finally:
            csv.detach()
        self.report.repeated_rows.sort(key=lambda row: row.line)
        await self._note()
        return self.report

    async def _read(self, row: ImportRow | Wrong, now: datetime) -> list[_Pending]:
        """The row as a target, or nothing and a line in the report."""
        self.report.rows += 1
        if isinstance(row, Wrong):
            self.report.refuse(row.line, row.reason)
            return []
        try:
            target = await self._target(row, now)
        except WinnowError as wrong:
            self.report.refuse(row.line, str(wrong))
            return []
        key = (0 if target.kind == "product" else target.source_id, target.canonical_url)
        first = self._lines.setdefault(key, row.line)
        if first != row.line:
            self.report.repeat(row.line, f"the same page as line {first}")
            return []
        return [_Pending(row.line, target)]

    async def _target(self, row: ImportRow, now: datetime) -> NewTarget:
        says = row.fields
        source = await self._source_of(says)
        return target_actions.new(
            self._intake,
            source,
            says["url"],
            self._actor,
            now,
            self._cadence(says),
            adapter_id=says.get("adapter"),
            priority=says.get("priority", 0),
            enabled=validation.yes_or_no(says.get("enabled", "yes"), "enabled"),
            notes=says.get("notes"),
            usual=self._usual.get(self._intake.check(says["url"]).domain) if self._usual else None,
        )

    def _cadence(self, says: dict[str, str]) -> Cadence:
        every = validation.every(says["every"]) if "every" in says else None
        schedule = says.get("schedule")
        if every is None and schedule is None:
            return self._when
        return msgspec.structs.replace(self._when, schedule=schedule, every=every, by_hand=False)

    async def _source_of(self, says: dict[str, str]) -> Source:
        """Looked up once; a source that is missing is missing for all its rows."""
        named = says.get("source")
        if named is None and self._source is not None:
            return self._source
        key = f"source {named}" if named is not None else f"domain {self._intake.check(says['url']).domain}"
        if key not in self._sources:
            self._sources[key] = await self._look_up(named, says["url"])
        found = self._sources[key]
        if isinstance(found, WinnowError):
            raise found
        return found

    async def _look_up(self, named: str | None, url: str) -> Source | WinnowError:
        try:
            async with self._database.transaction() as conn:
                if named is not None:
                    return await sources.find(conn, named)
                return await source_actions.find_or_add(conn, self._actor, self._intake, url)
        except WinnowError as missing:
            return missing

    async def _store(self, pending: Sequence[_Pending]) -> None:
        """Repeated when the database goes away meanwhile: the second time finds what the first one stored."""
        if not pending:
            return
        added = await self._database.retry(lambda conn: _add(conn, pending))
        self.report.added += len(added)
        left = [p for p in pending if (p.target.source_id, p.target.canonical_url) not in added]
        if left:
            async with self._database.connection() as conn:
                there = await targets.existing(conn, [p.target for p in left])
            ids = {(e.source_id, e.canonical_url): e.id for e in there}
            for p in left:
                self.report.repeat(p.line, f"already target {ids.get((p.target.source_id, p.target.canonical_url))}")

    async def _note(self) -> None:
        counts = {"rows": self.report.rows, "added": self.report.added, "wrong": self.report.wrong}
        object_id = "" if self._source is None else str(self._source.id)
        async with self._database.connection() as conn:
            await audit.record(conn, self._actor, "targets.imported", "source", object_id, after=counts)


async def _add(conn: Connection, pending: Sequence[_Pending]) -> set[tuple[int, str]]:
    async with conn.transaction():
        added = await targets.add_many(conn, [p.target for p in pending])
    return {(e.source_id, e.canonical_url) for e in added}
