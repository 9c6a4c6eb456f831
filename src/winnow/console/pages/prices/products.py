"""Products and prices: search, and every offer with its price now."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.console.layout import heading
from winnow.console.pages.prices.facets import FacetPanel
from winnow.console.pictures import picture_path
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, money, sparkline, state, when, with_picture
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import PAGE_ROWS, Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty
from winnow.queries import prices
from winnow.queries.catalogue import price_trends
from winnow.queries.catalogue.price_trends import Trend
from winnow.queries.offer_state import describe_state
from winnow.queries.search.offers import search
from winnow.queries.search.request import MAX_QUERY, Found, SearchRequest, Sort
from winnow.queries.search.server import backend_of

Row = dict[str, Any]
OFFER_COLUMNS = [
    Column("title", "Offer"),
    Column("price", "Price", "right"),
    Column("was", "List price", "right"),
    Column("stock", "Stock"),
    Column("seen", "Last seen"),
    Column("source", "Source"),
]
LISTED_COLUMNS = [
    *OFFER_COLUMNS[:2],
    Column("trend", "30 days"),
    *OFFER_COLUMNS[2:],
]
SORTS: dict[str, str] = {
    "": "best match, or as added",
    "newest": "newest first",
    "price_asc": "cheapest first",
    "price_desc": "dearest first",
}
NONE = Empty(
    "No offers here",
    "Nothing matches, or no page has been accepted yet. Held records are in quarantine.",
    "Watch a page",
    "/add",
)


@page("/products", "Products and prices", group="Catalogue", icon="sell", order=10, key="p")
async def build(view: View) -> None:
    description = "Every offer with its current price, including hidden ones. Open one for its history."
    with heading("Products and prices", description):
        link("CSV", "/exports/offers.csv", cls="w-button")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "words, SKU or GTIN")
        stock = filters.choice("Stock", {"": "any", "yes": "in stock", "no": "not in stock"}, "stock")
        source = await filters.source()
        sort = filters.choice("Sort", SORTS, "sort")

    async def wanted(after: str | None = None, limit: int = PAGE_ROWS, *, counted: bool = False) -> SearchRequest:
        return SearchRequest(
            q=(q.wanted or "")[:MAX_QUERY],
            everything=True,
            availability={"yes": ("IN_STOCK",), "no": ("OUT_OF_STOCK", "BACKORDER", "UNKNOWN")}.get(stock.value, ()),
            source_id=await source.id(),
            sort=cast(Sort, sort.value) if sort.value in SORTS and sort.value else "relevance",
            after=int(after or 0),
            limit=limit,
            facets=counted,
            **facets.wanted(),
        )

    async def count() -> Found:
        request = await wanted(limit=1, counted=True)
        async with view.reading() as conn:
            return (await search(conn, request, backend_of(view.parts.search_server))).found

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        request = await wanted(after, limit)
        async with view.reading() as conn:
            found, following = await _listed(view, conn, request, facets.is_used)
            return await listed_rows(conn, found), following

    facets = FacetPanel(filters, count)
    grid = filters.above(Grid(view, LISTED_COLUMNS, load, empty=NONE, caption="Offers"), also=facets.refresh)
    await facets.refresh()
    await grid.refresh()


async def _listed(
    view: View, conn: AsyncConnection, request: SearchRequest, narrowed: bool
) -> tuple[list[Row], str | None]:
    """Without words, order or facet every offer, also those that the search has not got yet."""
    if request.q or narrowed or request.sort != "relevance":
        page = await search(conn, request, backend_of(view.parts.search_server))
        return page.offers, page.following
    in_stock = {("IN_STOCK",): True, (): None}.get(request.availability, False)
    return await prices.latest(
        conn,
        everything=True,
        in_stock=in_stock,
        source_id=request.source_id,
        after=request.after or None,
        limit=request.limit,
    )


async def listed_rows(conn: AsyncConnection, offers: list[Row]) -> list[Row]:
    """With their pictures, what changed since yesterday, and the month as a line."""
    now = datetime.now(UTC)
    known = await price_trends.trends(conn, offers, now)
    shown = await price_trends.pictures(conn, [offer["source_product_id"] for offer in offers])
    return [_listed_row(offer, known.get(offer["source_product_id"]), shown) for offer in offers]


def _listed_row(offer: Row, trend: Trend | None, shown: Mapping[int, tuple[int, str]]) -> Row:
    row = offer_row(offer)
    picture = shown.get(offer["source_product_id"])
    if picture is not None:
        row["title"] = with_picture(row["title"], picture_path(picture[0]), picture[1])
    if trend is not None:
        row["price"] |= change_since(trend.yesterday_minor, offer["amount_minor"])
        row["trend"] = sparkline(trend.recent_minor, _describe_trend(trend.recent_minor, offer["currency"]))
    return row


def change_since(yesterday: int | None, now: int) -> Row:
    """What stands below a price that was another one yesterday."""
    if not yesterday or yesterday == now:
        return {}
    percent = 100 * (now - yesterday) / yesterday
    return {"sub": f"{percent:+.1f} % since yesterday".replace("-", "\u2212"), "trend": "up" if percent > 0 else "down"}


def _describe_trend(minor: list[int], currency: str) -> str:
    if len(minor) < 2:
        return ""
    low, high = formatting.money(min(minor), currency), formatting.money(max(minor), currency)
    return f"{len(minor)} prices in 30 days, {low} to {high}"


def stock(offer: Row) -> Row:
    """The current availability as a badge, with the reason when it is not that of the newest price."""
    note = describe_state(offer)
    badge = state(offer["availability"].lower())
    return badge if note is None else {**badge, "sub": note}


def offer_row(offer: Row) -> Row:
    offer_id = offer["source_product_id"]
    return {
        "id": offer_id,
        "label": offer["title"],
        "title": cell(offer["title"], offer["brand"], path=f"/offers/{offer_id}"),
        "price": money(offer["amount_minor"], offer["currency"]),
        "was": money(offer["list_price_minor"], offer["currency"]),
        "stock": stock(offer),
        "seen": when(offer["last_seen_at"]),
        "source": cell(offer["source_name"], path=f"/sources/{offer['source_id']}"),
    }
