"""Counts which offers are asked for. Requests only add to memory; a beat of the server writes what came together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from winnow.db.engine import Database
from winnow.errors import DatabaseUnavailable
from winnow.store import reads

FLUSH_SECONDS = 30.0
MAX_COUNTED = 100_000  # offers between two beats; a crawler that reads them all adds nothing to anyone's popularity


class Reads:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._counted: Counter[int] = Counter()

    def note(self, offers: Iterable[int]) -> None:
        if len(self._counted) < MAX_COUNTED:
            self._counted.update(offers)

    async def flush(self) -> None:
        """What cannot be written now is written with the next ones."""
        if not self._counted:
            return
        counted, self._counted = self._counted, Counter()
        try:
            async with self._database.transaction() as conn:
                await reads.add(conn, counted)
        except DatabaseUnavailable:
            self._counted.update(counted)
            raise
