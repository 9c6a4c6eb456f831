"""Nuxt 3 payloads: one flat array in which every number inside an object or list points to another entry
(https://github.com/Rich-Harris/devalue describes the format)."""

from __future__ import annotations

from typing import Any

from winnow.extract.structured.tolerant_json import Number

MAX_ENTRIES = 200_000
MAX_DEPTH = 60
_WRAPPERS = frozenset(["Reactive", "ShallowReactive", "Ref", "ShallowRef", "EmptyRef", "EmptyShallowRef"])


def revive(entries: list[Any]) -> Any:
    """The value the payload stands for; what it points to twice is shared, what is too deep is left out."""
    if not entries or len(entries) > MAX_ENTRIES:
        return None
    return _Reviver(entries).at(0, 0)


class _Reviver:
    def __init__(self, entries: list[Any]) -> None:
        self.entries = entries
        self.known: dict[int, Any] = {}

    def at(self, index: Any, depth: int) -> Any:
        if not isinstance(index, int) or not 0 <= index < len(self.entries) or depth > MAX_DEPTH:
            return None  # negative numbers stand for undefined, NaN, infinities and holes
        if index in self.known:
            return self.known[index]
        entry = self.entries[index]
        if isinstance(entry, dict):
            made: dict[str, Any] = {}
            self.known[index] = made
            made.update({key: self.at(value, depth + 1) for key, value in entry.items()})
            return made
        if isinstance(entry, list):
            return self._list(index, entry, depth)
        self.known[index] = entry
        return entry

    def _list(self, index: int, entry: list[Any], depth: int) -> Any:
        if entry and isinstance(entry[0], str) and not isinstance(entry[0], Number):
            self.known[index] = self._special(entry, depth)
            return self.known[index]
        made: list[Any] = []
        self.known[index] = made
        made += [self.at(value, depth + 1) for value in entry]
        return made

    def _special(self, entry: list[Any], depth: int) -> Any:
        kind, rest = entry[0], entry[1:]
        if kind in _WRAPPERS:
            return self.at(rest[0], depth + 1) if rest else None
        if kind == "Set":
            return [self.at(value, depth + 1) for value in rest]
        if kind in ("Map", "null"):
            pairs = zip(rest[::2], rest[1::2], strict=False)
            return {
                str(key if kind == "null" else self.at(key, depth + 1)): self.at(value, depth + 1)
                for key, value in pairs
            }
        return rest[0] if rest else None
