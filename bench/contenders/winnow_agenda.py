"""Listing pages to accepted events: read, normalised and judged as a worker does it.

winnow_agenda.py PAGES OUT PASSES
"""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.judge.verdict import Decision
from winnow.kinds.assess import assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.registry import all_kinds

NOW = datetime(2026, 12, 1, tzinfo=UTC)
EVENT = all_kinds().get("event")
GENERIC = GenericAdapter(EVENT)


def visit(url: str, body: bytes) -> list[dict[str, str]]:
    ctx = Context(
        source_id="1", retailer_id=None, run_id="1", target_id="1", url=url, now=NOW, timezone="Europe/Amsterdam"
    )
    found = assess(Page(url=url, body=body, fetched_at=NOW), GENERIC, EVENT, ctx)
    accepted = [one.data for one in found.records if one.verdict.decision is Decision.ACCEPT]
    return [{"title": e["title"], "start": e["start"][:16], "venue": e["venue_name"]} for e in accepted]


if __name__ == "__main__":
    pages = {url: html.encode() for url, html in json.loads(Path(sys.argv[1]).read_text()).items()}
    result: dict[str, Any] = {}
    visit(*next(iter(pages.items())))  # patterns are compiled when a text first needs them
    begun = time.process_time()
    for _ in range(int(sys.argv[3])):
        result = {url: visit(url, body) for url, body in pages.items()}
    seconds = time.process_time() - begun
    Path(sys.argv[2]).write_text(json.dumps(result))
    print(json.dumps({"seconds": seconds, "pages": len(pages) * int(sys.argv[3])}))
