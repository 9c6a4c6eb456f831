"""Detects how a delimited file is written from its first lines: delimiter, quote, escape, position of the header.

A dialect is right when it makes a header of the file: the one under which a row names most roles wins, then
the one under which most rows are as wide as that header. Nothing is guessed from character counts alone.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import islice, takewhile

import msgspec

from winnow.feeds.failures import BadFile
from winnow.feeds.read.columns import POSITIONS
from winnow.feeds.read.header import NONE, ColumnPlan, count_roles, header_like, is_removal_list, plan
from winnow.feeds.read.text import begins_with

SAMPLE_CHARACTERS = 256 << 10
SAMPLE_ROWS = 200
HEADER_WITHIN = 25  # rows of preamble (title, date, remarks) before a header
DELIMITERS = ("\t", "|", ";", ",", "^", "~", "\x01", "¦", "§")
MIN_ROLES = 2
_PARAMETERS = re.compile(r"^\"?&PARAMETERS=([^\r\n\"]+)\"?[^\r\n]*$", re.MULTILINE | re.IGNORECASE)
_HEADLESS = (
    "if it has none, say whose layout it is with `--network`, or where things stand with `--column name=#2` and so on;"
    " if it has one, with `--delimiter` what separates its columns"
)
RAKUTEN_HEADER, RAKUTEN_TRAILER = "HDR", "TRL"


class Dialect(msgspec.Struct, frozen=True):
    delimiter: str
    quote: str = '"'
    escape: str | None = None
    skip_space: bool = False

    def options(self, strict: bool) -> dict[str, object]:
        return {
            "delimiter": self.delimiter,
            "quotechar": self.quote,
            "escapechar": self.escape,
            "skipinitialspace": self.skip_space,
            "strict": strict,
        }


class Sheet(msgspec.Struct, frozen=True):
    """A delimited file: its dialect, which records come before the first row, and what the columns mean."""

    dialect: Dialect
    plan: ColumnPlan
    skip: int  # records before the first row of data, header included
    open_ended: bool = False  # rows may be longer than the plan (Rakuten's attributes)
    trailer: str | None = None  # first cell of a closing record that says how many rows there are


def read_records(text: str, dialect: Dialect, strict: bool = False) -> Iterator[list[str]]:
    options = dialect.options(strict)
    return csv.reader(io.StringIO(text, newline=""), **options)  # type: ignore[arg-type]


def find_sheet(sample: str, network: str, overrides: Mapping[str, str] = NONE, delimiter: str | None = None) -> Sheet:
    """BadFile when no header is found and the network has no order of its own."""
    columns = dict(overrides)
    if not sample.strip("\ufeff\x00 \t\r\n"):
        raise BadFile("the file is empty")
    if (sheet := _with_parameters(sample, network, columns, delimiter)) is not None:
        return sheet
    best: tuple[int, int, int, Sheet] | None = None
    for rank, dialect in enumerate(_candidates(sample, delimiter)):
        rows = sample_rows(sample, dialect)
        found = _header(rows, network, columns)
        if found is None:
            continue
        at, named = found
        sheet = Sheet(dialect, plan(rows[at], network, columns), at + 1)
        fitting = sum(1 for row in rows[at + 1 :] if _fits(row, sheet.plan.width))
        if best is None or (named, fitting, -rank) > best[:3]:
            best = (named, fitting, -rank, sheet)
    return best[3] if best else _without_header(sample, network, columns, delimiter)


def _with_parameters(sample: str, network: str, columns: dict[str, str], delimiter: str | None) -> Sheet | None:
    """CJ's files for upload: the names of the columns stand in a line of settings, in a dialect of their own."""
    found = _PARAMETERS.search(sample[:4096])
    if found is None:
        return None
    header = plan(found[1].split("|"), network, columns)
    rest = sample[found.end() :].lstrip("\r\n")
    skip = len([line for line in sample[: found.end()].splitlines() if line.strip()])
    dialects = list(_candidates(rest, delimiter)) or [Dialect(",")]
    best = max(dialects, key=lambda d: sum(_fits(row, header.width) for row in sample_rows(rest, d)))
    return Sheet(best, header, skip)


def _fits(row: Sequence[str], width: int) -> bool:
    return len(row) == width or (len(row) > width and not any(row[width:]))


def _candidates(sample: str, delimiter: str | None) -> Iterator[Dialect]:
    first = sample[:4096]
    for mark in [delimiter] if delimiter else [d for d in DELIMITERS if d in first]:
        yield from _quotes_of_header(first, mark)
        yield Dialect(mark)
        if '\\"' in sample or f"\\{mark}" in sample:
            yield Dialect(mark, escape="\\")
        if f'{mark} "' in sample:
            yield Dialect(mark, skip_space=True)
        if f"'{mark}'" in first:
            yield Dialect(mark, quote="'")


def _quotes_of_header(first: str, mark: str) -> Iterator[Dialect]:
    """Signs around the header's own cells are quotes, which an apostrophe in a name does not show."""
    found = re.match(rf"\ufeff?\s*(['\"~`^|])[^'\"~`^|\n]*\1({re.escape(mark)} *)\1", first)
    if found and found[1] != mark and (found[1] != '"' or found[2] != mark):
        yield Dialect(mark, quote=found[1], skip_space=found[2] != mark)


def sample_rows(sample: str, dialect: Dialect) -> list[list[str]]:
    rows: list[list[str]] = []
    with suppress(csv.Error):  # the rows before it are still a sample
        rows.extend(filter(None, islice(read_records(sample, dialect), SAMPLE_ROWS)))
    return [unwrapped(row, dialect) if is_wrapped(row, dialect) else row for row in rows]


def is_wrapped(row: Sequence[str], dialect: Dialect) -> bool:
    """Whether the whole line was taken for one cell and quoted, as spreadsheets do with a file they did not split."""
    return len(row) == 1 and dialect.delimiter in row[0]


def unwrapped(row: Sequence[str], dialect: Dialect) -> list[str]:
    return next(read_records(row[0], dialect), [])


def _header(rows: Sequence[list[str]], network: str, columns: dict[str, str]) -> tuple[int, int] | None:
    """The row that names most roles; what stands below the first header that would do is rows, if there is any data
    between."""
    scores = [_score(row, network, columns) for row in rows[:HEADER_WITHIN]]
    usable = (i for i, row in enumerate(rows[:HEADER_WITHIN]) if scores[i] >= MIN_ROLES and header_like(row, network))
    first = next(usable, None)
    if first is not None:
        together = takewhile(lambda i: scores[i] >= MIN_ROLES, range(first, len(scores)))
        kept = set(together)
        scores = [named if i in kept else 0 for i, named in enumerate(scores)]
    named = max(scores, default=0)
    return (scores.index(named), named) if named >= MIN_ROLES else None


def _score(row: Sequence[str], network: str, columns: dict[str, str]) -> int:
    return max(count_roles(row, network, columns), MIN_ROLES * is_removal_list(row, network))


def _without_header(sample: str, network: str, columns: dict[str, str], delimiter: str | None) -> Sheet:
    if columns and all(name.startswith("#") for name in columns.values()):
        return _by_position(sample, network, columns, delimiter)
    first = sample.lstrip("\ufeff").split("\n", 1)[0]
    rakuten = first.startswith(f"{RAKUTEN_HEADER}|") or network == "RAKUTEN"
    order = POSITIONS.get("RAKUTEN" if rakuten else network)
    if order is None:
        message = "no header row was found: none of the first rows names a product's columns"
        raise BadFile(message + begins_with(sample), hint=_HEADLESS)
    dialect = Dialect(delimiter or _most_frequent(first if not rakuten else sample, ("|", "\t", ",", ";")))
    rows = sample_rows(sample, dialect)
    skip = 1 if rows and rows[0][:1] == [RAKUTEN_HEADER] else 0
    if not any(len(row) >= _min_columns(order) for row in rows[skip:]) and rows[skip:]:
        raise BadFile(f"no header row was found, and the rows are not in the order of {network}")
    width = order if rakuten else order[: max((len(row) for row in rows[skip:]), default=len(order))]
    found = plan(width, "RAKUTEN" if rakuten else network)
    return Sheet(dialect, found, skip, open_ended=True, trailer=RAKUTEN_TRAILER if rakuten else None)


def _min_columns(order: Sequence[str]) -> int:
    return min(len(order), 19)  # ShareASale's oldest layout has 19 columns


def _by_position(sample: str, network: str, columns: dict[str, str], delimiter: str | None) -> Sheet:
    dialect = Dialect(delimiter or _most_frequent(sample, DELIMITERS))
    rows = sample_rows(sample, dialect)
    width = max((len(row) for row in rows), key=[len(row) for row in rows].count)
    return Sheet(dialect, plan([""] * (width - 1) + ["…"], network, columns), 0)


def _most_frequent(text: str, marks: Sequence[str]) -> str:
    return max(marks, key=text.count)
