"""Page -> structured data and fields, as extruct and the few lines after it give them; or all the way to a verdict.

winnow_extract.py PAGES OUT PASSES fields|judged
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extracted
from winnow.extract.page import Page
from winnow.extract.waterfall import waterfall
from winnow.judge.verdict import Decision
from winnow.kinds.assess import assess
from winnow.kinds.generic import GenericAdapter
from winnow.kinds.offer import OFFER
from winnow.normalise.record import Offer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
GENERIC = GenericAdapter(OFFER)
_STOCK = {"IN_STOCK": "InStock", "OUT_OF_STOCK": "OutOfStock", "BACKORDER": "BackOrder"}


def fields(url: str, body: bytes) -> dict[str, str]:
    found = waterfall(Page(url=url, body=body, fetched_at=NOW), "offer")
    if not isinstance(found, Extracted):
        raise SystemExit(f"nothing found: {found}")
    draft = found.drafts[0]
    price = draft.values["price"][0]
    return {
        "title": _raw(draft, "title"),
        "price": price.raw,
        "currency": price.currency,
        "availability": _raw(draft, "availability").rpartition("/")[2],
        "sku": _raw(draft, "sku"),
        "brand": _raw(draft, "brand"),
    }


def _raw(draft: Draft, field: str) -> str:
    value = draft.first(field)
    return value.raw if value else ""


def judged(url: str, body: bytes) -> dict[str, str]:
    ctx = Context(source_id="1", retailer_id="1", run_id="1", target_id="1", url=url, now=NOW)
    found = assess(Page(url=url, body=body, fetched_at=NOW), GENERIC, OFFER, ctx)
    if found.verdict is None or found.verdict.decision is not Decision.ACCEPT:
        raise SystemExit(f"not accepted: {found.verdict or found.failure}")
    offer: Offer = found.records[0].decode(Offer)
    assert offer.price is not None
    return {
        "title": offer.title or "",
        "price": f"{offer.price.minor // 100}.{offer.price.minor % 100:02d}",
        "currency": offer.price.currency,
        "availability": _STOCK[offer.availability],
        "sku": offer.sku or "",
        "brand": offer.brand or "",
    }


READERS: dict[str, Callable[[str, bytes], dict[str, str]]] = {"fields": fields, "judged": judged}


if __name__ == "__main__":
    pages = {url: html.encode() for url, html in json.loads(Path(sys.argv[1]).read_text()).items()}
    read, result = READERS[sys.argv[4]], {}
    begun = time.process_time()
    for _ in range(int(sys.argv[3])):
        result = {url: read(url, body) for url, body in pages.items()}
    seconds = time.process_time() - begun
    Path(sys.argv[2]).write_text(json.dumps(result))
    print(json.dumps({"seconds": seconds, "pages": len(pages) * int(sys.argv[3])}))
