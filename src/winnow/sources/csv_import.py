"""Reads a CSV of targets: which columns it has, and each row with the line it stands on. Pure.

A row that is wrong never stops the others: it comes out as `Wrong`, with its line number and the reason.
A file without a header is taken as a plain list of URLs, one per line.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from winnow.errors import InvalidInput
from winnow.vocabulary.encodings.evidence import NotText
from winnow.vocabulary.encodings.text_file import UNREADABLE, Encoding, detect

DELIMITERS = ",;\t|"
NO_DELIMITER = "\x1f"  # for a file of one column, so that a comma in a URL stays one
MAX_CELL_LINES = 50  # a quoted cell longer than this is a quotation mark somebody forgot to close
MAX_CELL_CHARACTERS = 65_536
_ALIASES = {
    "url": "url link href address producturl productlink producturls urls targeturl pageurl website",
    "source": "source sourcename sourceid shop store retailer merchant",
    "adapter": "adapter adapterid",
    "schedule": "schedule cron crontab cronschedule",
    "every": "every frequency interval crawlfrequency",
    "priority": "priority prio",
    "enabled": "enabled active",
    "notes": "notes note comment comments remark remarks",
}
FIELD_OF = {alias: field for field, aliases in _ALIASES.items() for alias in aliases.split()}
_NOT_TEXT = {
    "zip": "an Excel or zip file: save it as CSV first",
    "old_excel": "an old Excel file: save it as CSV first",
    "gzip": "a gzip file: unpack it first",
    "bzip2": "a bzip2 file: unpack it first",
    "7z": "a 7-Zip file: unpack it first",
    "rar": "a RAR file: unpack it first",
    "tar": "a tar archive: unpack it first",
    "pdf": "a PDF file",
}
_LOOKS_LIKE_URL = re.compile(r'\s*"?\s*https?://', re.IGNORECASE)


class ImportRow(msgspec.Struct, frozen=True):
    """`fields` holds what the row says, by our names; empty cells are left out."""

    line: int
    fields: dict[str, str]


class Wrong(msgspec.Struct, frozen=True):
    line: int
    reason: str


class ColumnLayout(msgspec.Struct, frozen=True):
    """How the columns are separated and what each means; None: not one of ours."""

    delimiter: str
    columns: tuple[str | None, ...]
    ignored: tuple[str, ...] = ()


class CsvFile:
    """One file being read. `layout` is known from the start, `position` shows how far it has come."""

    def __init__(self, file: BinaryIO) -> None:
        encoding = _encoding(file)
        self.encoding = encoding.name
        self._file = file
        errors = "surrogateescape" if encoding.broken else "strict"
        self._text = io.TextIOWrapper(file, encoding=encoding.name, errors=errors, newline="")
        self._lines = _Lines(self._text)
        self.layout = _layout(self._lines)

    @property
    def position(self) -> int:
        """Bytes taken from the file so far."""
        return self._file.tell()

    def rows(self) -> Iterator[ImportRow | Wrong]:
        for line, record in _records(self._lines, self.layout.delimiter):
            if isinstance(record, str):
                yield Wrong(line, record)
            elif any(cell.strip() for cell in record):
                yield _row(line, record, self.layout)

    def detach(self) -> None:
        """Gives the binary file back to whoever opened it."""
        self._text.detach()


def _encoding(file: BinaryIO) -> Encoding:
    try:
        return detect(file)
    except NotText as found:
        raise InvalidInput(f"this is {_NOT_TEXT.get(found.format, 'not a text file')}") from None


class _Lines:
    """Physical lines with their numbers; some can be put back."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._back: list[str] = []
        self.number = 0

    def next(self) -> str | None:
        try:
            line = self._back.pop() if self._back else self._read()
        except UnicodeDecodeError:  # a UTF-16 file that ends in the middle of a character, for one
            raise InvalidInput(f"line {self.number + 1} cannot be read in this file's encoding") from None
        if not line:
            return None
        self.number += 1
        return line

    def _read(self) -> str:
        line = rest = self._text.readline(MAX_CELL_CHARACTERS)
        while rest and not rest.endswith(("\n", "\r")):  # longer than that: its end is of no interest
            rest = self._text.readline(MAX_CELL_CHARACTERS)
        return line

    def push_back(self, lines: list[str]) -> None:
        self._back.extend(reversed(lines))
        self.number -= len(lines)


def _layout(lines: _Lines) -> ColumnLayout:
    """Reads the header, past empty lines and a spreadsheet's `sep=;`. Without one: a list of URLs."""
    announced = None
    while (line := lines.next()) is not None:
        text = line.strip("\ufeff\r\n \t")
        if text.lower().startswith("sep=") and len(text) == 5:
            announced = text[4]
        elif text and _LOOKS_LIKE_URL.match(line):
            lines.push_back([line])
            return ColumnLayout(NO_DELIMITER, ("url",))
        elif text:
            return _header(line, announced)
    raise InvalidInput("the file is empty")


def _header(line: str, announced: str | None) -> ColumnLayout:
    """The delimiter is the one that makes most columns of ours, one of them being the URL."""
    layouts = [_columns(line, d) for d in (announced or DELIMITERS)]
    best = max(layouts, key=lambda layout: sum(c is not None for c in layout.columns))
    if "url" not in best.columns and "\x00" in line:
        raise InvalidInput("this is not a text file")
    if "url" not in best.columns:
        raise InvalidInput(
            "no column is named url (or link, product_url …), and the first line is not a URL: "
            f"{UNREADABLE.sub('?', line.strip())[:80]!r}"
        )
    return best if len(best.columns) > 1 else ColumnLayout(NO_DELIMITER, best.columns)


def _columns(line: str, delimiter: str) -> ColumnLayout:
    try:
        names = next(csv.reader([line.strip("\ufeff\r\n")], delimiter=delimiter), [])
    except csv.Error:
        names = []
    columns: list[str | None] = []
    for name in names:
        field = FIELD_OF.get(re.sub(r"[^a-z]", "", name.lower()))
        columns.append(field if field not in columns else None)
    ignored = tuple(n.strip() for n, field in zip(names, columns, strict=True) if field is None and n.strip())
    return ColumnLayout(delimiter, tuple(columns), ignored)


def _records(lines: _Lines, delimiter: str) -> Iterator[tuple[int, list[str] | str]]:
    """(line it starts on, its cells or what is wrong with it)."""
    while (line := lines.next()) is not None:
        number, taken = lines.number, [line]
        cells = _cells(taken, delimiter)
        while cells is None:
            more = lines.next() if len(taken) < MAX_CELL_LINES else None
            if more is None:  # never closed: this line is wrong, what was read after it is read again
                lines.push_back(taken[1:])
                cells = "a quotation mark is opened and not closed"
            else:
                taken.append(more)
                cells = _cells(taken, delimiter) if '"' in more else None
        yield number, cells


def _cells(taken: list[str], delimiter: str) -> list[str] | str | None:
    """None when the record goes on in the next line."""
    text = "".join(taken).rstrip("\r\n")
    if len(text) >= MAX_CELL_CHARACTERS - 2:
        return "the line is too long"
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True), [])
    except csv.Error as wrong:
        return None if "unexpected end" in str(wrong) else f"the quotation marks do not match ({wrong})"


def _row(line: int, cells: list[str], layout: ColumnLayout) -> ImportRow | Wrong:
    extra = [cell for cell in cells[len(layout.columns) :] if cell.strip()]
    if extra:
        return Wrong(line, f"it has {len(cells)} columns, the header {len(layout.columns)}")
    pairs = zip(layout.columns, cells, strict=False)
    fields = {name: cell.strip() for name, cell in pairs if name is not None and cell.strip()}
    if any(UNREADABLE.search(cell) for cell in fields.values()):
        return Wrong(line, "it contains bytes that are not UTF-8")
    if any("\x00" in cell for cell in fields.values()):
        return Wrong(line, "it contains a zero character")
    return ImportRow(line, fields) if "url" in fields else Wrong(line, "it has no URL")
