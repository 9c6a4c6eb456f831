"""Limits of parsing a page (R-17). A page over a limit gives no records, and the reason is reported."""

from __future__ import annotations

import re

MAX_BODY = 10 * 1024 * 1024  # the fetcher's limit of a body (P-036)

# JSON-LD of real shops: a few kilobytes, rarely a hundred; a listing of 1 000 products about 1 MB.
MAX_BLOCKS = 64
MAX_BLOCK_BYTES = 2 * 1024 * 1024
MAX_JSON_DEPTH = 64
MAX_NODES = 50_000
MAX_REPAIR_BYTES = 512 * 1024  # the tolerant reader does about 2 MB/s

# Lexbor looks through the stack of open elements for every tag: its cost is tags × depth. Measured: 2.6 ns a
# step, so that 100 000 nested <div> take 26 s. This budget is about one second.
MAX_TAG_STEPS = 400_000_000
_TAG = re.compile(rb"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
# Elements that never stay open, or that the next of their kind closes: they add no depth.
_SHALLOW = frozenset(
    b"area base br col embed hr img input link meta param source track wbr p li dt dd option optgroup tr td th "
    b"tbody thead tfoot script style".split()
)


def too_deep(body: bytes) -> bool:
    """Whether building a DOM of this body could take about a second or more. With fewer than 20 000 tags it
    cannot, however they nest; only larger pages are looked at tag by tag."""
    tags = body.count(b"<")
    return tags * tags > MAX_TAG_STEPS and _steps(body) > MAX_TAG_STEPS


def _steps(body: bytes) -> int:
    """A closing tag counts only if one of its name is open: parsers ignore the others."""
    still_open: dict[bytes, int] = {}
    depth = steps = 0
    for match in _TAG.finditer(body):
        name = match[2].lower()
        if name in _SHALLOW:
            continue
        if not match[1]:
            still_open[name] = still_open.get(name, 0) + 1
            depth += 1
        elif still_open.get(name):
            still_open[name] -= 1
            depth -= 1
        steps += depth
    return steps
