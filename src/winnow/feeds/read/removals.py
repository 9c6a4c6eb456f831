"""Rows that say their offer is to be removed: `deleted=1`, `action=delete`. Incremental files have them.

Such a row needs an id or an address and nothing else; what else it says is not read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from winnow.vocabulary.columns import column_names

_WORDS = column_names().removal_words
_FLAGS = column_names().yes_words | _WORDS


class Removal(NamedTuple):
    row_number: int
    item_id: str | None
    sku: str | None
    url: str  # "" where the row has no address


class RemovalColumns:
    """The columns of one header that may say so. `deleted` answers yes or no, `action` names what to do."""

    def __init__(self, columns: Mapping[str, tuple[int, ...]]) -> None:
        self._words = [(place, _FLAGS) for place in columns.get("deleted", ())]
        self._words += [(place, _WORDS) for place in columns.get("action", ())]
        self.used = bool(self._words)

    def find(self, table: Sequence[Sequence[str]]) -> list[int]:
        """Indexes of the rows that remove their offer."""
        return [i for i, cells in enumerate(table) if self._removes(cells)]

    def _removes(self, cells: Sequence[str]) -> bool:
        return any(cells[place].strip().casefold() in words for place, words in self._words)
