"""Rows of offers that an earlier chunk has loaded already: kept aside until the file ends, and then only the last one
of each offer is loaded (F-049).

Loading each where it stands would write 9.00, 8.00 and lose the second 9.00 of a file that says 9.00, 8.00, 9.00: a
run keeps one price of a signature (F-032). They wait in a file, because their number is not known.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Iterator
from types import TracebackType

from winnow.feeds.read.staging import HeldRow

IN_MEMORY = 4 << 20  # bytes before it is a file on disk


class LateRows:
    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - it lives as long as the reader
        self._last: dict[bytes, int] = {}
        self._kept = 0

    def __enter__(self) -> LateRows:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._file.close()

    def keep(self, late: HeldRow) -> None:
        pickle.dump(late, self._file, protocol=5)
        self._last[late.identity[1:]] = self._kept
        self._kept += 1

    def last_ones(self) -> Iterator[HeldRow]:
        """In the order of the file."""
        self._file.seek(0)
        for number in range(self._kept):
            late: HeldRow = pickle.load(self._file)
            if self._last[late.identity[1:]] == number:
                yield late
