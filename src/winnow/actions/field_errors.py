"""Collects the errors of all fields of a request, so that one answer names every wrong field (S-097)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from winnow.errors import InvalidInput, NotFound


class FieldErrors:
    """Raises InvalidInput at its end when a field was wrong."""

    def __init__(self) -> None:
        self._errors: list[InvalidInput] = []

    @contextmanager
    def field(self, name: str) -> Iterator[None]:
        try:
            yield
        except (InvalidInput, NotFound) as wrong:
            self._errors.append(InvalidInput(str(wrong), name))

    @property
    def found(self) -> list[InvalidInput]:
        return list(self._errors)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if kind is None and self._errors:
            first, *others = self._errors
            raise InvalidInput(str(first), first.field, others)
