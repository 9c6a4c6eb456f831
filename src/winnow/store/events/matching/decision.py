"""Whether two events of two sources are one. Pure; the order of the rules is that of DESIGN §11.30.

A merge needs the same local day and start (or one of them without an hour), the same place, equal numbers in the
titles, and words that agree, or vectors that do while some words agree. What speaks for it and does not suffice is a
doubt.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from enum import StrEnum

import msgspec

from winnow.store.events.matching import tokens
from winnow.store.events.place import NEAR_ENOUGH, metres
from winnow.store.events.row import TBD
from winnow.vocabulary.event_titles import vocabulary

SAME_METRES = 300.0  # DESIGN §11.30
SAME_HOUSE_METRES = 75.0  # two houses with other names, next to each other, are further apart
OTHER_METRES = 1_000.0
TOWN_METRES = 15_000.0  # from the middle of a town to its edge
# Shares of the words, set on the pairs of tests/quality/event_pairs.py so that no pair is merged wrongly.
WORDS_AGREE, WORDS_AGREE_NO_HOUR = 0.5, 0.6
WORDS_AGREE_WITH_OTHERS = 0.7  # where each title has words that the other has not: "the small bear", "the small prince"
VECTORS_AGREE, VECTORS_ALIKE = 0.9, 0.75
DOORS_MINUTES = 30  # sources mix up doors and start


class Similarity(msgspec.Struct, frozen=True):
    """How alike two titles are to a model. `agree`: from where on it says that they mean the same."""

    cosine: float
    model: str = ""
    agree: float = VECTORS_AGREE


Compare = Callable[[str, str], Similarity | None]


class Match(StrEnum):
    MERGE = "merge"
    DOUBT = "doubt"
    DISTINCT = "distinct"


class Near(StrEnum):
    SAME = "same"
    UNKNOWN = "unknown"
    OTHER = "other"


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """What is compared of an event."""

    id: int
    source_id: int
    title: str
    day: date
    hour: str
    venue_id: int | None = None
    venue_key: str = ""
    town_key: str = ""
    latitude: float | None = None
    longitude: float | None = None
    precision: str | None = None

    @property
    def point(self) -> tuple[float, float] | None:
        return None if self.latitude is None or self.longitude is None else (self.latitude, self.longitude)

    @property
    def house(self) -> tuple[float, float] | None:
        return self.point if self.precision in NEAR_ENOUGH else None


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    outcome: Match
    reason: str
    score: float = 0.0
    facts: dict[str, str | float] = {}


def no_vectors(_a: str, _b: str) -> Similarity | None:
    """Without an embedding model words decide alone."""
    return None


def decide(a: Side, b: Side, similarity: Compare = no_vectors) -> Decision:
    if a.source_id == b.source_id:
        return Decision(outcome=Match.DISTINCT, reason="one source")
    if a.day != b.day:
        return Decision(outcome=Match.DISTINCT, reason="another day")
    where = place(a, b)
    if where is Near.OTHER:
        return Decision(outcome=Match.DISTINCT, reason="another place")
    if _hours(a, b) is Near.OTHER:  # before the titles are read: most candidates end here
        return Decision(outcome=Match.DISTINCT, reason="another hour")
    drop = _place_words(a, b)
    titles = tokens.read(a.title, a.day, drop), tokens.read(b.title, b.day, drop)
    agreement = tokens.compare(*titles)
    found = _of_titles(a, b, titles, agreement, similarity)
    if found.outcome is Match.MERGE and where is Near.UNKNOWN:
        found = msgspec.structs.replace(found, outcome=Match.DOUBT, reason="the same place is not certain")
    facts = {"overlap": round(agreement.overlap, 3), "contained": round(agreement.contained, 3), "place": str(where)}
    return msgspec.structs.replace(found, score=agreement.overlap, facts={**facts, **found.facts})


def _of_titles(
    a: Side, b: Side, titles: tuple[tokens.Title, tokens.Title], agreement: tokens.Agreement, similarity: Compare
) -> Decision:
    hours = _hours(a, b)
    words = _words_agree(agreement, exact=a.hour == b.hour != TBD)
    if not tokens.same_numbers(*titles):
        both = any(all(getattr(title, name) for title in titles) for name in ("numbers", "ages", "weekdays", "tongues"))
        doubt = words and not both
        return Decision(outcome=Match.DOUBT if doubt else Match.DISTINCT, reason="other numbers")
    if not agreement.day_parts:
        return Decision(outcome=Match.DISTINCT, reason="another part of the day")
    if any(agreement.apart):
        one_more = not all(agreement.apart)
        return Decision(outcome=Match.DOUBT if words and one_more else Match.DISTINCT, reason="another sort of event")
    if words and hours is Near.UNKNOWN:
        return Decision(outcome=Match.DOUBT, reason="half an hour apart")
    if words and all(agreement.left) and agreement.overlap < WORDS_AGREE_WITH_OTHERS:
        return Decision(outcome=Match.DOUBT, reason="each has words of its own")
    if words and agreement.contained > agreement.overlap and _part_of_festival(titles, agreement):
        return Decision(outcome=Match.DOUBT, reason="part of a festival")
    if words and agreement.grown:
        return Decision(outcome=Match.DOUBT, reason="one says more in the same breath")
    if words:
        return Decision(outcome=Match.MERGE, reason="day, start, place and words agree")
    return _of_vectors(a, b, agreement, similarity, hours)


def _of_vectors(a: Side, b: Side, agreement: tokens.Agreement, similarity: Compare, hours: Near) -> Decision:
    """Vectors count only where some of the words agree as well, and both hours are known."""
    if not agreement.shared:
        return Decision(outcome=Match.DISTINCT, reason="other words")
    found = similarity(a.title, b.title)
    alike = 0.0 if found is None else found.cosine
    facts: dict[str, str | float] = {} if found is None else {"cosine": round(alike, 3), "model": found.model}
    exact = a.hour == b.hour != TBD
    if found is not None and alike >= found.agree and exact:
        return Decision(outcome=Match.MERGE, reason="day, start, place and vectors agree", facts=facts)
    if hours is Near.SAME and (agreement.shared > 1 or alike >= VECTORS_ALIKE):
        return Decision(outcome=Match.DOUBT, reason="some words agree", facts=facts)
    return Decision(outcome=Match.DISTINCT, reason="other words", facts=facts)


def _words_agree(agreement: tokens.Agreement, *, exact: bool) -> bool:
    if not agreement.shared:
        return agreement.overlap == 1.0  # "Concert" and "Concert"
    if exact:
        return agreement.overlap >= WORDS_AGREE or agreement.contained > 0.99
    return agreement.overlap >= WORDS_AGREE_NO_HOUR or (agreement.contained > 0.99 and agreement.shared > 1)


def _part_of_festival(titles: tuple[tokens.Title, tokens.Title], agreement: tokens.Agreement) -> bool:
    """A festival, and one of its acts at the hour at which it begins."""
    short = min(titles, key=lambda title: len(title.words))
    return any(agreement.left) and any(word.endswith("fest") or word.endswith("festival") for word in short.words)


def _hours(a: Side, b: Side) -> Near:
    if TBD in (a.hour, b.hour) or a.hour == b.hour:
        return Near.SAME
    return Near.UNKNOWN if abs(_minutes(a.hour) - _minutes(b.hour)) <= DOORS_MINUTES else Near.OTHER


def _minutes(hour: str) -> int:
    return int(hour[:2]) * 60 + int(hour[3:])


def place(a: Side, b: Side) -> Near:
    if a.venue_id is not None and a.venue_id == b.venue_id:
        return Near.SAME
    names = _names(a, b)
    if a.house and b.house:
        return _by_distance(metres(a.house, b.house), names)
    if names is Near.OTHER:
        return Near.OTHER
    if a.town_key and b.town_key:
        return Near.OTHER if a.town_key != b.town_key else names
    if a.point and b.point:
        within = metres(a.point, b.point) <= TOWN_METRES
        return names if within else Near.OTHER
    return Near.UNKNOWN


def _by_distance(apart: float, names: Near) -> Near:
    if names is Near.OTHER:
        near = Near.SAME if apart <= SAME_HOUSE_METRES else Near.UNKNOWN
        return near if apart <= SAME_METRES else Near.OTHER
    if apart <= SAME_METRES:
        return Near.SAME
    return Near.UNKNOWN if apart <= OTHER_METRES else Near.OTHER


def _names(a: Side, b: Side) -> Near:
    """UNKNOWN where one of them names no house."""
    if not a.venue_key or not b.venue_key:
        return Near.UNKNOWN
    one, other = set(a.venue_key.split()), set(b.venue_key.split())
    silent = vocabulary().silent
    one, other = one - silent or one, other - silent or other
    if a.venue_key.replace(" ", "") == b.venue_key.replace(" ", ""):  # "Tivoli Vredenburg"
        return Near.SAME
    return Near.SAME if one <= other or other <= one else Near.OTHER


def _place_words(a: Side, b: Side) -> frozenset[str]:
    return frozenset(f"{a.venue_key} {b.venue_key} {a.town_key} {b.town_key}".split())
