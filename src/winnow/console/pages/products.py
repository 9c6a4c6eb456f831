"""Products and prices: search, and every offer with its price now."""

from __future__ import annotations

from typing import Any

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, money, state, when
from winnow.console.widgets.form import filter_bar, select_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty
from winnow.queries import prices, products

Row = dict[str, Any]
OFFER_COLUMNS = [
    Column("title", "Offer"),
    Column("price", "Price", "right"),
    Column("was", "List price", "right"),
    Column("stock", "Stock"),
    Column("seen", "Observed"),
    Column("source", "Source"),
]
NONE = Empty(
    "No offers here",
    "Nothing fits, or no page was read and accepted yet. Held ones wait in quarantine.",
    "Watch a page",
    "/add",
)


@page("/products", "Products and prices", group="Catalogue", icon="sell", order=10, key="p")
async def build(view: View) -> None:
    heading("Products and prices", "Every offer with its newest price, hidden ones included. Open one for its history.")
    with filter_bar():
        q = text_field(
            "Search",
            view.query("q") or "",
            kind="search",
            placeholder="words, SKU or GTIN",
            on_change=lambda: grid.restart(),
        )
        stock = select_field(
            "Stock",
            {"": "any", "yes": "in stock", "no": "not in stock"},
            view.query("stock") or "",
            on_change=lambda: grid.restart(),
        )
        source = text_field(
            "Source",
            view.query("source_id") or "",
            kind="number",
            placeholder="its number",
            on_change=lambda: grid.restart(),
        )

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        start = None if after is None else int(after)
        wanted = (q.value or "").strip()
        number = str(source.value or "").strip()
        async with view.reading() as conn:
            if wanted:
                found, following = await products.search(conn, wanted, everything=True, after=start, limit=limit)
            else:
                found, following = await prices.latest(
                    conn,
                    everything=True,
                    in_stock={"yes": True, "no": False}.get(stock.value),
                    source_id=int(number) if number.isdigit() else None,
                    after=start,
                    limit=limit,
                )
        return [offer_row(offer) for offer in found], following

    grid = Grid(view, OFFER_COLUMNS, load, empty=NONE, caption="Offers")
    await grid.refresh()


def offer_row(offer: Row) -> Row:
    offer_id = offer["source_product_id"]
    return {
        "id": offer_id,
        "label": offer["title"],
        "title": cell(offer["title"], offer["brand"], path=f"/offers/{offer_id}"),
        "price": money(offer["amount_minor"], offer["currency"]),
        "was": money(offer["list_price_minor"], offer["currency"]),
        "stock": state(offer["availability"].lower()),
        "seen": when(offer["observed_at"]),
        "source": cell(offer["source_name"], path=f"/sources/{offer['source_id']}"),
    }
