"""What lists show beside an offer: its picture, its price a day ago, and the prices of the last month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

MAX_POINTS = 40  # of one line: more than a cell has room for
YESTERDAY = timedelta(days=1)
MONTH = timedelta(days=30)

# The price of a day ago is the newest one that is at least as old, in the currency of today's.
_TRENDS = text("""
SELECT wanted.id,
       (SELECT p.amount_minor FROM corrected_prices AS p
        WHERE p.source_product_id = wanted.id AND p.currency = wanted.currency
            AND p.observed_at <= CAST(:now AS timestamptz) - CAST(:yesterday AS interval)
        ORDER BY p.observed_at DESC LIMIT 1) AS yesterday_minor,
       ARRAY(SELECT recent.amount_minor FROM (
                 SELECT p.amount_minor, p.observed_at FROM corrected_prices AS p
                 WHERE p.source_product_id = wanted.id AND p.currency = wanted.currency
                     AND p.observed_at > CAST(:now AS timestamptz) - CAST(:month AS interval)
                 ORDER BY p.observed_at DESC LIMIT :points
             ) AS recent ORDER BY recent.observed_at) AS recent_minor
FROM unnest(CAST(:ids AS bigint[]), CAST(:currencies AS text[])) AS wanted (id, currency)
""")
_PICTURES = text("""
SELECT DISTINCT ON (product_id) product_id, id, alt_text FROM images
WHERE product_id = ANY(CAST(:ids AS bigint[])) AND image_path IS NOT NULL
ORDER BY product_id, position, id
""")


class Trend(msgspec.Struct, frozen=True):
    yesterday_minor: int | None
    recent_minor: list[int]


async def trends(conn: AsyncConnection, offers: Sequence[dict[str, Any]], now: datetime) -> dict[int, Trend]:
    """Of offers with their current price, by id."""
    priced = [offer for offer in offers if offer["currency"]]
    given = {
        "ids": [offer["source_product_id"] for offer in priced],
        "currencies": [offer["currency"] for offer in priced],
        "now": now,
        "yesterday": YESTERDAY,
        "month": MONTH,
        "points": MAX_POINTS,
    }
    found = await conn.execute(_TRENDS, given)
    return {row.id: Trend(row.yesterday_minor, row.recent_minor) for row in found}


async def pictures(conn: AsyncConnection, offers: Sequence[int]) -> dict[int, tuple[int, str]]:
    """(image, its text) of the first picture that was kept, by offer."""
    found = await conn.execute(_PICTURES, {"ids": list(offers)})
    return {row.product_id: (row.id, row.alt_text or "") for row in found}
