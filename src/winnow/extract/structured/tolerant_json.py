"""Reads JSON the way shops get it wrong, in linear time.

Accepted beyond the standard: comments, CDATA and HTML-comment wrappers, raw line breaks and unknown escapes
in strings, single quotes, unquoted keys, trailing and missing commas, an unescaped quote inside a text
(27" monitor), several values after each other, trailing semicolons, `undefined`/`NaN` as null, the `!0`, `!1` and
`void 0` of minified scripts, and closing brackets that are missing at the very end. A string without its end is an
error: a cut page yields nothing.

A reader of our own because json-repair, tried first, needs 19 s for 40 kB of escaped quotes.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from winnow.extract.limits import MAX_JSON_DEPTH, MAX_REPAIR_BYTES


class Unreadable(ValueError):
    """The text is not JSON even with good will."""


class Number(str):
    """A JSON number kept as its text: no float ever touches a price."""

    __slots__ = ()


_WRAPPERS = re.compile(r"<!\[CDATA\[|\]\]>|<!--|-->|//\s*(?=<!\[CDATA|\]\]>)|/\*\s*(?:<!\[CDATA\[|\]\]>)\s*\*/")
_SPACE = re.compile(r"(?:[\s;\ufeff\x00-\x1f]+|/\*.*?\*/|//[^\n]*)+", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
# A colon belongs to a key only where another follows: `schema:name: "Shoe"`, but `price:19.99`.
_WORD = re.compile(r"[A-Za-z_$@][\w$@.-]*(?::[A-Za-z_@][\w$@.-]*(?=\s*:))*")
_MINIFIED = {"!0": True, "!1": False, "void 0": None}
_SHORT = re.compile(r"!0|!1|void 0\b")
_PLAIN = {'"': re.compile(r'[^"\\]+'), "'": re.compile(r"[^'\\]+")}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None, "NaN": None, "None": None}
# What may follow the end of a string: a bracket or colon, a comma and something that can follow it, the end,
# or (a comma forgotten) the next key.
_AFTER_STRING = re.compile(
    r"\s*(?:[:}\]]|,\s*(?:[\"'{\[}\]\d-]|[A-Za-z_@$][\w@:-]*\s*:|true|false|null|//|/\*))|\s*;?\s*$"
    r"|\s+[\"'][\w@ -]{1,40}[\"']\s*:"
)


def read_tolerantly(text: str) -> list[Any]:
    """Every JSON value in the text, in order."""
    if len(text) > MAX_REPAIR_BYTES:
        raise Unreadable(f"larger than {MAX_REPAIR_BYTES} characters")
    if text.lstrip()[:20].replace(" ", "").startswith(("{&quot;", "[{&quot;", "{&#34;", "[{&#34;")):
        text = unescape(text)
    return Reader(_WRAPPERS.sub(" ", text)).values()


class Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def values(self) -> list[Any]:
        found = []
        while self._next():
            if self._next() in "}],":  # one bracket too many closes nothing
                self.at += 1
                continue
            found.append(self.value())
        return found

    def _next(self) -> str:
        """The next character that means something, or "" at the end."""
        space = _SPACE.match(self.text, self.at)
        if space:
            self.at = space.end()
        return self.text[self.at : self.at + 1]

    def value(self) -> Any:
        mark = self._next()
        if mark in ("{", "["):
            return self._nested(mark)
        if mark in ('"', "'"):
            return self._string(mark)
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            return Number(number[0])
        return self.word()

    def _nested(self, mark: str) -> Any:
        self.at += 1
        self.depth += 1
        if self.depth > MAX_JSON_DEPTH:
            raise Unreadable(f"nested deeper than {MAX_JSON_DEPTH}")
        value = self._object() if mark == "{" else self._array()
        self.depth -= 1
        return value

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (mark := self._next()) not in ("}", ""):
            if mark == ",":
                self.at += 1
                continue
            key = self._string(mark) if mark in ('"', "'") else self.word_text()
            if self._next() != ":":
                raise Unreadable(f"no ':' after the key {key[:40]!r}")
            self.at += 1
            found[key] = self.value()
        self.at += 1
        return found

    def _array(self) -> list[Any]:
        found: list[Any] = []
        while (mark := self._next()) not in ("]", ""):
            if mark == ",":
                self.at += 1
            elif mark in ("}", ":"):
                raise Unreadable(f"{mark!r} inside an array")
            else:
                found.append(self.value())
        self.at += 1
        return found

    def word_text(self) -> str:
        word = _WORD.match(self.text, self.at)
        if not word:
            raise Unreadable(f"unexpected {self.text[self.at : self.at + 20]!r}")
        self.at = word.end()
        return word[0]

    def word(self) -> Any:
        short = _SHORT.match(self.text, self.at)
        if short:
            self.at = short.end()
            return _MINIFIED[short[0]]
        word = self.word_text()
        if word not in _WORDS:
            raise Unreadable(f"unexpected {word[:20]!r}")
        return _WORDS[word]

    def _string(self, quote: str) -> str:
        parts: list[str] = []
        self.at += 1
        while self.at < len(self.text):
            plain = _PLAIN[quote].match(self.text, self.at)
            if plain:
                parts.append(plain[0])
                self.at = plain.end()
            mark = self.text[self.at : self.at + 1]
            if mark == "\\":
                parts.append(self._escape())
            elif mark and _AFTER_STRING.match(self.text, self.at + 1):
                self.at += 1
                return _paired("".join(parts))
            elif mark:  # a quote that closes nothing sensible belongs to the text
                parts.append(mark)
                self.at += 1
        raise Unreadable("a string does not end")

    def _escape(self) -> str:
        code = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if code != "u":
            return _ESCAPES.get(code, code)
        digits = self.text[self.at : self.at + 4]
        if not re.fullmatch(r"[0-9a-fA-F]{4}", digits):
            return "u"
        self.at += 4
        return chr(int(digits, 16))


def _paired(text: str) -> str:
    """Two \\u escapes can make one character; half of one becomes the replacement character."""
    if not any("\ud800" <= c <= "\udfff" for c in text):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
