"""A page of search results: found by a backend, then read from the views that every list reads (P-092).

An index is a little behind. So what it found is looked at again: an offer whose price, stock or visibility no longer
fits is left out, and everything shown is what the tables say now. A page may be shorter than asked for; the cursor
counts hits.
"""

from __future__ import annotations

from typing import Any, Protocol

import structlog
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.products import ProductLink
from winnow.db.tables.search import SearchDocument
from winnow.errors import SearchServerFailed
from winnow.queries.prices import offers_of
from winnow.queries.reading import Row, rows
from winnow.queries.search.postgres import PostgresSearch
from winnow.queries.search.request import MAX_HITS, Found, SearchPage, SearchRequest, check

K, D = ProductLink.__table__, SearchDocument.__table__
log = structlog.get_logger(__name__)

# Sources of which consumers find nothing for now: what they may see has changed and the index does not have it yet, or
# their feed has expired, which is not a change of anything.
_HIDDEN = text("""
SELECT source_id FROM search_changes WHERE source_id IS NOT NULL AND hides
UNION
SELECT source_id FROM search_walks
WHERE hides AND (finished_version IS NULL OR finished_version > CAST(:version AS bigint))
UNION
SELECT source_id FROM affiliate_feeds WHERE now() - promoted_at > make_interval(hours => expiry_hours)
""")


class Backend(Protocol):
    @property
    def name(self) -> str: ...

    async def find(self, conn: AsyncConnection, request: SearchRequest, hidden: list[int]) -> Found:
        """SearchServerFailed when it cannot answer."""


class ServerBackend(Backend, Protocol):
    async def version(self, conn: AsyncConnection) -> int:
        """Up to which its index has every document; SearchServerFailed when there is no index yet."""


async def search(conn: AsyncConnection, request: SearchRequest, server: ServerBackend | None = None) -> SearchPage:
    """Offers that fit, best first. PostgreSQL answers when the search server cannot, and the page says so."""
    request = check(request)
    if server is not None:
        try:
            version = await server.version(conn)
            found = await server.find(conn, request, await hidden_sources(conn, request, version))
            return await _page(conn, request, found, server.name, None)
        except SearchServerFailed as failed:
            log.warning("search_server_failed", error=str(failed))
            note = f"{failed}; PostgreSQL answered instead"
    else:
        note = None
    inside = PostgresSearch()
    found = await inside.find(conn, request, await hidden_sources(conn, request))
    return await _page(conn, request, found, inside.name, note)


async def hidden_sources(conn: AsyncConnection, request: SearchRequest, version: int | None = None) -> list[int]:
    """`version`: what the index that will be asked has got to; None for the documents themselves."""
    if request.everything:
        return []
    found = await conn.execute(_HIDDEN, {"version": version})
    return sorted(row.source_id for row in found)


async def _page(
    conn: AsyncConnection, request: SearchRequest, found: Found, backend: str, note: str | None
) -> SearchPage:
    wanted = dict(found.hits[: request.limit])
    current = {row["source_product_id"]: row for row in await current_offers(conn, list(wanted), request.everything)}
    fitting = [{**current[n], "score": round(s, 4)} for n, s in wanted.items() if n in current]
    end = request.after + request.limit
    more = len(found.hits) > request.limit and end < MAX_HITS
    return SearchPage([o for o in fitting if _fits(o, request)], str(end) if more else None, found, backend, note)


async def current_offers(conn: AsyncConnection, ids: list[int], everything: bool) -> list[Row]:
    of: Any = offers_of(everything).subquery("offers")
    joined = select(of, K.c.product_id, D.c.category, D.c.domain_name).select_from(
        of.outerjoin(K, K.c.source_product_id == of.c.source_product_id).outerjoin(
            D, D.c.product_id == of.c.source_product_id
        )
    )
    return await rows(conn, joined.where(of.c.source_product_id.in_(ids)))


def _fits(offer: Row, request: SearchRequest) -> bool:
    """Whether the offer, as it is now, passes the filters about price and stock."""
    price = offer["amount_minor"] / 10 ** offer["exponent"]
    return (
        (not request.availability or offer["availability"] in request.availability)
        and request.source_id in (None, offer["source_id"])
        and request.currency in (None, offer["currency"])
        and (request.price_min is None or price >= request.price_min)
        and (request.price_max is None or price <= request.price_max)
    )
