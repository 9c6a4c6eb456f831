"""One line whose quotes are wrong -> its cells, if there is a reading that is as wide as the header.

Two readings are tried. In the first a quoted cell ends at the first quote that stands before a delimiter, so
that `"5" pipe, steel"` keeps its inner quote. In the second a cell whose quote is never closed is taken as
written, so that `"Foo` is a cell that begins with a quote.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from winnow.feeds.read.csv.dialect import Dialect

MAX_LINE = 1 << 20  # longer lines with broken quotes are not worth the patterns


def split_tolerantly(line: str, dialect: Dialect, fits: Callable[[list[str]], bool]) -> list[str] | None:
    if len(line) > MAX_LINE:
        return None
    for pattern in _patterns(dialect.delimiter, dialect.quote):
        row = [_cell(found, dialect) for found in pattern.finditer(line)]
        if fits(row):
            return row
    return None


@cache
def _patterns(delimiter: str, quote: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    d, q = re.escape(delimiter), re.escape(quote)
    ends, begins = rf"(?={d}|$)", rf"(?:^|(?<={d}))"
    to_closing = rf"{begins}[ ]*{q}(?P<quoted>.*?){q}[ ]*{ends}"
    well_formed = rf"{begins}{q}(?P<quoted>(?:[^{q}]|{q}{q})*){q}{ends}"
    plain = rf"{begins}(?P<plain>[^{d}]*){ends}"
    return re.compile(f"{to_closing}|{plain}"), re.compile(f"{well_formed}|{plain}")


def _cell(found: re.Match[str], dialect: Dialect) -> str:
    if found["quoted"] is None:
        return found["plain"]
    text = found["quoted"].replace(dialect.quote * 2, dialect.quote)
    return text.replace("\\" + dialect.quote, dialect.quote)
