"""JSON-LD: from the bytes alone when the page is clean, from the DOM with soft repair when it is not."""

from __future__ import annotations

import msgspec
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Strategy
from winnow.extract.page import Page
from winnow.extract.page_facts import PageFacts
from winnow.extract.structured.json_ld_blocks import (
    OverLimit,
    blocks_from_dom,
    decode_strictly,
    decode_tolerantly,
    scan_blocks,
)
from winnow.extract.structured.schema_draft import Findings, read_schema
from winnow.extract.structured.schema_graph import OverDepth


def read_json_ld_fast(page: Page, facts: PageFacts) -> Findings | None:
    """No DOM, no repair, nothing that could hang; None when that is not enough to read every block."""
    blocks = scan_blocks(page.body)
    roots = decode_strictly(blocks, page.codec) if blocks is not None else None
    if roots is None:
        return None
    try:
        return read_schema(roots, facts, Strategy.JSON_LD)
    except OverDepth:
        return None


def read_json_ld(tree: LexborHTMLParser, facts: PageFacts) -> Findings:
    try:
        blocks = blocks_from_dom(tree)
        roots, notes = decode_tolerantly(blocks)
        found = read_schema(roots, facts, Strategy.JSON_LD)
    except (OverLimit, OverDepth) as trouble:
        return Findings({}, f"limit: {trouble}")
    note = "; ".join([*notes, found.note] if found.note else notes)
    return msgspec.structs.replace(found, note=note)
