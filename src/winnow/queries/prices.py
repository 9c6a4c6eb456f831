"""Prices. Consumers read through the views that enforce visibility (P-092); operators see everything that is
stored, with corrections applied."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, TableClause, column, false, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.prices import LatestPrice
from winnow.db.tables.sources import ScrapeTarget, Source
from winnow.db.tables.store import SourceProduct
from winnow.queries.reading import Row, contains, cut, first, page, rows

P, L, S, T = (m.__table__ for m in (SourceProduct, LatestPrice, Source, ScrapeTarget))

_PRICE = "source_product_id amount_minor currency exponent list_price_minor shipping_minor availability in_stock"
_OFFER = "source_id title url image_url brand sku"
_STATE = "unavailable_since unavailable_reason unconfirmed_since"


def _view(name: str, columns: str) -> TableClause:
    return table(name, *(column(c) for c in columns.split()))


CONSUMER_PRICES = _view("consumer_prices", f"id source_id {_PRICE} observed_at created_at")
CORRECTED_PRICES = _view("corrected_prices", f"id source_id {_PRICE} observed_at created_at")
CONSUMER_OFFERS = _view("consumer_offers", f"{_PRICE} {_OFFER} {_STATE} observed_at priced_at")
PRESENCE = _view("offer_presence", f"source_product_id last_seen_at {_STATE}")


async def history(
    conn: AsyncConnection, products: list[int], *, everything: bool, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    """Newest first."""
    of = CORRECTED_PRICES if everything else CONSUMER_PRICES
    statement = select(of).where(of.c.source_product_id.in_(products))
    return cut(await rows(conn, page(statement, of.c.id, after, limit, newest=True)), limit)


async def latest(
    conn: AsyncConnection,
    *,
    everything: bool,
    source_id: int | None = None,
    in_stock: bool | None = None,
    q: str | None = None,
    products: list[int] | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Offers with their current price, by id."""
    of: Any = offers_of(everything).subquery("offers")
    statement = select(of)
    if source_id is not None:
        statement = statement.where(of.c.source_id == source_id)
    if in_stock is not None:
        statement = statement.where(of.c.in_stock == in_stock)
    if q:
        statement = statement.where(of.c.title.ilike(contains(q)))
    if products is not None:
        statement = statement.where(of.c.source_product_id.in_(products))
    found = await rows(conn, page(statement, of.c.source_product_id, after, limit))
    return cut(found, limit, "source_product_id")


def offers_of(everything: bool) -> Select[Any]:
    """Offers with their current price: all that are stored, or those that consumers may see."""
    return _operators() if everything else _consumers()


def _consumers() -> Select[Any]:
    columns = [c for c in CONSUMER_OFFERS.c if c.name != "priced_at"]
    return select(*columns, CONSUMER_OFFERS.c.priced_at.label("created_at"))


def _operators() -> Select[Any]:
    """The newest price of each offer; an affiliate's ignores scraped rows (FN-18)."""
    counts = (S.c.source_kind != "AFFILIATE_FEED") | ~L.c.scraped
    newest = (
        select(*L.c)
        .where(L.c.source_product_id == P.c.id, counts)
        .order_by(L.c.created_at.desc(), L.c.price_id.desc())
        .limit(1)
        .lateral("newest")
    )
    offer = (P.c.source_id, P.c.title, P.c.url, P.c.image_url, P.c.brand, P.c.sku, S.c.name.label("source_name"))
    # The offer's own id, not the price's copy of it: a cursor or a list of ids must reach the offer's key.
    of = P.c.id.label("source_product_id")
    names = [*_PRICE.split()[1:], "observed_at", "created_at"]
    price = [newest.c[n] for n in names if n not in ("availability", "in_stock")]
    now = func.current_availability(newest.c.availability, PRESENCE.c.unavailable_reason, PRESENCE.c.unconfirmed_since)
    state = [now.label("availability"), (now == "IN_STOCK").label("in_stock"), *(PRESENCE.c[n] for n in _STATE.split())]
    seen = func.greatest(PRESENCE.c.last_seen_at, newest.c.observed_at).label("last_seen_at")
    joined = P.join(S, S.c.id == P.c.source_id).join(newest, newest.c.source_product_id == P.c.id)
    joined = joined.outerjoin(PRESENCE, PRESENCE.c.source_product_id == P.c.id)
    return select(of, *price, seen, *state, *offer).select_from(joined)


async def products_of_target(conn: AsyncConnection, target_id: int) -> list[int] | None:
    """The offers found at a target's URL; None when there is no such target."""
    target = await first(conn, select(T.c.source_id, T.c.url_hash, T.c.source_product_id).where(T.c.id == target_id))
    if target is None:
        return None
    same_page: ColumnElement[bool] = (P.c.source_id == target["source_id"]) & (P.c.url_hash == target["url_hash"])
    linked = P.c.id == target["source_product_id"] if target["source_product_id"] is not None else false()
    return await _ids(conn, same_page | linked)


async def products_of_url(conn: AsyncConnection, url_hash: str) -> list[int]:
    linked = select(T.c.source_product_id).where(T.c.url_hash == url_hash, T.c.source_product_id.is_not(None))
    return await _ids(conn, (P.c.url_hash == url_hash) | P.c.id.in_(linked))


async def is_watched(conn: AsyncConnection, url_hash: str) -> bool:
    return await first(conn, select(T.c.id).where(T.c.url_hash == url_hash)) is not None


async def product(conn: AsyncConnection, product_id: int) -> Row | None:
    names = "id title url url_hash source_id brand sku identity_key created_at"
    columns = [P.c[name] for name in names.split()]
    statement = select(*columns, S.c.name.label("source_name")).join(S, S.c.id == P.c.source_id)
    return await first(conn, statement.where(P.c.id == product_id))


async def is_of_feed(conn: AsyncConnection, product_id: int) -> bool:
    query = select(P.c.id).where(P.c.id == product_id, P.c.feed_run_id.is_not(None))
    return await first(conn, query) is not None


async def is_visible(conn: AsyncConnection, product_id: int) -> bool:
    """Whether consumers see the offer or a price of it; an offer that only an unpromoted feed run brought is not."""
    brought = select(P.c.id).where(P.c.id == product_id, P.c.feed_run_id.is_(None))
    price = select(CONSUMER_PRICES.c.id).where(CONSUMER_PRICES.c.source_product_id == product_id).limit(1)
    return await first(conn, brought) is not None or await first(conn, price) is not None


async def products(conn: AsyncConnection, ids: list[int]) -> list[Row]:
    return await rows(conn, select(P.c.id, P.c.title, P.c.url, P.c.source_id).where(P.c.id.in_(ids)).order_by(P.c.id))


async def _ids(conn: AsyncConnection, where: ColumnElement[bool]) -> list[int]:
    return [row["id"] for row in await rows(conn, select(P.c.id).where(where).order_by(P.c.id).limit(1_000))]
