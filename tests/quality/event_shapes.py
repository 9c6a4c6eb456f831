"""What pages of events are made of: names, days, and the list of shapes each page registers itself in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import msgspec

NL_DAYS = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
NL_MONTHS = (
    "januari",
    "februari",
    "maart",
    "april",
    "mei",
    "juni",
    "juli",
    "augustus",
    "september",
    "oktober",
    "november",
    "december",
)
NL_SHORT = ("jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec")
DE_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
DE_MONTHS = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)
BANDS = (
    "Holle Vaten",
    "De Kleine Kade",
    "Nachtwinkel",
    "Mira & the Owls",
    "Grijs Gebied",
    "Trio Lindeboom",
    "Zeebries",
    "Karel Wolff",
    "The Paper Kites Club",
    "Oranjebitter",
    "Sol y Sombra",
    "Kwartet 9",
    "Veenlicht",
    "Dorpsfeest",
)
NAV = '<header><a href="/">Home</a><nav><ul><li><a href="/agenda">Agenda</a></li><li><a href="/info">Info</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>'
FOOT = '<footer><p>© 2026 Stichting De Zaal</p><p>Kassa open vanaf 19:00</p><a href="/privacy">Privacy</a></footer>'


class EventPage(msgspec.Struct, frozen=True):
    """`truth`: each event's name and beginning (a day, with its hour where the page shows one), in page order. `empty`:
    the page says itself that there is none."""

    shape: str
    url: str
    html: str
    truth: tuple[tuple[str, str], ...]
    empty: bool = False
    next_page: str = ""


Shape = Callable[[], EventPage]
LISTS: list[Shape] = []
DETAILS: list[Shape] = []
OTHERS: list[Shape] = []


def listing(shape: Shape) -> Shape:
    LISTS.append(shape)
    return shape


def detail(shape: Shape) -> Shape:
    DETAILS.append(shape)
    return shape


def other(shape: Shape) -> Shape:
    OTHERS.append(shape)
    return shape


def html(body: str, lang: str = "nl", title: str = "De Zaal", head: str = "") -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{NAV}{body}{FOOT}</body></html>'


def nights(count: int = 8, first: date = date(2026, 9, 2), step: int = 3) -> Iterator[tuple[str, date, str]]:
    for n in range(count):
        yield BANDS[n % len(BANDS)], first + timedelta(days=n * step), f"{19 + n % 3}:{(n % 2) * 30:02}"


def nl(day: date, *, short: bool = True, year: bool = False, weekday: bool = True) -> str:
    name = f"{NL_DAYS[day.weekday()][:2] if short else NL_DAYS[day.weekday()]} " if weekday else ""
    month = NL_SHORT[day.month - 1] if short else NL_MONTHS[day.month - 1]
    return f"{name}{day.day} {month}{f' {day.year}' if year else ''}"


def slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def hourly(count: int = 8) -> tuple[tuple[str, str], ...]:
    return tuple((name, f"{day}T{clock}") for name, day, clock in nights(count))


def daily(count: int = 8) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(day)) for name, day, _ in nights(count))
