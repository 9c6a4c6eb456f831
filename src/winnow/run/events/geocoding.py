"""Looks up places that stand at their source's coordinates, or at their town's: a chore, where a geocoder is set up.

A geocoder that is away, slow, spent or talks nonsense costs nothing but time: events keep the coordinates they have,
flagged where those are the source's own, and their places are asked for again later (E-062, E-094).
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable

import structlog

from winnow.clock import Monotonic
from winnow.db.engine import Connection, Database
from winnow.errors import Trouble
from winnow.kinds.writers import event_messages
from winnow.publish import outbox
from winnow.services.geocoder.http import Geocoder, Located
from winnow.store.events import located
from winnow.store.events.located import Unlocated
from winnow.store.events.place import Coordinates

log = structlog.get_logger(__name__)
ASKED_AT_ONCE = 10  # of a beat: at one request in two seconds that is most of it
LOOKED_AT = 500  # places whose answer is known cost a look into the cache each
FIRST_PAUSE, LONGEST_PAUSE = 60.0, 3_600.0
_LASTING = (Trouble.AWAY, Trouble.BUSY, Trouble.SPENT, Trouble.REFUSED)  # the next place would meet the same

Next = Callable[[Connection, int, int], Awaitable[list[Unlocated]]]


class Geocoding:
    def __init__(self, database: Database, geocoder: Geocoder, monotonic: Monotonic = time.monotonic) -> None:
        self._database = database
        self._geocoder = geocoder
        self._monotonic = monotonic
        self._not_before = 0.0
        self._pause = FIRST_PAUSE
        self._left = ASKED_AT_ONCE
        self._venues = _Cursor(located.next_venues)
        self._events = _Cursor(located.next_events)

    async def run_once(self) -> int:
        """How many places were found."""
        if not self._geocoder.is_on or self._monotonic() < self._not_before:
            return 0
        self._left = ASKED_AT_ONCE
        return await self._look_up(self._venues) + await self._look_up(self._events)

    async def _look_up(self, cursor: _Cursor) -> int:
        found = 0
        async with self._database.connection() as conn:
            places = await cursor.take(conn)
        for place in places:
            if self._left <= 0:
                return found
            at = await self._ask(place)
            if self._monotonic() < self._not_before:
                return found  # this place is the next one to be asked for
            cursor.after = place.number
            if at is not None:
                await self._place(place, at)
                found += 1
        if len(places) < LOOKED_AT:
            cursor.after = 0  # from the beginning: what was a miss may have expired
        return found

    async def _ask(self, place: Unlocated) -> Coordinates | None:
        for text in located.texts(place):
            answer = await self._geocoder.search(text, place.in_country)
            self._left -= not answer.cached
            if answer.trouble in _LASTING:
                self._wait(answer)
                return None
            self._pause = FIRST_PAUSE
            at = located.believe(answer.candidates, place)
            if at is not None:
                return at
        return None

    def _wait(self, answer: Located) -> None:
        self._not_before = self._monotonic() + max(self._pause, answer.retry_after_s or 0.0)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)

    async def _place(self, place: Unlocated, at: Coordinates) -> None:
        async with self._database.transaction() as conn:
            moved = await located.place(conn, place, at)
            messages = [event_messages.changed(m.row["id"], m.row, m.changes, "located") for m in moved if m.changes]
            await outbox.put(conn, messages)
        log.info("place_located", place=place.name, precision=at.precision, events=len(moved))


class _Cursor:
    """Goes through the places by their numbers, a stretch at a time."""

    def __init__(self, following: Next) -> None:
        self._following = following
        self.after = 0

    async def take(self, conn: Connection) -> list[Unlocated]:
        return await self._following(conn, self.after, LOOKED_AT)
