"""One offer: what it costs, what it cost, what others ask for the same product, and who is told."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from winnow.actions import feeds
from winnow.actions.intake import Cadence
from winnow.actions.targets import WATCH_EVERY
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.prices.history_chart import HistoryChart
from winnow.console.pages.prices.products import OFFER_COLUMNS, offer_row
from winnow.console.pages.watching.source import parse_id
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.watch_rules import WatchRules
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, money, state
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet
from winnow.console.widgets.parts import Empty, button, card, columns, facts, figure, reload_page, when
from winnow.errors import NotFound
from winnow.observe.users import UserRole
from winnow.queries import charts, prices, products, targets
from winnow.queries.offer_state import describe_state

Row = dict[str, Any]
HISTORY = [
    Column("at", "Observed"),
    Column("price", "Price", "right"),
    Column("was", "List price", "right"),
    Column("stock", "Stock"),
]
NO_PRICE = Empty("No prices", "No price was accepted in this period.")


@page("/offers/{offer_id}", "Offer", parent="/products")
async def build(view: View, offer_id: str) -> None:
    await OfferPage(view, parse_id(offer_id, "offer")).build()


class OfferPage:
    def __init__(self, view: View, offer_id: int) -> None:
        self.view, self.id = view, offer_id

    async def build(self) -> None:
        async with self.view.reading() as conn:
            offer = await prices.product(conn, self.id)
            if offer is None:
                raise NotFound(f"there is no offer {self.id}")
            product = await products.of_offer(conn, self.id)
            others = [] if product is None else await products.offers(conn, product["id"], everything=True)
            now = await charts.newest_price(conn, self.id)
            current, _ = await prices.latest(conn, everything=True, products=[self.id])
            self.currency = None if now is None else now["currency"]
            summary = {} if now is None else await charts.totals(conn, self.id, now["currency"])
            watched = await targets.of_offer(conn, offer)
            of_feed = await prices.is_of_feed(conn, self.id)
            confirmed = (await charts.confirmed(conn, [self.id])).get(self.id)
        self.others = [o for o in others if o["source_product_id"] != self.id]
        self._head(offer, now, summary, current[0] if current else None, confirmed)
        others = [o for o in self.others if o["currency"] == self.currency]
        drawn = {self.id: offer["source_name"], **{o["source_product_id"]: o["source_name"] for o in others}}
        await HistoryChart(self.view, drawn, self.currency, offer["title"], gaps_of=self.id).draw()
        with columns():
            with div("w-stack"):
                self._facts(offer, product)
                with card("Pages"):
                    for target in watched:
                        link(target["url"], f"/targets/{target['id']}")
                    if not watched:
                        quiet("No page of this offer is watched.")
                        if of_feed:
                            self._add_page()
            with card("Watch rules", "Notifications about this offer."):
                if watched:
                    await WatchRules(self.view, watched[0]["id"]).part.refresh()
                else:
                    quiet("No page of this offer is watched.")
        if self.others:
            with card("The same product elsewhere", "Matched by product code, never by name.", wide=True):
                await self._elsewhere()
        with card("Prices", "Newest first, corrections applied.", wide=True):
            link("CSV", "/exports/prices.csv", cls="w-button", offer=self.id)
            await self._history()

    def _add_page(self) -> None:
        """Offers of feeds can become targets (P-002)."""

        async def add(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                when = Cadence(every=WATCH_EVERY)
                done = await feeds.add_target(conn, context.actor, context.parts.intake, self.id, when)
            return f"Target {done.target_id} visits the page of this offer."

        then = reload_page(self.view)
        handler = act(self.view, UserRole.OPERATOR, "target.added", add, about=self.id, then=then)
        button("Watch its page", handler, view=self.view, needs=UserRole.OPERATOR, kind="primary")

    def _head(self, offer: Row, now: Row | None, summary: Row, current: Row | None, confirmed: datetime | None) -> None:
        with heading(offer["title"], f"{offer['source_name']} · {offer['url']}"):
            link("Its source", f"/sources/{offer['source_id']}", cls="w-button")
        with div("w-figures"):
            figure(
                "Price now",
                formatting.money(None if now is None else now["amount_minor"], self.currency),
                description=""
                if current is None
                else describe_state(current) or formatting.humanize(current["availability"].lower()),
            )
            if confirmed is not None:
                figure("Last confirmed", formatting.ago(confirmed, datetime.now(UTC)))
            figure("Lowest", formatting.money(summary.get("lowest_minor"), self.currency))
            figure("Highest", formatting.money(summary.get("highest_minor"), self.currency))
            figure("Observations", formatting.number(summary.get("observations", 0)))

    def _facts(self, offer: Row, product: Row | None) -> None:
        with card("Details"):
            facts(
                {
                    "Brand": offer["brand"],
                    "SKU": offer["sku"],
                    "Identity": offer["identity_key"],
                    "Product": "not linked" if product is None else lambda: _link_to(product),
                    "First seen": lambda: when(offer["created_at"]),
                }
            )

    async def _elsewhere(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            start = int(after or 0)
            more = str(start + limit) if start + limit < len(self.others) else None
            return [offer_row(o) for o in self.others[start : start + limit]], more

        await Grid(self.view, OFFER_COLUMNS, load, empty=NO_PRICE, caption="Other offers", rows=10).refresh()

    async def _history(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            async with self.view.reading() as conn:
                found, following = await prices.history(
                    conn, [self.id], everything=True, after=None if after is None else int(after), limit=limit
                )
            return [_price(p) for p in found], following

        await Grid(self.view, HISTORY, load, empty=NO_PRICE, caption="Price history", rows=10).refresh()


def _link_to(product: Row) -> None:
    link(f"{product['name']} ({product['gtin'] or product['mpn']})", f"/products/{product['id']}")


def _price(price: Row) -> Row:
    return {
        "id": price["id"],
        "at": cell(formatting.absolute(price["observed_at"])),
        "price": money(price["amount_minor"], price["currency"]),
        "was": money(price["list_price_minor"], price["currency"]),
        "stock": state(price["availability"].lower()),
    }
