"""All that is wrong with what a caller gave, told at once: whoever mends one field sees the others too (S-097)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from winnow.errors import InvalidInput, NotFound


class WrongFields:
    """Leaving it raises InvalidInput when anything was noted."""

    def __init__(self) -> None:
        self._noted: list[InvalidInput] = []

    @contextmanager
    def about(self, field: str) -> Iterator[None]:
        try:
            yield
        except (InvalidInput, NotFound) as wrong:
            self._noted.append(InvalidInput(str(wrong), field))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self._noted:
            first, *others = self._noted
            raise InvalidInput(str(first), first.field, others)
