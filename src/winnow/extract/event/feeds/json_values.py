"""Values of JSON as texts: of several languages, of wrappers, of lists."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

_INNER = (
    "rendered",
    "name",
    "title",
    "label",
    "text",
    "value",
    "plain",
    "html",
    "fullurl",
    "url",
    "src",
    "href",
    "alias",
    "nl",
    "en",
    "de",
    "fr",
)


def text_of(value: Any) -> str:
    if isinstance(value, list):
        return text_of(value[0]) if value else ""
    if isinstance(value, dict):
        return next((text for key in _INNER if (text := text_of(value.get(key)))), "")
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def line_of(text: str) -> str:
    """One line without markup: titles come as HTML."""
    return " ".join(unescape(re.sub(r"<[^<>]*>", " ", text)).split())


def texts_of(value: Any) -> list[str]:
    found = [text_of(each) for each in value[:20]] if isinstance(value, list) else [text_of(value)]
    return list(dict.fromkeys(text for text in found if text))


def number_of(value: Any) -> float | None:
    """A number, also one written as a text of digits."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"-?\d{1,17}(?:\.\d+)?", value.strip()):
        return float(value)
    return None
