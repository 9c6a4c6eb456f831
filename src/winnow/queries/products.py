"""Canonical products and their offers. Consumers see what their views show (P-092), operators everything."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.products import Product, ProductConflict, ProductLink
from winnow.db.tables.store import SourceProduct
from winnow.queries.prices import CONSUMER_OFFERS, offers_of
from winnow.queries.reading import Row, cut, first, page, rows

P, K, C, O = (m.__table__ for m in (Product, ProductLink, ProductConflict, SourceProduct))  # noqa: E741

MAX_OFFERS = 1_000  # of one product


async def _offers(conn: AsyncConnection, ids: list[int], everything: bool) -> list[Row]:
    of: Any = offers_of(everything).subquery("offers")
    statement = select(of, K.c.product_id).outerjoin(K, K.c.source_product_id == of.c.source_product_id)
    return await rows(conn, statement.where(of.c.source_product_id.in_(ids)))


async def one(conn: AsyncConnection, product_id: int, *, everything: bool) -> Row | None:
    return await first(conn, _products(everything).where(P.c.id == product_id))


def _products(everything: bool) -> Select[Any]:
    """All products, or those with an offer that consumers may see."""
    if everything:
        return select(P)
    linked = K.join(CONSUMER_OFFERS, CONSUMER_OFFERS.c.source_product_id == K.c.source_product_id)
    return select(P).where(select(K.c.product_id).select_from(linked).where(K.c.product_id == P.c.id).exists())


async def offers(conn: AsyncConnection, product_id: int, *, everything: bool) -> list[Row]:
    """Of one product: those in stock first, then by price."""
    linked = select(K.c.source_product_id).where(K.c.product_id == product_id).limit(MAX_OFFERS)
    ids = [row["source_product_id"] for row in await rows(conn, linked)]
    found = await _offers(conn, ids, everything)
    return sorted(found, key=lambda row: (not row["in_stock"], row["currency"], row["amount_minor"]))


async def of_offer(conn: AsyncConnection, offer_id: int) -> Row | None:
    """The canonical product an offer is of; None as long as nothing proves one."""
    return await first(conn, select(P).join(K, K.c.product_id == P.c.id).where(K.c.source_product_id == offer_id))


async def conflicts(conn: AsyncConnection, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    statement = select(*C.c, O.c.title, O.c.url, O.c.brand, O.c.mpn).join(O, O.c.id == C.c.source_product_id)
    found = await rows(conn, page(statement, C.c.source_product_id, after, limit))
    return cut(found, limit, "source_product_id")
