"""Asks a language model for the selectors of an agenda that cannot be read any more (E-058): a chore.

A proposal is not believed here: it is kept beside the source's own selector sets, and the dead letter of the visit is
retried from the stored page. The reader takes it only where most of what it matches are events.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
import structlog
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.db.engine import Database
from winnow.db.sql import load
from winnow.extract.selector_set import Origin, SelectorSet
from winnow.run.archived_pages import ArchivedPages
from winnow.run.commit.accounts import BROKEN_AGENDA
from winnow.run.events.outline_text import outline_text
from winnow.schedule.queue import dead_letters
from winnow.services.llm.questions import MAX_TEXT, Llm
from winnow.services.llm.selectors import propose_selectors
from winnow.sources.methods import MAX_SETS

log = structlog.get_logger(__name__)
ASKED_AT_ONCE = 3  # agendas of a beat
BROKEN = load("run/events/broken_agendas.sql")
_ASKED = "UPDATE sources SET healing_asked_at = now() WHERE id = %s"
_PROPOSED = "UPDATE sources SET selector_sets = %s WHERE id = %s"


class BrokenAgenda(msgspec.Struct, frozen=True):
    source_id: int
    letter_id: int
    page_id: UUID
    selector_sets: list[dict[str, Any]]


class AgendaHealing:
    def __init__(self, database: Database, archived: ArchivedPages, llm: Llm) -> None:
        self._database = database
        self._archived = archived
        self._llm = llm

    async def run_once(self) -> int:
        """How many agendas are read again with a proposal."""
        if not self._llm.is_on:
            return 0
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(BrokenAgenda)) as cursor:
            await cursor.execute(BROKEN, {"reason": BROKEN_AGENDA, "n": ASKED_AT_ONCE})
            broken = await cursor.fetchall()
        return sum([await self._heal(agenda) for agenda in broken])

    async def _heal(self, agenda: BrokenAgenda) -> bool:
        """Asked once a day, whatever the answer is."""
        page = await self._archived.load(agenda.page_id)
        async with self._database.connection() as conn:
            await conn.execute(_ASKED, (agenda.source_id,))
        proposed = None if page is None else await propose_selectors(self._llm, outline_text(page.text(), MAX_TEXT))
        if proposed is None:
            return False
        new = SelectorSet(**msgspec.structs.asdict(proposed), origin=Origin.MODEL)
        sets = [one for one in agenda.selector_sets if one["item"] != new.item][: MAX_SETS - 1]
        async with self._database.transaction() as conn:
            await conn.execute(_PROPOSED, (Jsonb([*sets, msgspec.to_builtins(new)]), agenda.source_id))
            retried = await dead_letters.retry(conn, [agenda.letter_id])
        log.info("selectors_proposed", source_id=agenda.source_id, item=new.item, retried=retried)
        return bool(retried)
