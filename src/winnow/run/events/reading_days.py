"""Asks a language model for days of events that the rules cannot read (E-061): a chore.

An answer is kept on the source beside the text it is about, and the page is visited again: the reader takes it only
where the text itself confirms it. So a day is read the same way in every run, and an event whose day the model read is
not missing in the next one. What stays unsure stays held.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import structlog
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from winnow.clock import Clock, now
from winnow.db.engine import Database
from winnow.db.sql import load
from winnow.extract.adapter import Context
from winnow.extract.answered_day import MAX_TEXT, AnsweredDay
from winnow.extract.draft import Draft, Value
from winnow.normalise.dates.answered import confirmed
from winnow.normalise.events.answers import unreadable_day
from winnow.normalise.fields import around
from winnow.services.llm.event_days import DayAnswer, DayText, read_days
from winnow.services.llm.questions import Llm
from winnow.sources import targets

log = structlog.get_logger(__name__)
ASKED_AT_ONCE = 50  # days of a beat
MAX_ANSWERS = 300  # kept of a source
UNREAD = load("run/events/unread_days.sql")
_KNOWN = "SELECT answered_days FROM sources WHERE id = %s FOR UPDATE"
_KEEP = "UPDATE sources SET answered_days = %s WHERE id = %s"


class UnreadDay(msgspec.Struct, frozen=True, kw_only=True):
    source_id: int
    target_id: int | None
    url: str
    locale: str | None
    timezone: str | None
    values: dict[str, Any]
    answered_days: list[dict[str, Any]]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    source_id: int
    target_id: int | None
    question: DayText


class ReadingDays:
    def __init__(self, database: Database, llm: Llm, clock: Clock = now) -> None:
        self._database = database
        self._llm = llm
        self._clock = clock

    async def run_once(self) -> int:
        """How many days were confirmed."""
        if not self._llm.is_on:
            return 0
        async with self._database.connection() as conn, conn.cursor(row_factory=class_row(UnreadDay)) as cursor:
            await cursor.execute(UNREAD, {"n": ASKED_AT_ONCE})
            found = await cursor.fetchall()
        moment = self._clock()
        asked = _distinct([one for row in found if (one := _asked(row, moment)) is not None])
        answers = await read_days(self._llm, [one.question for one in asked]) if asked else []
        return await self._keep(list(zip(asked, answers, strict=True)), moment)

    async def _keep(self, answered: Sequence[tuple[Asked, DayAnswer]], moment: datetime) -> int:
        by_source: defaultdict[int, list[tuple[Asked, DayAnswer]]] = defaultdict(list)
        for asked, answer in answered:
            if answer.was_asked:
                by_source[asked.source_id].append((asked, answer))
        return sum([await self._keep_of(source, by_source[source], moment) for source in sorted(by_source)])

    async def _keep_of(self, source_id: int, answered: Sequence[tuple[Asked, DayAnswer]], moment: datetime) -> int:
        new = [_answer(asked, answer, moment) for asked, answer in answered]
        sure = [one for one in new if confirmed(one, moment.date()) is not None]
        due = {asked.target_id for asked, _ in answered if asked.question.text in {one.text for one in sure}}
        async with self._database.transaction() as conn:
            row: Any = await (await conn.execute(_KNOWN, (source_id,))).fetchone()
            if row is None:
                return 0
            texts = {one.text for one in new}
            kept = [*map(msgspec.to_builtins, new), *(one for one in row[0] if one["text"] not in texts)][:MAX_ANSWERS]
            await conn.execute(_KEEP, (Jsonb(kept), source_id))
            await targets.make_due(conn, sorted(one for one in due if one is not None))
        log.info("days_asked", source_id=source_id, asked=len(new), confirmed=len(sure))
        return len(sure)


def _asked(row: UnreadDay, moment: datetime) -> Asked | None:
    """None where the rules read it after all, or where it is no text that a model could read."""
    draft = Draft("event", msgspec.convert(row.values, dict[str, list[Value]]))
    near = around(draft, _context(row, moment))
    text = unreadable_day(draft, near)
    if text is None or len(text) > MAX_TEXT:
        return None
    title = draft.first("title")
    question = DayText(
        text=text,
        title="" if title is None else title.raw[:200],
        language=near.locale or "",
        read_on=near.now.date().isoformat(),
    )
    return Asked(source_id=row.source_id, target_id=row.target_id, question=question)


def _context(row: UnreadDay, moment: datetime) -> Context:
    return Context(
        source_id=str(row.source_id), retailer_id="", run_id="", target_id="", url=row.url, now=moment,
        locale=row.locale, timezone=row.timezone,
    )  # fmt: skip


def _distinct(asked: Sequence[Asked]) -> list[Asked]:
    return list({(one.source_id, one.target_id, one.question.text): one for one in asked}.values())


def _answer(asked: Asked, answer: DayAnswer, moment: datetime) -> AnsweredDay:
    said = answer.moment
    return AnsweredDay(
        text=asked.question.text,
        day=None if said is None else said.day,
        hour=None if said is None else said.hour,
        model=answer.model,
        asked_on=moment.date().isoformat(),
    )
