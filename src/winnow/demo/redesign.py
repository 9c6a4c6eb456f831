"""`winnow demo --break-template`: a shop is redesigned while it is watched, and nothing wrong is believed.

The story, each step waited for and seen in the database: prices arrive; the template breaks; two bad runs disable the
adapter and somebody is paged; a person reviews what was held; stored pages are replayed through the next version of
the adapter; the template is mended, the adapter enabled again, and its first run watched until it recovers.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from winnow.db.engine import Database
from winnow.db.migrate import upgrade
from winnow.demo import tour
from winnow.demo.catalogue import Product
from winnow.demo.pages import CURRENCY, Template
from winnow.demo.shop import Shop, start_shop
from winnow.normalise.record import Money
from winnow.run import orders, replay, review
from winnow.run.adapters import choose, registry
from winnow.run.beat import stop_on_signals
from winnow.run.up import parts_of, supervise
from winnow.settings import Settings

PATIENCE = 60.0  # seconds one step may take; together they take about half of that on an idle machine
ADAPTER = "fernweh"
SELECTORS = """\
id = "fernweh"
version = "1.0.0"
domain = "fernweh.example"
currency = "USD"
root = "article.product"

[fields]
title = "h1.title"
price = ".price .now"
list_price = ".price s"
availability = ".stock"
sku = ".by .sku"
"""
# What the next version reads besides.
NEXT = SELECTORS.replace('"1.0.0"', '"1.1.0"') + 'brand = ".by > span:first-child"\n'

_OFFERS = "SELECT count(*) >= 20 FROM latest_prices"
_STOPPED = f"SELECT 1 FROM scrape_adapter_status WHERE adapter_id = '{ADAPTER}' AND disabled_reason = 'DRIFT_DETECTED'"
_PAGED = "SELECT title FROM alerts WHERE severity = 'P1' AND code = 'adapter_disabled' AND resolved_at IS NULL"
_BAD_RUNS = "SELECT id FROM scrape_runs WHERE status = 'QUARANTINED' ORDER BY id"
_OF_RUN = "SELECT count(*) FROM prices WHERE ingestion_run_id = %s"
_HELD = """
SELECT id, payload ->> 'url' FROM quarantine
WHERE reason = 'ZERO_PRICE_EXTRACTED' AND resolved_at IS NULL ORDER BY id
"""
_QUIET = "SELECT NOT EXISTS (SELECT FROM tasks WHERE status IN ('queued', 'running'))"
_REVIEWED = "SELECT count(*) FROM records WHERE provenance ->> 'reviewed_by' = %s"
_RECOVERED = "SELECT (payload ->> 'valid')::int FROM outbox WHERE topic = 'adapter.recovered'"
_OPEN_ALERTS = "SELECT count(*) FROM alerts WHERE resolved_at IS NULL AND severity = 'P1'"


async def run(console: Console, *, fast: bool) -> None:
    """`fast` ends after the story; otherwise everything goes on until Ctrl-C."""
    folder = tour.make_folder()
    shop = await start_shop(step_seconds=2.0)
    try:
        _write_adapter(folder / "adapters")
        settings = tour.make_settings(folder, shop)
        console.print(f"[bold]Winnow[/] · a shop opens on {shop.url}, read by an adapter of its own ({ADAPTER} 1.0.0)")
        async with await Database.open(settings.db) as database:
            await upgrade(database.url)
            await tour.watch(database, settings, shop, ADAPTER)
            await _supervised(console, Story(console, database, settings, shop), fast)
    finally:
        await shop.stop()
        shutil.rmtree(folder, ignore_errors=True)


def _write_adapter(folder: Path) -> None:
    site = folder / ADAPTER
    site.mkdir(parents=True)
    (site / "live.toml").write_text(SELECTORS, encoding="utf-8")
    (site / "next.toml").write_text(NEXT, encoding="utf-8")
    os.environ["WINNOW_ADAPTERS_DIR"] = str(folder)


async def _supervised(console: Console, story: Story, fast: bool) -> None:
    """The story beside the processes of `winnow up`; Ctrl-C ends both."""
    stopping = stop_on_signals()
    supervisor = asyncio.create_task(supervise(parts_of(story.settings), stopping))
    told = asyncio.create_task(story.tell())
    stopped = asyncio.create_task(stopping.wait())
    try:
        await asyncio.wait({told, stopped, supervisor}, return_when=asyncio.FIRST_COMPLETED)
        if told.done():
            await told
            if not fast:
                console.print("The shop stays open; Ctrl-C ends the demo.")
                await stopped
        elif fast or supervisor.done():
            raise tour.DemoFailed("it ended before everything was seen")
    finally:
        for task in (told, stopped):
            task.cancel()
        stopping.set()
        await asyncio.gather(supervisor, told, stopped, return_exceptions=True)


class Story:
    """Each step says what it saw, or the demo fails with the sentence of what was not seen."""

    def __init__(self, console: Console, database: Database, settings: Settings, shop: Shop) -> None:
        self._console = console
        self._database = database
        self.settings = settings
        self._shop = shop
        self._began = time.monotonic()

    async def tell(self) -> None:
        await self._prices_arrive()
        await self._template_breaks()
        await self._a_person_reviews()
        await self._a_candidate_is_replayed()
        await self._mended_and_enabled()

    async def _prices_arrive(self) -> None:
        await self._until("20 products with prices", lambda: self._value(_OFFERS))
        self._saw(f"{await self._value('SELECT count(*) FROM latest_prices')} products have prices")

    async def _template_breaks(self) -> None:
        self._shop.window.template = Template.HALF
        self._say("the shop is redesigned: most pages lose their price, some show $0.00")
        await self._until("the adapter disabled by drift", lambda: self._value(_STOPPED))
        title = await self._until("a P1 alert", lambda: self._value(_PAGED))
        self._saw(f"P1 alert: {title}")
        bad = [row[0] for row in await self._rows(_BAD_RUNS)]
        self._claim(bool(bad), "a run crossed the threshold")
        self._claim(await self._value(_OF_RUN, bad[-1]) == 0, "no price of the broken pages was stored")
        self._saw(f"run {bad[-1]} is quarantined: not one price of the broken pages was believed")

    async def _a_person_reviews(self) -> None:
        await self._until("the queue to be empty", lambda: self._value(_QUIET))  # a newer page would settle them itself
        held = await self._rows(_HELD)
        self._claim(len(held) >= 2, "prices of zero wait in quarantine")
        (first, url), *others = held
        product = self._product(url)
        price = self._shop.window.shelf(product).price_cents
        assert price is not None
        async with self._database.transaction() as conn:
            await review.accept(conn, tour.ACTOR, first, note="asked the shop", price=Money(price, CURRENCY))

        async def reject(conn: Any, entry: int) -> None:
            await review.reject(conn, tour.ACTOR, entry, note="the redesign shows zero")

        done = await review.each(self._database, [entry for entry, _ in others], reject)
        self._claim(len(done.done) == len(others), "the other entries were rejected")
        self._claim(await self._value(_REVIEWED, tour.ACTOR) == len(held), "each record says who decided")
        self._saw(f"a person reviewed {len(held)} held prices: 1 corrected and stored, {len(others)} rejected")

    async def _a_candidate_is_replayed(self) -> None:
        known = registry(self.settings.run.adapters_dir)
        candidate, live = choose(known, ADAPTER, "new"), choose(known, ADAPTER)
        order = replay.Order(candidate=candidate, live=live.version, limit=200)
        replay_id = await replay.begin(self._database, tour.ACTOR, order)
        report = await replay.replay(self._database, self.settings, replay_id, order)
        self._claim(report.pages > 20 and not report.missing, "stored pages were replayed")
        self._claim(report.lost == 0 and report.fields["price"].changed == 0, "the candidate changes no price")
        brands = report.fields["brand"].found
        self._claim(brands > 20, "the candidate finds the brands")
        self._saw(
            f"replayed {report.pages} stored pages through {ADAPTER} {candidate.version}: no price changed, "
            f"{report.lost} pages lost, {brands} brands found"
        )

    async def _mended_and_enabled(self) -> None:
        self._shop.window.template = Template.CLASSIC
        self._say("the shop is mended, and a person enables the adapter again")
        async with self._database.transaction() as conn:
            changed = await orders.enable_adapter(conn, tour.ACTOR, ADAPTER, "template mended")
        self._claim(changed, "the adapter was enabled again")
        valid = await self._until("the first run after enabling to give offers", lambda: self._value(_RECOVERED))
        self._claim(await self._value(_OPEN_ALERTS) == 0, "the alert is resolved")
        self._saw(f"recovered: the closely watched first run gave {valid} valid offers, the alert is resolved")

    # looking

    async def _until(self, what: str, look: Callable[[], Awaitable[Any]]) -> Any:
        deadline = time.monotonic() + PATIENCE
        while not (found := await look()):
            if time.monotonic() > deadline:
                raise tour.DemoFailed(f"waited {PATIENCE:.0f} s for {what}, in vain")
            await asyncio.sleep(0.3)
        return found

    async def _rows(self, query: str, *given: object) -> list[Any]:
        async with self._database.connection() as conn:
            return await (await conn.execute(query, given)).fetchall()

    async def _value(self, query: str, *given: object) -> Any:
        rows = await self._rows(query, *given)
        return rows[0][0] if rows else None

    def _product(self, url: str) -> Product:
        return next(product for product in self._shop.products if url.endswith(product.path))

    # telling

    def _claim(self, seen: bool, what: str) -> None:
        if not seen:
            raise tour.DemoFailed(f"not seen: {what}")

    def _say(self, text: str) -> None:
        self._console.print(f"[dim]{time.monotonic() - self._began:5.1f} s[/]  … {text}")

    def _saw(self, text: str) -> None:
        self._console.print(f"[dim]{time.monotonic() - self._began:5.1f} s[/]  [green]✓[/] {text}")


def main(*, fast: bool) -> None:
    console = Console()
    asyncio.run(run(console, fast=fast))
