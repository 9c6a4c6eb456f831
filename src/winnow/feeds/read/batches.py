"""Records -> batches: which are rows at all, how they are numbered, what is reported."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence, Set
from itertools import compress, count

from winnow.feeds.failures import BadFile
from winnow.feeds.read import row as codes
from winnow.feeds.read.csv.records import Records
from winnow.feeds.read.digest import Memory
from winnow.feeds.read.mapping import Mapped, Mapper
from winnow.feeds.read.removals import Removal
from winnow.feeds.read.row import Batch, RowError, Rows
from winnow.feeds.read.text import DAMAGE

MAX_SAMPLES = 1_000  # later errors of a file are reported without their row: a sample is enough (F-019)
MAX_BLANK = 1_000_000  # they cost time and are not counted as rows
Place = tuple[int, bytes]  # where a known record stands in its block, and its digest
_PADDING = re.compile(r"[\s\x00\x1a]+")  # 1A ends a file on DOS
_RULER = re.compile(r"[-=+|_]{3,}")  # a line below the header, as databases print it
# How a file ends whose writer died: a web page, or PHP's last words.
_LAST_WORDS = re.compile(r"\s*(?:<!doctype html|<html\b)|.*\bFatal error(?:</b>)?: .* on line ", re.IGNORECASE)
RAGGED = "the row has {found} fields, the header {width}"


class Batcher:
    def __init__(
        self, mapper: Mapper, open_ended: bool = False, trailer: str | None = None, memory: Memory | None = None
    ) -> None:
        self.memory = memory
        self.mapper, self.open_ended, self.trailer = mapper, open_ended, trailer
        self.width = mapper.plan.width
        self.read = 0
        self.announced: int | None = None  # the number of rows that a trailer line states
        self.ended = False  # the trailer was met
        self.last_words: str | None = None  # an error of the server's that no good row follows
        self.samples = 0
        self.blank = 0

    def batch(self, chunk: Records) -> Batch:
        fitting, bad = self._sorted(chunk)
        fitting, digests, known = self._unknown(chunk, fitting)
        whole = isinstance(fitting, range)
        table = chunk.rows if whole else [self._cells(chunk.rows[i]) for i in fitting]
        mapped, columns = self.mapper.map(table, chunk.damaged) if table else (None, [])
        return self._finish(chunk, fitting, mapped, columns, bad, digests, known)

    def _unknown(self, chunk: Records, fitting: Sequence[int]) -> tuple[Sequence[int], list[bytes], list[Place]]:
        """What has to be read, with its digests, and the records that the memory knows."""
        if self.memory is None or not fitting:
            return fitting, [], chunk.known
        of_lines = chunk.digests
        of_cells = self.memory.digests.of_cells
        digests = [of_cells(chunk.rows[i]) for i in fitting] if of_lines is None else [of_lines[i] for i in fitting]
        known = self.memory(digests)
        if not any(known):
            return fitting, digests, chunk.known
        places = [(chunk.place_of(i), key) for i, key in compress(zip(fitting, digests, strict=True), known)]
        unknown = [not matched for matched in known]
        return list(compress(fitting, unknown)), list(compress(digests, unknown)), [*chunk.known, *places]

    def _cells(self, cells: list[str]) -> list[str]:
        return cells if len(cells) == self.width else cells[: self.width]

    def _sorted(self, chunk: Records) -> tuple[Sequence[int], dict[int, tuple[str, str]]]:
        """Indexes of the records as wide as the header, and why others are none. Blank ones are in neither."""
        rows = chunk.rows
        if not chunk.broken and set(map(len, rows)) == {self.width} and self.trailer is None:
            return range(len(rows)), {}
        fitting: list[int] = []
        bad = {i: (codes.PARSE_ERROR, why) for i, why in chunk.broken.items()}
        for i, cells in enumerate(rows):
            if i in bad or self._is_nothing(cells):
                continue
            extra = len(cells) - self.width
            if extra == 0 or (extra > 0 and (self.open_ended or not any(map(str.strip, cells[self.width :])))):
                fitting.append(i)
            else:
                bad[i] = (codes.PARSE_ERROR, RAGGED.format(found=len(cells), width=self.width))
        return fitting, bad

    def _is_nothing(self, cells: list[str]) -> bool:
        if self.trailer is not None and cells and cells[0] == self.trailer:
            self.announced = int(cells[1]) if len(cells) > 1 and cells[1].isdecimal() else None
            self.ended = True
            return True
        if self._says_something(cells):
            return False
        self.blank += 1
        if self.blank > MAX_BLANK:
            raise BadFile(f"the file has more than {MAX_BLANK} blank rows")
        return True

    def _says_something(self, cells: list[str]) -> bool:
        first = cells[0][:1] if cells else ""
        if first.isalnum():
            return True
        text = _PADDING.sub("", "".join(cells))
        return bool(text) and not _RULER.fullmatch(text) and not (first == "#" and self._is_comment(cells))

    def _is_comment(self, cells: list[str]) -> bool:
        return len(cells) != self.width and (len(cells) == 1 or cells[0].startswith("# "))

    def _finish(
        self,
        chunk: Records,
        fitting: Sequence[int],
        mapped: Mapped | None,
        columns: list[Sequence[object]],
        bad: dict[int, tuple[str, str]],
        digests: list[bytes],
        known: list[Place],
    ) -> Batch:
        bad = {i: why for i, why in bad.items() if i in chunk.broken or not self.mapper.is_header(chunk.rows[i])}
        refused = mapped.refused if mapped else {}
        nothing = [i for i in refused if self._skipped(chunk.rows[fitting[i]])]
        for i, why in refused.items():
            bad[fitting[i]] = why
        for i in nothing:
            del bad[fitting[i]]
        dropped = {fitting[i] for i in nothing}
        if bad or self.last_words:
            self._listen(chunk, bad, fitting)
        numbers, number_at = self._numbers(chunk, fitting, bad.keys(), dropped, known)

        def number_of(i: int) -> int:
            return number_at(chunk.place_of(i))

        removed = mapped.removed if mapped else {}
        unused_rows = refused.keys() | removed.keys()
        keep = [i not in unused_rows for i in range(len(fitting))] if unused_rows else None
        rows = Rows([numbers, *columns]) if mapped else Rows()
        if keep is not None:
            rows = rows.kept(keep)
        errors = [self._error(chunk, i, number_of(i), *bad[i]) for i in sorted(bad)]
        unused = bad.keys() | dropped | ({place for place, _ in known} if chunk.places is None else set())
        warnings = self._warnings(chunk, fitting, mapped, number_of, unused)
        if keep is not None and digests:
            digests = list(compress(digests, keep))
        known_rows = [(number_at(place), key) for place, key in known]
        removals = [Removal(number_of(fitting[i]), *removed[i]) for i in sorted(removed)]
        return Batch(rows, errors, warnings, self.read, digests, known_rows, removals)

    def _listen(self, chunk: Records, bad: Collection[int], fitting: Sequence[int]) -> None:
        closing = [i for i in sorted(bad) if _LAST_WORDS.match(" ".join(chunk.rows[i])[:2_000])]
        last_good = next((i for i in reversed(fitting) if i not in bad), -1)
        if closing and closing[-1] > last_good:
            self.last_words = DAMAGE.sub("\ufffd", " ".join(chunk.rows[closing[-1]])[:100])
        elif last_good >= 0:
            self.last_words = None

    def _skipped(self, cells: list[str]) -> bool:
        if self.mapper.variants.is_picture(cells) or self.mapper.parents.is_parent(cells):
            return True
        return self._is_nothing(cells) or self.mapper.is_header(cells)

    def _numbers(
        self, chunk: Records, fitting: Sequence[int], bad: Set[int], dropped: set[int], known: Sequence[Place]
    ) -> tuple[Sequence[int], Callable[[int], int]]:
        """Numbers of the fitting records, and a look-up for any record by its place."""
        start = self.read + 1
        if isinstance(fitting, range) and not (dropped or known):
            self.read += len(fitting)
            return range(start, start + len(fitting)), start.__add__
        counted = (set(fitting) | bad) - dropped
        order = sorted([*map(chunk.place_of, counted), *(place for place, _ in known)])
        numbered = dict(zip(order, count(start)))
        self.read += len(order)
        return [numbered.get(chunk.place_of(i), 0) for i in fitting], numbered.__getitem__

    def _error(self, chunk: Records, i: int, number: int, code: str, message: str) -> RowError:
        if self.samples >= MAX_SAMPLES:
            return RowError(number, code, message, {})
        self.samples += 1
        return RowError(number, code, message, self.mapper.sample(chunk.rows[i]), chunk.line_of(i))

    def _warnings(
        self,
        chunk: Records,
        fitting: Sequence[int],
        mapped: Mapped | None,
        number_of: Callable[[int], int],
        unused: Collection[int],
    ) -> list[RowError]:
        noted = [(fitting[i], code, message) for i, code, message in mapped.noted] if mapped else []
        repaired = chunk.repaired.intersection(fitting) if chunk.repaired else ()  # a blank one is no row
        noted += [(i, chunk.repair_code, "it is not well-formed; read in the one way that fits") for i in repaired]
        return [
            self._error(chunk, i, number_of(i), code, message) for i, code, message in sorted(noted) if i not in unused
        ]
