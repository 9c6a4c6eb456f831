"""How results are shown: a table for people, JSON for programs.

Text from pages and URLs can hold anything; control characters are taken out before they reach a terminal.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel
    from rich.console import Console

WIDE = 200  # columns when the output is not a terminal: nothing is cut for `grep`


def console() -> Console:
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else WIDE, highlight=False, soft_wrap=False)


def as_json(value: Any) -> None:
    """One JSON document on stdout: what the API would have in `data`."""
    import orjson

    text = orjson.dumps(_plain(value), default=_plain, option=orjson.OPT_INDENT_2)
    sys.stdout.write(text.decode() + "\n")


def models(found: Sequence[BaseModel]) -> None:
    as_json([model.model_dump(mode="json") for model in found])


def table(columns: Mapping[str, str], rows: Iterable[Mapping[str, Any]], empty: str) -> None:
    """`columns` are heading -> field. `empty` is said when there is no row."""
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False, header_style="bold")
    for heading in columns:
        shown.add_column(heading, overflow="fold")
    count = 0
    for row in rows:
        shown.add_row(*(Text(cell(row.get(field))) for field in columns.values()))
        count += 1
    if count:
        console().print(shown)
    else:
        say(empty)


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


def say(text: str) -> None:
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
