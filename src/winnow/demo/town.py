"""A small town on loopback whose three venues list their evenings: one as a list, one as a table, one as a calendar
file. One concert is in two of them; the list can be redesigned and an evening of the table cancelled while they are
watched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from html import escape

from aiohttp import web

from winnow.clock import Clock, now

TOWN, ZONE, COORDINATES = "Delft", "Europe/Amsterdam", (52.0116, 4.3571)
CLUB, THEATRE, CALENDAR = "Poppodium De Vuurtoren", "Theater De Gracht", "Uit in Delft"
_DAYS = ("ma", "di", "wo", "do", "vr", "za", "zo")
_MONTHS = (
    "januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober", "november",
    "december",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Evening:
    """`after`: days from the one the demo starts on."""

    title: str
    after: int
    hour: str
    venue: str = "De Vuurtoren"

    def day(self, start: date) -> date:
        return start + timedelta(days=self.after)


CONCERTS = (
    Evening("Marit Holm & Band", 3, "20:30"),
    Evening("De Nachtvlinders", 5, "21:00"),
    Evening("Blauwe Maandag: jamsessie", 7, "20:00"),
    Evening("Rosa van Dam", 9, "20:30"),
    Evening("Fanfare van de Haven", 12, "19:30"),
    Evening("Trio Zonder Naam", 16, "20:30"),
    Evening("Oude Meesters speelt Bowie", 19, "21:00"),
    Evening("Kinderconcert: Tijl en de trom", 20, "14:00"),
)
PLAYS = (
    Evening("De Kersentuin", 4, "20:15"),
    Evening("Hamlet in het klein", 6, "20:15"),
    Evening("Cabaret: Alles op tafel", 10, "20:30"),
    Evening("Het Verdwenen Dorp", 14, "19:30"),
    Evening("Zwanenmeer voor beginners", 21, "14:30"),
)
CANCELLED = PLAYS[2]
# CONCERTS[3], as the town's calendar writes it.
SHARED = Evening(
    "Rosa van Dam in De Vuurtoren", 9, "20:30", "De Vuurtoren, Kade 1, Delft"
)  # CONCERTS[3], as the town's calendar writes it
OUTDOORS = (
    Evening("Rommelmarkt op de Markt", 2, "10:00", "Markt, Delft"),
    Evening("Stadswandeling langs de grachten", 8, "13:00", "Stadhuis, Delft"),
    SHARED,
    Evening("Lezing: water en stad", 11, "19:30", "Bibliotheek, Delft"),
)
CARRIED_OVER = 3  # concerts the redesign still lists as text; of the others only pictures are left


@dataclass
class TownHall:
    """What the three sites show depends on this alone."""

    start: date
    redesigned: bool = False
    cancelled: bool = False
    urls: dict[str, str] = field(default_factory=dict)


class DemoTown:
    """Three running sites."""

    def __init__(self, hall: TownHall, runners: list[web.AppRunner]) -> None:
        self.hall = hall
        self._runners = runners

    @property
    def agendas(self) -> dict[str, str]:
        """The address of each agenda, by the name of its site."""
        return {name: f"{url}{PATHS[name]}" for name, url in self.hall.urls.items()}

    async def stop(self) -> None:
        for runner in self._runners:
            await runner.cleanup()


async def start_town(clock: Clock = now) -> DemoTown:
    hall = TownHall(start=clock().date())
    runners = []
    for name, render in _SITES.items():
        runner = web.AppRunner(_application(hall, name, render), access_log=None, shutdown_timeout=0.5)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        hall.urls[name] = f"http://127.0.0.1:{runner.addresses[0][1]}"
        runners.append(runner)
    return DemoTown(hall, runners)


def _application(hall: TownHall, name: str, render: Callable[[TownHall], str]) -> web.Application:
    content_type = "text/calendar" if name == CALENDAR else "text/html"

    async def agenda(_: web.Request) -> web.Response:
        return web.Response(text=render(hall), content_type=content_type, charset="utf-8")

    async def robots(_: web.Request) -> web.Response:
        return web.Response(text="User-agent: *\nDisallow:\n")

    app = web.Application()
    app.add_routes([web.get(PATHS[name], agenda), web.get("/robots.txt", robots)])
    return app


def render_list(hall: TownHall) -> str:
    """After the redesign most evenings are a poster without a word."""
    shown = CONCERTS[:CARRIED_OVER] if hall.redesigned else CONCERTS
    kind = "tile" if hall.redesigned else "event"
    cards = "".join(
        f'<li class="{kind}"><h3>{escape(evening.title)}</h3>'
        f'<span class="date">{_dutch(evening.day(hall.start))}</span>'
        f'<span class="time">Aanvang: {evening.hour} uur</span><span class="location">{evening.venue}</span></li>'
        for evening in shown
    )
    posters = "".join(f'<li class="{kind}"><img src="/poster/{n}.jpg" alt=""></li>' for n in range(len(CONCERTS)))
    return _page(CLUB, f'<h1>Agenda</h1><ul class="agenda">{cards}{posters if hall.redesigned else ""}</ul>')


def render_table(hall: TownHall) -> str:
    rows = "".join(
        f"<tr><td>{_dutch(play.day(hall.start))}</td><td>{play.hour}</td><td>{escape(play.title)}"
        f"{' (AFGELAST)' if hall.cancelled and play is CANCELLED else ''}</td><td>{THEATRE}</td></tr>"
        for play in PLAYS
    )
    head = "<tr><th>Datum</th><th>Aanvang</th><th>Voorstelling</th><th>Locatie</th></tr>"
    return _page(THEATRE, f"<h1>Voorstellingen</h1><table>{head}{rows}</table>")


def render_calendar(hall: TownHall) -> str:
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", f"PRODID:-//{CALENDAR}//NL", f"X-WR-TIMEZONE:{ZONE}"]
    for n, event in enumerate(OUTDOORS):
        begins = datetime.fromisoformat(f"{event.day(hall.start)}T{event.hour}:00")
        place = event.venue.replace(",", "\\,")
        lines += ["BEGIN:VEVENT", f"UID:{n}@uit-in-delft.example", f"DTSTAMP:{hall.start:%Y%m%d}T000000Z",
                  f"DTSTART;TZID={ZONE}:{begins:%Y%m%dT%H%M%S}", f"SUMMARY:{event.title}", f"LOCATION:{place}",
                  "END:VEVENT"]  # fmt: skip
    return "\r\n".join([*lines, "END:VCALENDAR", ""])


def _dutch(day: date) -> str:
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def _page(name: str, body: str) -> str:
    return (
        f'<!doctype html><html lang="nl"><head><meta charset="utf-8"><title>{name}</title></head>'
        f"<body><header><a href='/'>{name}</a></header><main>{body}</main><footer>{name}, {TOWN}</footer></body></html>"
    )


PATHS = {CLUB: "/agenda", THEATRE: "/voorstellingen", CALENDAR: "/uitagenda.ics"}
_SITES: dict[str, Callable[[TownHall], str]] = {
    CLUB: render_list, THEATRE: render_table, CALENDAR: render_calendar,
}  # fmt: skip
