"""Records -> batches: which are rows at all, how they are numbered, what is reported."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from itertools import compress

from winnow.feeds import row as codes
from winnow.feeds.digest import Memory, digest
from winnow.feeds.failures import BadFile
from winnow.feeds.mapping import Mapped, Mapper, build
from winnow.feeds.records import Records
from winnow.feeds.row import Batch, RowError

MAX_SAMPLES = 1_000  # later errors of a file are reported without their row: a sample is enough (F-019)
MAX_BLANK = 1_000_000  # they cost time and are not counted as rows
RAGGED = "the row has {found} fields, the header {width}"


class Batcher:
    def __init__(
        self, mapper: Mapper, open_ended: bool = False, trailer: str | None = None, memory: Memory | None = None
    ) -> None:
        self.memory = memory
        self.mapper, self.open_ended, self.trailer = mapper, open_ended, trailer
        self.width = mapper.plan.width
        self.read = 0
        self.announced: int | None = None  # what a trailer says the number of rows is
        self.samples = 0
        self.blank = 0

    def batch(self, chunk: Records) -> Batch:
        fitting, bad = self._sorted(chunk)
        digests = [] if self.memory is None else [digest(chunk.rows[i]) for i in fitting]
        known = {i: d for i, d in zip(fitting, digests, strict=True) if self.memory(d)} if self.memory else {}
        if known:
            digests = [d for i, d in zip(fitting, digests, strict=True) if i not in known]
            fitting = [i for i in fitting if i not in known]
        whole = isinstance(fitting, range)
        table = chunk.rows if whole else [self._cells(chunk.rows[i]) for i in fitting]
        if not table:
            return self._finish(chunk, fitting, None, [], bad, digests, known)
        mapped, columns = self.mapper.map(table, chunk.damaged)
        return self._finish(chunk, fitting, mapped, columns, bad, digests, known)

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
            return True
        if any(map(str.strip, cells)):
            return False
        self.blank += 1
        if self.blank > MAX_BLANK:
            raise BadFile(f"the file has more than {MAX_BLANK} blank rows")
        return True

    def _finish(
        self,
        chunk: Records,
        fitting: Sequence[int],
        mapped: Mapped | None,
        columns: list[Sequence[object]],
        bad: dict[int, tuple[str, str]],
        digests: list[bytes],
        known: Mapping[int, bytes],
    ) -> Batch:
        refused = mapped.refused if mapped else {}
        nothing = [i for i in refused if self._skipped(chunk.rows[fitting[i]])]
        for i, why in refused.items():
            bad[fitting[i]] = why
        for i in nothing:
            del bad[fitting[i]]
        numbers, number_of = self._numbers(fitting, bad.keys() | known.keys(), {fitting[i] for i in nothing})
        keep = [i not in refused for i in range(len(fitting))] if refused else None
        rows = build(columns, numbers, keep) if mapped else []
        errors = [self._error(chunk, i, number_of(i), *bad[i]) for i in sorted(bad)]
        unused = bad.keys() | known.keys() | {fitting[i] for i in nothing}
        warnings = self._warnings(chunk, fitting, mapped, number_of, unused)
        if keep is not None and digests:
            digests = list(compress(digests, keep))
        return Batch(rows, errors, warnings, self.read, digests, [(number_of(i), d) for i, d in known.items()])

    def _skipped(self, cells: list[str]) -> bool:
        return self._is_nothing(cells) or self.mapper.is_header(cells)

    def _numbers(
        self, fitting: Sequence[int], others: Set[int], nothing: set[int]
    ) -> tuple[Sequence[int], Callable[[int], int]]:
        """Numbers of the fitting records, and a look-up for any record."""
        start = self.read + 1
        if isinstance(fitting, range) and not nothing:
            self.read += len(fitting)
            return range(start, start + len(fitting)), start.__add__
        order = sorted((set(fitting) | others) - nothing)
        numbered = {i: start + n for n, i in enumerate(order)}
        self.read += len(order)
        return [numbered.get(i, 0) for i in fitting], numbered.__getitem__

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
        noted += [
            (i, chunk.repair_code, "it is not well-formed; read in the one way that fits") for i in chunk.repaired
        ]
        return [
            self._error(chunk, i, number_of(i), code, message) for i, code, message in sorted(noted) if i not in unused
        ]
