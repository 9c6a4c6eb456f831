"""Chores about events: what is gone from its listing, and which events of several sources are one."""

from __future__ import annotations

import structlog

from winnow.db.engine import Database
from winnow.kinds.writers import event_messages
from winnow.publish import outbox
from winnow.services.embeddings.http import Embedder
from winnow.store.events import gone
from winnow.store.events.matching import run as matching
from winnow.store.events.matching.api_vectors import ApiVectors
from winnow.store.events.matching.vectors import Vectors, offline

log = structlog.get_logger(__name__)
MAX_BATCHES = 20  # of a beat: 20 000 events


class EventUpkeep:
    def __init__(self, database: Database, vectors: Vectors | None = None) -> None:
        self._database = database
        self._vectors = vectors or offline()

    async def close_listings(self) -> int:
        """Readings of runs that have ended (DESIGN §11.31); returns how many events are gone."""
        async with self._database.transaction() as conn:
            closed = await gone.close_readings(conn)
            lost = [row for one in closed for row in one.gone]
            await outbox.put(conn, [event_messages.gone(row["id"], row) for row in lost])
        for one in closed:
            if one.gone:
                log.info("events_gone", source_id=one.source_id, run_id=one.run_id, events=len(one.gone))
        return len(lost)

    async def match(self) -> int:
        """Events that are new or changed, compared with those of other sources (DESIGN §11.30)."""
        taken = 0
        for _ in range(MAX_BATCHES):
            await self._prepare()
            async with self._database.transaction() as conn:
                found = await matching.run_once(conn, self._vectors)
                messages = [event_messages.merged(m.kept_id, m.merged_id, m.reason, m.decided_by) for m in found.merged]
                messages += [event_messages.unmerged(m.kept_id, m.merged_id, m.decided_by) for m in found.undone]
                await outbox.put(conn, messages)
            taken += found.taken
            if found.taken < matching.BATCH:
                break
        return taken

    async def _prepare(self) -> None:
        """Ask the embedding service without a transaction open: a service that hangs must hold no lock."""
        if self._vectors.asks_ahead:
            async with self._database.connection() as conn:
                titles = await matching.titles_in_question(conn)
            await self._vectors.prepare(titles)


def vectors_of(database: Database, embedder: Embedder) -> Vectors:
    """Open the embedding API where one is set up, else the offline model, else none."""
    return ApiVectors(database, embedder, offline()) if embedder.is_on else offline()
