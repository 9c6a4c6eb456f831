"""Finds and decodes the JSON-LD blocks of a page, first in the bytes alone.

The scan only trusts what cannot be misread without an HTML parser: a plain lower-case script element that is
not inside a comment, another script, a template or the like. Everything else is left to the DOM.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.limits import MAX_BLOCK_BYTES, MAX_BLOCKS
from winnow.extract.structured.tolerant_json import Number, Unreadable, read_tolerantly

_MARK = b"ld+json"
_LONGEST_TAG = 2_048  # a script tag with nonces and data attributes stays far below
# Elements whose content is text or stands outside the document; a script in there is not one. Another script needs no
# look: what follows up to its end is the rest of a program, which is not JSON, and the page is left to the DOM.
_TEMPLATE = (b"<template", b"</template")
_TEXTAREA = (b"<textarea", b"</textarea")
_FEW = 200  # plus signs looked at one by one
_UTF8 = ("utf-8", "utf8", "us-ascii", "ascii")

_decoder = msgspec.json.Decoder(float_hook=Number)


class OverLimit(ValueError):
    """More JSON-LD than a product page can have (R-17)."""


def scan_blocks(body: bytes) -> list[bytes] | None:
    """The raw text of every block, or None when only a DOM can tell."""
    found: list[bytes] = []
    end = 0
    for mark in _marks(body):
        if mark < end or _is_mention(body, mark):
            continue
        block = _block_at(body, mark, end)
        if block is None:
            return None
        start, end = block
        found.append(body[start:end])
    return found if len(found) <= MAX_BLOCKS else None


def _marks(body: bytes) -> Iterator[int]:
    """Every position of the mark. Its plus sign is the rarest character of a page and found by memchr, 15 times
    faster than the word (5 against 80 µs on 86 kB); a page full of them is searched for the word."""
    at = -1
    for _ in range(_FEW):
        at = body.find(b"+", at + 1)
        if at < 0:
            return
        if body.startswith(b"json", at + 1) and body[at - 2 : at] == b"ld":
            yield at - 2
    while (at := body.find(_MARK, at)) >= 0:
        yield at
        at += 1


def _is_mention(body: bytes, mark: int) -> bool:
    """A script that speaks of JSON-LD (`if (kind == "application/ld+json")`) without assigning it."""
    before = body[max(0, mark - 40) : mark].removesuffix(b"application/").rstrip(b"\"' \\")
    return not before.endswith(b"=") or before.endswith(b"==")


def _block_at(body: bytes, mark: int, since: int) -> tuple[int, int] | None:
    """Where the content of the script element around `mark` begins and ends. Nothing was open at `since`."""
    tag = body.rfind(b"<script", max(0, mark - _LONGEST_TAG), mark)
    if tag < 0 or body.find(b">", tag, mark) >= 0 or is_inert(body, tag, since):
        return None
    start = body.find(b">", mark) + 1
    end = body.find(b"</script", start)
    if start <= 0 or end < 0 or body.find(b"<!--", start, end) >= 0:
        return None
    return start, end


def is_inert(body: bytes, tag: int, since: int) -> bool:
    """Whether a tag stands in a comment, a template or a text field."""
    comment = _last_comment(body, since, tag)
    if comment >= 0 and body.find(b"-->", comment, tag) < 0:
        return True
    return _is_inside(body, tag, since, *_TEMPLATE) or _is_inside(body, tag, since, *_TEXTAREA)


def _is_inside(body: bytes, tag: int, since: int, opening: bytes, closing: bytes) -> bool:
    """Asked on the shorter side of the page: what closes nowhere after the tag is not around it."""
    if len(body) - tag < tag - since and body.find(closing, tag) < 0:
        return False
    opened = body.rfind(opening, since, tag)
    return opened >= 0 and body.find(closing, opened, tag) < 0


def _last_comment(body: bytes, since: int, end: int) -> int:
    """Where the last comment before `end` begins; exclamation marks are as rare as plus signs (`_marks`)."""
    for _ in range(_FEW):
        end = body.rfind(b"!", since, end)
        if end < 0 or body.startswith(b"<!--", max(0, end - 1)):
            return end
    return body.rfind(b"<!--", since, end)


def decode_strictly(blocks: list[bytes], charset: str) -> list[Any] | None:
    """All blocks as JSON, or None when one of them is not (or is too deep, or too large)."""
    found = []
    for block in blocks:
        if len(block) > MAX_BLOCK_BYTES:
            return None
        try:
            found.append(_decoder.decode(_as_utf8(block, charset)))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None
    return found


def _as_utf8(block: bytes, charset: str) -> bytes:
    if charset.lower() in _UTF8 or block.isascii():
        return block
    return block.decode(charset, "replace").encode()


def blocks_from_dom(tree: LexborHTMLParser) -> list[str]:
    """The text of every JSON-LD script element a browser would see."""
    found = [n.text() for n in tree.css("script[type]") if _MARK.decode() in (n.attributes["type"] or "").lower()]
    if len(found) > MAX_BLOCKS:
        raise OverLimit(f"{len(found)} JSON-LD blocks")
    if any(len(text) > MAX_BLOCK_BYTES for text in found):
        raise OverLimit(f"a JSON-LD block larger than {MAX_BLOCK_BYTES} bytes")
    return found


def decode_tolerantly(blocks: list[str]) -> tuple[list[Any], list[str]]:
    """What could be read, and a note for every block that needed repair or could not be."""
    found: list[Any] = []
    notes: list[str] = []
    for index, text in enumerate(blocks):
        try:
            found.append(_decoder.decode(text))
            continue
        except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
            pass
        try:
            found += read_tolerantly(text)
            notes.append(f"block {index} repaired")
        except Unreadable as trouble:
            notes.append(f"block {index} unreadable: {trouble}")
    return found, notes
