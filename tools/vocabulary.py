"""Writes the files of `src/winnow/vocabulary/data` in one form, so that a change of a word is a change of a line.

python -m tools.vocabulary
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "src" / "winnow" / "vocabulary" / "data"
WIDTH = 120


def main() -> None:
    for path in sorted(DATA.glob("*.json")):
        path.write_text(formatted(json.loads(path.read_text(encoding="utf-8"))), encoding="utf-8")


def formatted(content: dict[str, Any]) -> str:
    """Keys in their order, lists filled up to the width of a line."""
    return _value(content, "") + "\n"


def _value(value: Any, indent: str, used: int = 0) -> str:
    whole = json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, dict | list) or (len(indent) + used + len(whole) < WIDTH and indent):
        return whole
    inner = indent + "  "
    if isinstance(value, list):
        return "[\n" + _filled(value, inner) + f"\n{indent}]"
    keys = [(json.dumps(key, ensure_ascii=False) + ": ", item) for key, item in value.items()]
    return "{\n" + ",\n".join(inner + key + _value(item, inner, len(key)) for key, item in keys) + f"\n{indent}}}"


def _filled(items: list[Any], indent: str) -> str:
    if any(isinstance(item, dict | list) for item in items):
        return ",\n".join(indent + _value(item, indent) for item in items)
    lines = [indent.rstrip("\n")]
    for item in items:
        text = json.dumps(item, ensure_ascii=False) + ","
        if lines[-1].strip() and len(lines[-1]) + len(text) + 1 > WIDTH:
            lines.append(indent)
        lines[-1] += (" " if lines[-1].strip() else "") + text
    return "\n".join(lines).removesuffix(",")


if __name__ == "__main__":
    main()
