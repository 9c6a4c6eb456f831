"""Agendas on loopback that list the same evenings in every run, and others when they are read the second time.

A venue's agenda has two pages; of every fifth one the pages of its events are read as well. As many agendas are that
of a paper, which lists evenings of the venues before it in its own words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from aiohttp import web

from winnow.clock import now

FIRST_PAGE, SECOND_PAGE = 8, 5
_BEFORE = ("Marit", "Blauwe", "Stille", "Wilde", "Late", "Oude", "Kleine", "Hoge", "Verre", "Zachte", "Rode")
_AFTER = ("Fanfare", "Vogels", "Kamer", "Wolken", "Trein", "Tuin", "Haven", "Spiegel", "Molen", "Brug", "Rivier",
          "Lamp", "Duinen")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evening:
    number: int
    title: str
    day: date
    hour: str
    venue: str

    @property
    def shown(self) -> str:
        return f'<time datetime="{self.day}T{self.hour}">{self.day:%d-%m-%Y} {self.hour}</time>'


class Agendas:
    """`again`: they are read the second time, and some evenings have changed."""

    def __init__(self, count: int, today: date | None = None) -> None:
        self.count = count
        self.again = False
        self.url = ""
        self._today = today or now().date()

    async def start(self) -> Agendas:
        app = web.Application()
        app.add_routes([
            web.get("/robots.txt", self._robots),
            web.get("/a/{venue:\\d+}/agenda", self._first),
            web.get("/a/{venue:\\d+}/agenda/2", self._second),
            web.get("/a/{venue:\\d+}/e/{event:\\d+}", self._detail),
        ])  # fmt: skip
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    def agenda(self, venue: int) -> str:
        return f"{self.url}/a/{venue}/agenda"

    def evenings(self, venue: int) -> list[Evening]:
        if is_paper(venue):
            return [listed for n in range(1, min(7, venue)) for listed in self._in_print(venue, n)]
        return list(self._of_venue(venue))

    def _of_venue(self, venue: int) -> Iterator[Evening]:
        for n in range(FIRST_PAGE + SECOND_PAGE):
            title = f"{_BEFORE[venue % len(_BEFORE)]} {_AFTER[n]}"
            day, hour = self._today + timedelta(days=3 + 2 * n), f"{19 + n % 3}:30"
            if self.again and n == 1:
                title = f"{title} speelt Brel"
            if self.again and n == 2:
                hour = "22:00"
            if not (self.again and n == 3):  # this one is no longer listed
                yield Evening(n, title, day, hour, f"Zaal {venue}")

    def _in_print(self, paper: int, n: int) -> list[Evening]:
        """The second evening of the venue so many places before."""
        venue = paper - n
        found = [] if is_paper(venue) else [one for one in self._of_venue(venue) if one.number == 4]
        return [Evening(n, f"{one.title} (live)", one.day, one.hour, one.venue) for one in found]

    async def _robots(self, _: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow:\n")

    async def _first(self, request: web.Request) -> web.Response:
        venue = int(request.match_info["venue"])
        evenings = self.evenings(venue)[:FIRST_PAGE]
        more = "" if is_paper(venue) else f'<a rel="next" class="next" href="/a/{venue}/agenda/2">Volgende pagina</a>'
        return _page(f'<h1>Agenda</h1><ul class="agenda">{self._items(venue, evenings)}</ul>{more}')

    async def _second(self, request: web.Request) -> web.Response:
        venue = int(request.match_info["venue"])
        evenings = self.evenings(venue)[FIRST_PAGE:]
        return _page(f'<h1>Agenda</h1><ul class="agenda">{self._items(venue, evenings)}</ul>')

    def _items(self, venue: int, evenings: list[Evening]) -> str:
        return "".join(
            f'<li class="event"><h3><a href="/a/{venue}/e/{one.number}">{one.title}</a></h3>'
            f'{one.shown}<p class="venue">{one.venue}</p></li>'
            for one in evenings
        )  # fmt: skip

    async def _detail(self, request: web.Request) -> web.Response:
        venue, number = int(request.match_info["venue"]), int(request.match_info["event"])
        (one,) = (one for one in self.evenings(venue) if one.number == number)
        begins = datetime.combine(one.day, datetime.strptime(one.hour, "%H:%M").time())
        place = f'{{"@type": "Place", "name": "{one.venue}", "address": "Dorp {venue}"}}'
        event = f'"@type": "Event", "name": "{one.title}", "startDate": "{begins.isoformat()}", "location": {place}'
        data = f'<script type="application/ld+json">{{"@context": "https://schema.org", {event}}}</script>'
        return _page(f'{data}<h1>{one.title}</h1><p>{one.shown}</p><p class="venue">{one.venue}</p>')


def is_paper(venue: int) -> bool:
    return venue % 5 == 0


def has_details(venue: int) -> bool:
    return venue % 5 == 1


def _page(body: str) -> web.Response:
    html = f'<!doctype html><html lang="nl"><head><title>Agenda</title></head><body><main>{body}</main></body></html>'
    return web.Response(text=html, content_type="text/html")
