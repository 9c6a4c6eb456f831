"""How results are shown: a table for people, JSON for programs.

Text from pages and URLs can hold anything; control characters are taken out before they reach a terminal.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console
    from rich.table import Table

WIDE = 200  # columns when the output is not a terminal: nothing is cut for `grep`
GAP = 2  # between columns
SHORT = 16  # a column up to this width should not wrap
LEAST_FOLDED = 8  # of a column that wraps
_SECONDS = re.compile(r"(?<=^\d{4}-\d\d-\d\d \d\d:\d\d):\d\d$")


def console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDE, highlight=False, soft_wrap=False)


def as_json(value: Any) -> None:
    """One JSON document on stdout, in UTF-8 whatever the terminal speaks: what the API would have in `data`."""
    import orjson

    text = orjson.dumps(_plain(value), default=_plain, option=orjson.OPT_INDENT_2)
    sys.stdout.flush()
    sys.stdout.buffer.write(text + b"\n")


def models(found: Sequence[BaseModel]) -> None:
    as_json([model.model_dump(mode="json") for model in found])


def listing(
    wanted: bool, model: Any, columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]], empty: str
) -> None:
    """Rows as a table, or for programs (`wanted`) as what the API shows of each (`model.of`)."""
    if wanted:
        models([model.of(row) for row in rows])
    else:
        table(columns, rows, empty)


def table(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]], empty: str) -> None:
    """`columns` are heading -> field. `empty` is said when there is no row."""
    cells = [[cell(row.get(field)) for field in columns.values()] for row in rows]
    if not cells:
        message(empty)
        return
    target = console()
    headings = list(columns)
    if _width(headings, cells) > target.width:
        headings, cells = _shortened(headings, cells)
    target.print(_drawn(headings, cells, target.width))


def _drawn(headings: list[str], cells: list[list[str]], width: int) -> Table:
    """Where the terminal is narrow the long columns are folded, not the short ones: half a word says nothing."""
    from rich.table import Table
    from rich.text import Text

    widths = _widths(headings, cells)
    short = [w <= SHORT for w in widths]
    fixed = sum(w for w, kept in zip(widths, short, strict=True) if kept) + GAP * (len(widths) - 1)
    fits = fixed + LEAST_FOLDED * short.count(False) <= width
    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading, kept in zip(headings, short, strict=True):
        shown.add_column(heading, overflow="fold", no_wrap=kept and fits)
    for row in cells:
        shown.add_row(*map(Text, row))
    return shown


def _shortened(headings: list[str], cells: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """For a narrow terminal: times to the minute, without the columns that say nothing."""
    filled = [any(row[n] != "-" for row in cells) for n in range(len(headings))]
    kept = [[_SECONDS.sub("", c) for c, keep in zip(row, filled, strict=True) if keep] for row in cells]
    return [heading for heading, keep in zip(headings, filled, strict=True) if keep], kept


def _widths(headings: list[str], cells: list[list[str]]) -> list[int]:
    return [max(len(heading), *(len(row[n]) for row in cells)) for n, heading in enumerate(headings)]


def _width(headings: list[str], cells: list[list[str]]) -> int:
    return sum(_widths(headings, cells)) + GAP * (len(headings) - 1)


def fields(values: Mapping[str, Any]) -> None:
    """One thing, a line for each of its values."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, show_header=False)
    shown.add_column(style="bold", no_wrap=True)
    shown.add_column(overflow="fold")
    for name, value in values.items():
        if value is not None and value != "" and value != {} and value != []:
            shown.add_row(name.replace("_", " "), Text(cell(value)))
    console().print(shown)


def done(wanted: bool, sentence: str, **facts: Any) -> None:
    """Report a change: a sentence for people, the facts for programs."""
    if wanted:
        as_json(facts)
        return
    for line in sentence.splitlines():
        message(line)


def message(text: str) -> None:
    from rich.text import Text

    console().print(Text(clean(text)))


def cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, timedelta):
        return interval(value)
    if isinstance(value, Mapping):
        return ", ".join(f"{clean(str(k))}={cell(v)}" for k, v in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    return clean(str(value))


def moment(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def interval(value: timedelta) -> str:
    seconds = int(value.total_seconds())
    for name, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= size and seconds % size == 0:
            return f"{seconds // size}{name}"
    return f"{seconds}s"


def clean(text: str) -> str:
    """One line without anything a terminal would obey (escape sequences, direction overrides)."""
    return "".join(" " if c in "\n\r\t" else c for c in text if c in "\n\r\t" or unicodedata.category(c)[0] != "C")


def _plain(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value.total_seconds()
    return value if isinstance(value, dict | list | str | int | float | bool | None) else str(value)
