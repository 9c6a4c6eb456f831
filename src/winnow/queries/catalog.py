"""The catalogue's products: an offer with its newest observation (C-031, C-055). Operators see all of them, consumers
those of their views, with the price they may see (P-092)."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

import msgspec
from sqlalchemy import Select, column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.products import Image
from winnow.normalise.money.currencies import exponent
from winnow.queries.prices import CONSUMER_OFFERS
from winnow.queries.reading import Row, cut, first, page, rows

_COLUMNS = (
    "id domain_id domain_name source_id crawl_task_id product_id of_page url url_hash product_name description price "
    "amount_minor exponent currency price_withheld availability unavailable_reason rating review_count brand category "
    "breadcrumbs sku gtin mpn condition image_url content_hash metadata field_sources parser_version observed_at "
    "created_at updated_at page_domain page_availability page_price_minor page_currency"
)
PRODUCTS = table("catalog_products", *(column(name) for name in _COLUMNS.split()))
IMAGES = Image.__table__
_INTERNAL = ("crawl_task_id", "price_withheld", "field_sources", "parser_version", "unavailable_reason")
MAX_SORTED = 10_000  # rows that are looked through by anything but age

Sort = Literal["newest", "price", "-price", "-rating", "-updated"]
_ORDER = {
    "price": (PRODUCTS.c.price.asc().nulls_last(),),
    "-price": (PRODUCTS.c.price.desc().nulls_last(),),
    "-rating": (PRODUCTS.c.rating.desc().nulls_last(), PRODUCTS.c.review_count.desc().nulls_last()),
    "-updated": (PRODUCTS.c.updated_at.desc(),),
}


class ProductFilter(msgspec.Struct, frozen=True, kw_only=True):
    """C-055. `everything`: for operators; consumers see what their views show. `of_page`: products of pages only, or of
    feeds only; None both."""

    everything: bool = False
    of_page: bool | None = True
    price_min: Decimal | None = None
    price_max: Decimal | None = None
    currency: str | None = None
    availability: str | None = None
    rating_min: Decimal | None = None
    brand: str | None = None
    category: str | None = None
    domain: str | None = None
    source_id: int | None = None
    created_since: datetime | None = None
    updated_since: datetime | None = None


async def listed(
    conn: AsyncConnection, wanted: ProductFilter, *, sort: Sort = "newest", after: int | None = None, limit: int = 20
) -> tuple[list[Row], str | None]:
    """Newest first, with a cursor of ids; in another order the cursor counts rows."""
    statement = _filtered(wanted)
    key: Any = statement.selected_columns["id"]
    if sort == "newest":
        return cut(await rows(conn, page(statement, key, after, limit, newest=True)), limit)
    start = after or 0
    ordered = statement.order_by(*_ORDER[sort], key.desc()).offset(min(start, MAX_SORTED)).limit(limit + 1)
    found = await rows(conn, ordered)
    more = len(found) > limit and start + limit < MAX_SORTED
    return found[:limit], str(start + limit) if more else None


def _filtered(wanted: ProductFilter) -> Select[Any]:
    statement = select(PRODUCTS) if wanted.everything else _consumers()
    for name in ("brand", "category", "source_id"):
        if (value := getattr(wanted, name)) is not None:
            statement = statement.where(PRODUCTS.c[name] == value)
    if wanted.of_page is not None or not wanted.everything:
        statement = statement.where(
            PRODUCTS.c.of_page if wanted.of_page or not wanted.everything else ~PRODUCTS.c.of_page
        )
    if wanted.domain is not None:
        name = "page_domain" if wanted.of_page else "domain_name"
        statement = statement.where(PRODUCTS.c[name] == wanted.domain)
    if wanted.rating_min is not None:
        statement = statement.where(PRODUCTS.c.rating >= wanted.rating_min)
    if wanted.created_since is not None:
        statement = statement.where(PRODUCTS.c.created_at >= wanted.created_since)
    if wanted.updated_since is not None:
        statement = statement.where(PRODUCTS.c.updated_at >= wanted.updated_since)
    return _priced(_available(statement, wanted), wanted)


def _available(statement: Select[Any], wanted: ProductFilter) -> Select[Any]:
    if wanted.availability is None:
        return statement
    shown = statement.selected_columns["availability"]
    statement = statement.where(shown == wanted.availability)
    if (
        wanted.availability == "in_stock" and wanted.of_page
    ):  # as it is indexed; gone or forbidden ones are none of these
        statement = statement.where(PRODUCTS.c.page_availability == "IN_STOCK")
    return statement


def _priced(statement: Select[Any], wanted: ProductFilter) -> Select[Any]:
    """Prices of different currencies are compared as numbers unless one currency is named."""
    price, indexed = statement.selected_columns["price"], wanted.currency is not None and wanted.of_page
    if wanted.currency is not None:
        statement = statement.where(statement.selected_columns["currency"] == wanted.currency, price.is_not(None))
    factor = 10 ** exponent(wanted.currency) if wanted.currency is not None else 1
    if wanted.price_min is not None:
        statement = statement.where(price >= wanted.price_min)
        if indexed:
            statement = statement.where(PRODUCTS.c.page_price_minor >= int(wanted.price_min * factor))
    if wanted.price_max is not None:
        statement = statement.where(price <= wanted.price_max)
        if indexed:
            statement = statement.where(PRODUCTS.c.page_price_minor <= int(wanted.price_max * factor) + 1)
    return statement


def _consumers() -> Select[Any]:
    """Price, currency and stock are those of the view of consumers; how a product is come by is not shown."""
    v = CONSUMER_OFFERS
    shown = {
        "price": func.money_decimal(v.c.amount_minor, v.c.exponent),
        "amount_minor": v.c.amount_minor,
        "exponent": v.c.exponent,
        "currency": v.c.currency,
        "availability": func.lower(v.c.availability),
        "observed_at": v.c.observed_at,
    }
    columns = [shown[c.name].label(c.name) if c.name in shown else c for c in PRODUCTS.c if c.name not in _INTERNAL]
    return select(*columns).join_from(PRODUCTS, v, v.c.source_product_id == PRODUCTS.c.id)


async def one(conn: AsyncConnection, product_id: int) -> Row | None:
    """For operators, with its pictures in the order of the page."""
    found = await first(conn, select(PRODUCTS).where(PRODUCTS.c.id == product_id))
    if found is not None:
        found["images"] = await images(conn, [product_id])
    return found


async def images(conn: AsyncConnection, product_ids: list[int]) -> list[Row]:
    statement = select(IMAGES).where(IMAGES.c.product_id.in_(product_ids))
    return await rows(conn, statement.order_by(IMAGES.c.product_id, IMAGES.c.position, IMAGES.c.id))
