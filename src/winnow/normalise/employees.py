"""How many people work there -> "51-200", "1000+" or "250"."""

from __future__ import annotations

import re

from winnow.normalise.doubts import Doubt, Unread, unread

MAX_PEOPLE = 5_000_000  # the largest employer on earth has about 2.3 million
_NUMBER = r"\d{1,3}(?:[.,'’ \u00a0\u202f]\d{3})+|\d+(?:[.,]\d)?"
_COUNT = re.compile(rf"({_NUMBER})\s?(k|tsd\.?|mila|mil\b|thousand)?\s?(\+)?", re.IGNORECASE)
_BETWEEN = re.compile(r"^\s?(?:-|–|—|−|to|bis|tot|à|a|al|y|and|und|en|et|e)\s?$", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:over|more than|above|at least|(?:ü|ue)ber|mehr als|meer dan|ruim|plus de|m[aá]s de|oltre|pi[uù] di|mais de)\s*$",
    re.IGNORECASE,
)
_AFTER_MORE = re.compile(
    r"^\s?(?:\+|or more|or above|und mehr|en meer|et plus|o m[aá]s|e oltre|ou mais)", re.IGNORECASE
)


def read_employees(raw: str) -> str | Unread:
    """The range a text states; the first number alone when it states no range."""
    text = " ".join(raw.split())
    found = list(_COUNT.finditer(text))
    if not found:
        return unread(Doubt.UNREADABLE, raw)
    low = _value(found[0], found[1][2] if _is_range(text, found) else None)
    if low is None:
        return unread(Doubt.INVALID, raw)
    if _is_range(text, found):
        return _range(low, _value(found[1], None), raw)
    more = found[0][3] or _MORE.search(text[: found[0].start()]) or _AFTER_MORE.match(text[found[0].end() :])
    return f"{low}+" if more else str(low)


def _is_range(text: str, found: list[re.Match[str]]) -> bool:
    return len(found) > 1 and _BETWEEN.match(text[found[0].end() : found[1].start()]) is not None


def _range(low: int, high: int | None, raw: str) -> str | Unread:
    if high is None or high < low:
        return unread(Doubt.INVALID, raw)
    return f"{low}-{high}" if high > low else str(low)


def _value(match: re.Match[str], shared_unit: str | None) -> int | None:
    """ "1.000" is a thousand, "1.5k" fifteen hundred: one digit after the separator is a decimal."""
    digits, unit = match[1], match[2] or shared_unit
    whole, separator, rest = (
        re.split(r"([.,])", digits, maxsplit=1) if re.fullmatch(r"\d+[.,]\d", digits) else (digits, "", "")
    )
    if separator and not unit:
        return None
    count = int(re.sub(r"\D", "", whole)) * (1000 if unit else 1) + (int(rest) * 100 if separator else 0)
    return count if 0 < count <= MAX_PEOPLE else None
