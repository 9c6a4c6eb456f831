"""Pairs of events of two sources, with what a person says of them: one event, or two. In the shapes of real listings,
with made-up names.

A pair is (same?, left, right); a side is (title, hour, venue, town), all on one day unless it has another.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from winnow.store.events.matching.decision import Side
from winnow.store.events.place import key_of

DAY = date(2026, 5, 9)
# Two houses 40 m apart, one 250 m away, one in another town: what coordinates the venues have.
POINTS = {
    "De Vuurtoren": (52.0900, 5.1200),
    "Vuurtoren Foyer": (52.0902, 5.1202),
    "Kerk aan de Kade": (52.0920, 5.1215),
    "De Zaagmolen": (52.3700, 4.8900),
}


class Pair(NamedTuple):
    same: bool
    left: Side
    right: Side
    sort: str


def side(
    n: int, title: str, hour: str = "20:30", venue: str = "De Vuurtoren", town: str = "Utrecht", day: date = DAY
) -> Side:
    point = POINTS.get(venue)
    return Side(
        id=n,
        source_id=n,
        title=title,
        day=day,
        hour=hour,
        venue_key=key_of(venue, town) if venue else "",
        town_key=town.lower(),
        latitude=point and point[0],
        longitude=point and point[1],
        precision="exact" if point else None,
    )


ACTS = (
    "Nachtvlinders", "The Paper Lanterns", "Orkest van de Maan", "Sofie de Wit", "Kwartet Zilverduin", "Blauwe Uren",
    "Marlène & de Matrozen", "Woodsmoke Parade", "Het Grote Vergeten", "Lies van Dam", "Copper Kettle Band",
    "Zoutvlakte",
)  # fmt: skip

# The same event, otherwise written.
REWRITTEN = (
    ("{0}", "{0} (live)"),
    ("{0}", "Concert: {0}"),
    ("{0}", "{0} @ De Vuurtoren"),
    ("{0}", "{0} - UITVERKOCHT"),
    ("{0}", "{0} + support: Kleine Golf"),
    ("{0} in concert", "{0}"),
    ("{0} | Albumpresentatie", "{0}"),
    ("{0}", "De Vuurtoren presenteert: {0}"),
    ("{0} 2026", "{0}"),
    ("{0}", "{0} | za 9 mei 2026, 20:30 uur"),
)

# One event in two languages.
TRANSLATED = (
    ("Kerstmarkt Oude Haven", "Christmas Market Oude Haven"),
    ("Rommelmarkt Zuiderpark", "Flea Market Zuiderpark"),
    ("Rondleiding Domtuin", "Guided Tour Domtuin"),
    ("Tentoonstelling: Licht en Water", "Exhibition: Licht en Water"),
    ("Bierfestival Werkspoor", "Beer Festival Werkspoor"),
    ("Het Zwanenmeer", "Swan Lake"),
    ("De Notenkraker", "The Nutcracker"),
    ("Orgelconcert Nicolaïkerk", "Organ Concert Nicolaïkerk"),
    ("Boekenmarkt Janskerkhof", "Book Market Janskerkhof"),
    ("Open dag Sterrenwacht", "Open Day Sterrenwacht"),
    ("Koningsnacht Neude", "King's Night Neude"),
    ("Stadswandeling Oud Utrecht", "City Walk Old Utrecht"),
    ("Museumnacht Utrecht", "Museum Night Utrecht"),
    ("Nieuwjaarsconcert Symfonieorkest Zilverduin", "New Year Concert Symphony Orchestra Zilverduin"),
    ("Wijnproeverij Kasteel Rozenburg", "Wine Tasting Kasteel Rozenburg"),
)

# Spelling, joining, punctuation.
SPELT = (
    ("Jazz in the Park", "Jazz @ Park"),
    ("Jazz Festival Maliebaan", "Jazzfestival Maliebaan"),
    ("Nachtvlinders", "Nachtvlinder's"),
    ("Café Chantant", "Cafe Chantant"),
    ("Rock 'n' Roll Avond", "Rock n Roll avond"),
    ("Oost-West Thuis Best", "Oost West, Thuis Best!"),
    ("Straattheaterfestival Lichtblik", "Straattheater festival Lichtblik"),
    ("Het Groote Vergeten", "Het Grote Vergeten"),
    ("Sofie de Wit & Kwartet Zilverduin", "Sofie de Wit and Kwartet Zilverduin"),
    ("Kwartet Zilverduin speelt Schubert", "Kwartet Zilverduin: Schubert"),
    ("Deel 2: Zoutvlakte", "Zoutvlakte deel twee"),
    ("Woodsmoke Parade vol. III", "Woodsmoke Parade vol. 3"),
)

# Two events on one day at one place and hour, or nearly.
APART_TITLES = (
    ("Hamlet", "Macbeth"),
    ("Inleiding Hamlet", "Hamlet"),
    ("Hamlet (Engelstalig)", "Hamlet (Nederlands)"),
    ("Yoga voor beginners", "Yoga voor gevorderden"),
    ("Voetbal dames 1", "Voetbal heren 1"),
    ("Zoutvlakte deel 1", "Zoutvlakte deel 2"),
    ("Woodsmoke Parade vol. 3", "Woodsmoke Parade vol. 4"),
    ("Workshop zeefdruk", "Workshop boekbinden"),
    ("Lezing: de maan", "Lezing: de zee"),
    ("Quiz", "Karaoke"),
    ("Comedy Night", "Salsa Night"),
    ("Kinderconcert Zilverduin", "Quiz Zilverduin"),
    ("Film: Blauwe Uren", "Film: Het Grote Vergeten"),
    ("Festival Lichtblik: Nachtvlinders", "Festival Lichtblik: Zoutvlakte"),
    ("Orkest van de Maan speelt Mahler 5", "Orkest van de Maan speelt Mahler 9"),
    ("Rondleiding toren", "Rondleiding kelder"),
    ("Diner & Hamlet", "Hamlet"),
    ("Museumnacht kids", "Museumnacht"),
)


def labelled() -> list[Pair]:
    """The pairs of event_pairs.tsv: each of its own, none made from a pattern."""
    return _from_file("event_pairs.tsv")


def held_out() -> list[Pair]:
    """Pairs that were written before the rules met them."""
    return _from_file("event_pairs_held_out.tsv")


def audited() -> list[Pair]:
    """Pairs that an audit wrote without the rules before it, hard ones among them."""
    return _from_file("event_pairs_audit.tsv")


def _from_file(name: str) -> list[Pair]:
    lines = (Path(__file__).parent / name).read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if not line.startswith("#")]
    return [Pair(same == "+", _read(1, left), _read(2, right), sort) for same, sort, left, right in cells]


def _read(n: int, text: str) -> Side:
    title, *more = (part.strip() for part in text.split(" ; "))
    hour, venue, town, later = [*more, *("20:30", "De Vuurtoren", "Utrecht", "+0")[len(more) :]]
    return side(n, title, hour, venue, town, DAY + timedelta(days=int(later)))


def pairs() -> Iterator[Pair]:
    yield from _same()
    yield from _other()


def _same() -> Iterator[Pair]:
    for act in ACTS:
        for left, right in REWRITTEN:
            yield Pair(True, side(1, left.format(act)), side(2, right.format(act)), "rewritten")
    for left, right in (*TRANSLATED, *SPELT):
        sort = "translated" if (left, right) in TRANSLATED else "spelt"
        yield Pair(True, side(1, left), side(2, right, venue="Vuurtoren"), sort)
    for act in ACTS:
        yield Pair(True, side(1, act), side(2, act, hour="TBD"), "no hour")
        yield Pair(True, side(1, act), side(2, act, venue="De Vuurtoren, Grote Zaal"), "a room of the house")
        yield Pair(
            True, side(1, act, venue="Theater Zuid"), side(2, act, venue="Theater Zuid Utrecht"), "no coordinates"
        )


def _other() -> Iterator[Pair]:
    for n, act in enumerate(ACTS):
        other = ACTS[(n + 1) % len(ACTS)]
        yield Pair(False, side(1, act), side(2, act, day=date(2026, 5, 10)), "second night")
        yield Pair(False, side(1, act, hour="14:00"), side(2, act, hour="20:30"), "matinee and evening")
        yield Pair(False, side(1, act), side(2, act, venue="De Zaagmolen", town="Amsterdam"), "two towns")
        yield Pair(False, side(1, act), side(2, other), "another act")
        yield Pair(False, side(1, act), side(2, other, hour="TBD"), "another act, no hour")
        yield Pair(
            False, side(1, f"{act} - vrijdag"), side(2, f"{act} - zaterdag", day=date(2026, 5, 10)), "festival day"
        )
        yield Pair(
            False, side(1, act, venue="Grote Kerk"), side(2, act, venue="Grote Kerk", town="Breda"), "namesake venue"
        )
        yield Pair(False, side(1, act, hour="20:30"), side(2, act, hour="22:30"), "second show")
        yield Pair(False, side(1, f"Festival Lichtblik: {act}"), side(2, f"Festival Lichtblik: {other}"), "stages")
    for left, right in APART_TITLES:
        yield Pair(False, side(1, left), side(2, right), "other titles")
        yield Pair(False, side(1, left, hour="TBD"), side(2, right), "other titles, no hour")
    yield Pair(False, side(1, "Quiz Night"), side(2, "Quiz Night", venue="Kerk aan de Kade"), "next door")
    yield Pair(False, side(1, "Open mic"), side(2, "Open mic", venue="Kerk aan de Kade"), "next door")
