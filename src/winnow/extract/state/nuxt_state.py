"""Nuxt 2: `(function(a,b){return {name:a,price:b}}("Shoe",19.99))`, values handed in as arguments to save space."""

from __future__ import annotations

import re
from typing import Any

from winnow.extract.limits import MAX_REPAIR_BYTES
from winnow.extract.structured.tolerant_json import Reader, Unreadable, read_tolerantly

_CALL = re.compile(r"\(?\s*function\s*\(([\w$,\s]*)\)\s*\{(?:[^{}]*;)?\s*return\s*(?=\{)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


class Name(str):
    """An identifier to be replaced by an argument."""

    __slots__ = ()


class _StateReader(Reader):
    def word_text(self) -> str:
        found = _NAME.match(self.text, self.at)
        if found is None:
            return super().word_text()
        self.at = found.end()
        return found[0]

    def word(self) -> Any:
        found = _NAME.match(self.text, self.at)
        if found and found[0] not in ("true", "false", "null", "undefined", "NaN", "void"):
            self.at = found.end()
            return Name(found[0])
        return super().word()


def read_nuxt_call(text: str) -> Any:
    """The state with its arguments put in; None when the script is of another shape."""
    call = _CALL.match(text)
    if call is None or len(text) > 4 * MAX_REPAIR_BYTES:
        return None
    reader = _StateReader(text)
    reader.at = call.end()
    try:
        body = reader.value()
        given = text[reader.at :].lstrip(" };").removeprefix("(").rstrip().rstrip(";").rstrip(")")
        arguments = read_tolerantly(f"[{given}]")[0] if given else []
    except (Unreadable, RecursionError, IndexError):
        return None
    names = [name.strip() for name in call[1].split(",")]
    return _filled(body, dict(zip(names, arguments, strict=False)), 0)


def _filled(value: Any, arguments: dict[str, Any], depth: int) -> Any:
    if isinstance(value, Name):
        return arguments.get(value)
    if depth > 60:
        return None
    if isinstance(value, dict):
        return {key: _filled(inner, arguments, depth + 1) for key, inner in value.items()}
    return [_filled(inner, arguments, depth + 1) for inner in value] if isinstance(value, list) else value
