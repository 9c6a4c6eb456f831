"""Whether day or month comes first in a list of days in figures (E-060).

"9.6.2026" alone has two readings. In a list whose other days are "9.20.2026" and "10.18.2026" it has one, whatever
country the page names: the template of a site is as often English as American. A day that neither the list nor the
country decides is held.
"""

from __future__ import annotations

import re
from collections import Counter

import msgspec

from winnow.extract.draft import Draft, Extraction, Failure, Strategy, Value

MIN_SIGNS = 2  # one day may be a typing error
_DAY = re.compile(r"(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2((?:20)?\d\d)(?![\d./-])")


def with_orders(extraction: Extraction) -> Extraction:
    """The drafts with a day of two readings written out, where the others of the list say which comes first."""
    if isinstance(extraction, Failure) or len(extraction.drafts) < MIN_SIGNS:
        return extraction
    orders = _orders(extraction.drafts)
    if not orders:
        return extraction
    return msgspec.structs.replace(extraction, drafts=[_ordered(draft, orders) for draft in extraction.drafts])


def _orders(drafts: list[Draft]) -> dict[str, bool]:
    """Separator -> whether the month comes first; only where all days that say so agree."""
    signs = Counter(
        sign for draft in drafts for sign in {s for v in draft.values.get("start", []) for s in _signs(v.raw)}
    )
    found = {}
    for separator in "./-":
        first, last = signs[separator, True], signs[separator, False]
        if max(first, last) >= MIN_SIGNS and min(first, last) == 0:
            found[separator] = first > 0
    return found


def _signs(raw: str) -> list[tuple[str, bool]]:
    numbers = [(int(m[1]), m[2], int(m[3])) for m in _DAY.finditer(raw[:200])]
    return [(sep, b > 12) for a, sep, b in numbers if (a > 12) != (b > 12) and max(a, b) <= 31]


def _ordered(draft: Draft, orders: dict[str, bool]) -> Draft:
    starts = draft.values.get("start", [])
    written = [msgspec.structs.replace(value, raw=_written(value.raw, orders)) for value in starts]
    if written == starts:
        return draft
    order = [
        Value(next(_order_of(v.raw, orders) for v in starts if _order_of(v.raw, orders)), Strategy.DOM, "whole list")
    ]
    return msgspec.structs.replace(draft, values={**draft.values, "start": written, "date_order": order})


def _order_of(raw: str, orders: dict[str, bool]) -> str:
    found = _DAY.search(raw[:200])
    if found is None or found[2] not in orders:
        return ""
    return "month first" if orders[found[2]] else "day first"


def _written(raw: str, orders: dict[str, bool]) -> str:
    """Days of two readings as year, month and day."""

    def write(match: re.Match[str]) -> str:
        a, separator, b = int(match[1]), match[2], int(match[3])
        if separator not in orders or not (1 <= a <= 12 and 1 <= b <= 12):
            return match[0]
        month, day = (a, b) if orders[separator] else (b, a)
        year = int(match[4]) + (2000 if len(match[4]) == 2 else 0)
        return f"{year}-{month:02}-{day:02}"

    return _DAY.sub(write, raw) if len(raw) <= 200 else raw
