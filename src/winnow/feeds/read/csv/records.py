"""Blocks of text -> records of cells. Fast for well-formed files, and one broken quote costs one row.

The C reader runs in strict mode over a whole block. Where it objects, that block is read record by record: a
record over several lines counts only if its quotes are right and it is as wide as the header; otherwise its
first line is looked at alone, and reading goes on with the next line. (A reader that forgives would swallow
every row up to the next quote, or glue two rows into one that looks whole.)

Lines that a memory knows to be a record each are not taken apart again. That holds only where every other line of
the block turns out to be a record of its own too: then no quote reaches from one line into another.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from itertools import accumulate, compress, count

import msgspec

from winnow.feeds.read.csv.dialect import Dialect, is_wrapped, unwrapped
from winnow.feeds.read.csv.stray_quotes import split_tolerantly
from winnow.feeds.read.digest import Memory
from winnow.feeds.read.row import STRAY_QUOTE
from winnow.feeds.read.text import Text

MAX_FIELD = 4 << 20  # characters; Python's own limit of 131 072 is less than some descriptions
MAX_RECORD_LINES = 2_000  # the longest description seen as HTML source has a few hundred
_BREAKS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"  # where str.splitlines ends a line and no file does
csv.field_size_limit(max(MAX_FIELD, csv.field_size_limit()))


class Records(msgspec.Struct):
    """Records of one block.

    `lines`: where each begins, when that is not simply counted on from `first_line`. `broken`: index -> why it is
    no record. `repaired`: indexes of records whose quotes were wrong but could be read in one way only.
    `digests`: of each row, where each is a line. `known`: place and digest of records that are not in `rows` because
    the memory knows them; `places`: where the rows stand among them, when that is not their index.
    """

    rows: list[list[str]]
    first_line: int
    damaged: bool = False
    lines: list[int] | None = None
    broken: dict[int, str] = {}
    repaired: set[int] = set()
    repair_code: str = STRAY_QUOTE
    digests: list[bytes] | None = None
    known: list[tuple[int, bytes]] = []
    places: list[int] | None = None

    def place_of(self, index: int) -> int:
        return index if self.places is None else self.places[index]

    def line_of(self, index: int) -> int:
        if self.lines is not None:
            return self.lines[index]
        if self.places is not None:
            return self.first_line + self.places[index]
        inner = sum(cell.count("\n") for row in self.rows[:index] for cell in row)
        return self.first_line + index + inner

    def all_lines(self) -> list[int]:
        if self.lines is not None:
            return self.lines
        lengths = [1 + sum(cell.count("\n") for cell in row) for row in self.rows]
        return list(accumulate(lengths, initial=self.first_line))[:-1]

    def without_blanks(self, single_lines: bool) -> Records:
        """Blank lines are no records; where the others stand is kept."""
        lines = count(self.first_line) if single_lines else self.all_lines()
        self.lines = list(compress(lines, self.rows))
        self.digests = None if self.digests is None else list(compress(self.digests, self.rows))
        self.rows = list(filter(None, self.rows))
        return self

    def piece(self, start: int, end: int) -> Records:
        inside = range(start, end)
        return Records(
            self.rows[start:end],
            self.first_line,
            self.damaged,
            self.all_lines()[start:end],
            {i - start: why for i, why in self.broken.items() if i in inside},
            {i - start for i in self.repaired if i in inside},
            self.repair_code,
            None if self.digests is None else self.digests[start:end],
        )


def records(
    blocks: Iterable[Text],
    dialect: Dialect,
    width: int,
    *,
    open_ended: bool = False,
    skip: int = 0,
    memory: Memory | None = None,
) -> Iterator[Records]:
    """Without the first `skip` records (the header, and what stands before it): those are no rows, whatever the
    memory says of their like."""
    reader = _BlockReader(dialect, width, open_ended, memory)
    for block in blocks:
        reader.asks = not skip
        found = reader.read(block)
        if skip:
            taken = min(skip, len(found.rows))
            found, skip = found.piece(taken, len(found.rows)), skip - taken
        yield found
    if reader.kept:
        yield reader.finish()


class _BlockReader:
    def __init__(self, dialect: Dialect, width: int, open_ended: bool, memory: Memory | None) -> None:
        self.options = dialect.options(strict=True)
        self.dialect, self.width, self.open_ended, self.memory = dialect, width, open_ended, memory
        self.splits = dialect.escape is None and not dialect.skip_space
        self.asks = False
        self.plain = False  # whether the lines at hand are cells and delimiters, and nothing else
        self.by_line = True  # as long as each line is a record, known ones need not be taken apart
        self.kept: list[str] = []  # lines of a record that goes on in the next block
        self.kept_damaged = False
        self.line = 1

    def read(self, block: Text) -> Records:
        if not self.kept and not block.text.strip("\r\n"):  # blank lines only: nothing to take apart
            self.line += block.text.count("\n")
            return Records([], self.line)
        lines = self._lines(block.text)
        damaged = block.damaged or self.kept_damaged
        self.kept = []
        found = self._fast(lines) or self._careful(lines, final=False)
        found.damaged = damaged
        self.kept_damaged = damaged and bool(self.kept)
        self.line += len(lines) - len(self.kept)
        return found

    def _lines(self, text: str) -> list[str]:
        """With their ends, which may be part of a cell; without where there is no quote, and so no such cell."""
        self.plain = self.splits and not self.kept and not any(sign in text for sign in (self.dialect.quote, *_BREAKS))
        if self.plain:
            return text.splitlines()
        return self.kept + io.StringIO(text, newline="").readlines()

    def finish(self) -> Records:
        lines, self.kept = self.kept, []
        found = self._careful(lines, final=True)
        found.damaged = self.kept_damaged
        return found

    def _fast(self, lines: list[str]) -> Records | None:
        digests = self.memory.digests.of_lines(lines) if self.memory is not None and self.by_line else None
        if digests is not None and self.memory is not None and self.asks:
            known = self.memory(digests)
            if any(known) and (found := self._others(lines, digests, known)) is not None:
                return found
        rows = self._strictly(lines)
        self.by_line = rows is not None and len(rows) == len(lines)
        if rows is None or not (self.by_line or all(self._plausible(row) for row in rows)):
            return None
        if any(is_wrapped(row, self.dialect) for row in rows if len(row) == 1):
            return None
        found = Records(rows, self.line)
        if self.memory is not None and self.by_line:
            found.digests = digests or self.memory.digests.of_lines(lines)
        return found.without_blanks(self.by_line) if [] in rows else found

    def _others(self, lines: list[str], digests: list[bytes], known: list[bool]) -> Records | None:
        """The records of the lines that are not known, if each of those is one."""
        places = [place for place, matched in enumerate(known) if not matched]
        rows = self._strictly([lines[place] for place in places])
        if rows is None or len(rows) != len(places):
            return None
        if [] in rows:
            places, rows = list(compress(places, rows)), list(filter(None, rows))
        matched = list(compress(enumerate(digests), known))
        return Records(rows, self.line, digests=[digests[place] for place in places], known=matched, places=places)

    def _strictly(self, lines: list[str]) -> list[list[str]] | None:
        """None where the quotes are wrong. Lines without a quote need no reader that looks for them."""
        quote, delimiter = self.dialect.quote, self.dialect.delimiter
        if self.plain:
            return [line.split(delimiter) if line else [] for line in lines]
        if not self.splits:
            return self._by_reader(lines)
        quoted = [line for line in lines if quote in line]
        rows = self._by_reader(quoted) if quoted else []
        if rows is None or len(rows) != len(quoted):
            return self._by_reader(lines)
        others = iter(rows)
        return [
            next(others) if quote in line else text.split(delimiter) if (text := line.rstrip("\r\n")) else []
            for line in lines
        ]

    def _by_reader(self, lines: list[str]) -> list[list[str]] | None:
        try:
            return list(csv.reader(lines, **self.options))  # type: ignore[arg-type]
        except csv.Error:
            return None

    def _plausible(self, row: list[str]) -> bool:
        """Whether a record over several lines is one: as wide as the header, and not rows glued together by a quote
        that one opens and another closes (then the cell between them holds exactly their delimiters)."""
        if "\n" not in "".join(row):
            return True
        return self._fits(row) and not any(self._glued(cell) for cell in row)

    def _glued(self, cell: str) -> bool:
        ends = cell.count("\n")
        return ends > 0 and self.width > 1 and cell.count(self.dialect.delimiter) == ends * (self.width - 1)

    def _fits(self, row: list[str]) -> bool:
        extra = len(row) - self.width
        return extra == 0 or (extra > 0 and (self.open_ended or not any(row[self.width :])))

    def _careful(self, lines: list[str], final: bool) -> Records:
        found = Records([], self.line, lines=[], broken={}, repaired=set())
        cursor = _Cursor(lines)
        reader = csv.reader(cursor, **self.options)  # type: ignore[arg-type]
        while cursor.at < len(lines):
            start = cursor.at
            cursor.stop = min(len(lines), start + MAX_RECORD_LINES)
            row, whole = _one(reader)
            if row is not None and (cursor.at == start + 1 or self._plausible(row)):
                self._add(found, start, row)
            elif not whole and not final and cursor.stop - start < MAX_RECORD_LINES:
                self.kept = lines[start:]
                break
            else:
                cursor.at = start + self._line_alone(lines, start, found)
        return found

    def _line_alone(self, lines: list[str], at: int, found: Records) -> int:
        text = lines[at].rstrip("\r\n")
        row = split_tolerantly(text, self.dialect, self._fits)
        if row is not None:
            found.repaired.add(len(found.rows))
            self._add(found, at, row)
            return 1
        found.broken[len(found.rows)] = "a quote is opened and not closed, or closed too early"
        self._add(found, at, text.split(self.dialect.delimiter))
        return 1 + self._fragments(lines, at + 1)

    def _fragments(self, lines: list[str], at: int) -> int:
        """Lines that can only be the rest of the broken record: without a single delimiter."""
        count = 0
        while at + count < len(lines) and count < MAX_RECORD_LINES and self._is_fragment(lines[at + count]):
            count += 1
        return count

    def _is_fragment(self, line: str) -> bool:
        return bool(line.strip()) and self.dialect.delimiter not in line and self.width > 1

    def _add(self, found: Records, at: int, row: list[str]) -> None:
        assert found.lines is not None
        if is_wrapped(row, self.dialect) and self._fits(cells := unwrapped(row, self.dialect)):
            found.repaired.add(len(found.rows))
            row = cells
        found.lines.append(self.line + at)
        found.rows.append(row)


class _Cursor:
    """Lines for a reader that can be set back to one of them."""

    def __init__(self, lines: list[str]) -> None:
        self.lines, self.at, self.stop = lines, 0, 0

    def __iter__(self) -> _Cursor:
        return self

    def __next__(self) -> str:
        if self.at >= self.stop:
            raise StopIteration
        self.at += 1
        return self.lines[self.at - 1]


def _one(reader: Iterator[list[str]]) -> tuple[list[str] | None, bool]:
    """One record; None if its quotes are wrong, and then False when the lines ended inside a quote."""
    try:
        return next(reader), True
    except csv.Error as wrong:
        return None, "unexpected end" not in str(wrong)
