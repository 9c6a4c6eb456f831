"""`winnow demo`: everything at once, on this machine alone, with a small shop to watch.

A shop on loopback whose prices move, a private database in a folder of its own, and the same
processes as `winnow up`. Nothing needs to be installed and nothing leaves the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import socket
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import msgspec
from rich.console import Console
from rich.live import Live

from winnow.db.engine import Database
from winnow.db.migrate import upgrade
from winnow.db.settings import DatabaseSettings
from winnow.demo import board
from winnow.demo.shop import Shop, start_shop
from winnow.errors import WinnowError
from winnow.fetch.allow import AllowList
from winnow.run.adapters import registry
from winnow.run.beat import stop_on_signals
from winnow.run.intake import Cadence, Intake, database_now
from winnow.run.up import first_admin, parts_of, supervise
from winnow.schedule.ledger import PostgresLedger
from winnow.schedule.policy import Limits
from winnow.settings import Settings, load
from winnow.sources import targets
from winnow.sources.domain import domain_of

EVERY = timedelta(seconds=3)  # how often each product is visited: often enough to see prices move
REQUESTS_PER_SECOND = 60  # the shop is ours: an explicit rate, set where a person would set it
WANTED_PRODUCTS = 20
ACTOR = "demo"


class DemoFailed(WinnowError):
    code = "demo_failed"


async def run(console: Console, *, seconds: float | None, fast: bool) -> board.Board:
    """Until Ctrl-C, for `seconds`, or (`fast`) until prices have arrived and one has moved."""
    folder = make_folder()
    shop = await start_shop(step_seconds=2.0 if fast else 4.0)
    try:
        settings = make_settings(folder, shop)
        console.print(f"[bold]Winnow[/] · a shop opens on {shop.url}, a private database in {folder}")
        async with await Database.open(settings.db) as database:
            await upgrade(database.url)
            password = await first_admin(database, settings)
            console.print(f"[bold]Console[/] · {console_address(settings)} · name admin, password {password}")
            await watch(database, settings, shop)
            return await _show(console, database, settings, seconds=seconds, fast=fast)
    finally:
        await shop.stop()
        shutil.rmtree(folder, ignore_errors=True)


def make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="winnow-demo-"))
    folder.chmod(0o711)  # the database's own user must be able to pass through
    return folder


def make_settings(folder: Path, shop: Shop) -> Settings:
    """The children read these from the environment, like any other process of Winnow."""
    os.environ.update(
        WINNOW_DATA_DIR=str(folder),
        WINNOW_EGRESS_ALLOW=shop.url.removeprefix("http://"),
        WINNOW_API_PORT=str(_free_port()),
        WINNOW_SCHEDULER_TICK_SECONDS="1",
        WINNOW_UPKEEP_TICK_SECONDS="1",
        WINNOW_LOG_LEVEL="ERROR",
    )
    os.environ.pop("WINNOW_DATABASE_URL", None)
    settings = load()
    return replace(settings, db=DatabaseSettings(data_dir=folder, database_url=None))


def console_address(settings: Settings) -> str:
    return f"http://{settings.api.api_host}:{settings.api.api_port}/console"


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def watch(database: Database, settings: Settings, shop: Shop, adapter: str | None = None) -> None:
    """The shop as a source with all its products, the way `winnow targets import` would add them. Its terms were read
    (P-103): they are ours."""
    intake = Intake(AllowList(settings.fetch.egress_allow), registry(settings.run.adapters_dir))
    async with database.transaction() as conn:
        source = await intake.add_source(
            conn, ACTOR, name="Demo shop", url=shop.url, retailer="Demo shop", adapter_id=adapter
        )
        now = await database_now(conn)
        await intake.update_source(conn, ACTOR, source.id, {"tos_reviewed_at": now, "tos_approved_by": ACTOR})
        new = [
            intake.new_target(source, shop.url + product.path, ACTOR, now, Cadence(first_at=now))
            for product in shop.products
        ]
        # A person may not ask for less than a minute; the demo has less time than that.
        await targets.add_many(conn, [msgspec.structs.replace(target, crawl_frequency=EVERY) for target in new])
        domain = domain_of(shop.url)
        await conn.execute(
            "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
            "max_concurrent_requests) VALUES (%s, %s, %s, 1, 16)",
            (domain, shop.url, REQUESTS_PER_SECOND),
        )
    await PostgresLedger(database).set_limits(
        domain, Limits(REQUESTS_PER_SECOND, 1.0, 0.0, 16, origin={"rate": "domain", "max_concurrent": "domain"})
    )


async def _show(
    console: Console, database: Database, settings: Settings, *, seconds: float | None, fast: bool
) -> board.Board:
    stopping = stop_on_signals()
    supervisor = asyncio.create_task(supervise(parts_of(settings), stopping))
    deadline = asyncio.get_running_loop().time() + (seconds or 60.0)
    address = f"http://{settings.api.api_host}:{settings.api.api_port}"
    found = await board.read(database)
    try:
        with Live(board.render(found, address, console.height), console=console, refresh_per_second=4) as live:
            while not stopping.is_set() and not _seen_enough(found, fast):
                if (fast or seconds) and asyncio.get_running_loop().time() > deadline:
                    break
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stopping.wait(), 0.5)
                found = await board.read(database)
                live.update(board.render(found, address, console.height))
    finally:
        stopping.set()
        await supervisor
    return found


def _seen_enough(found: board.Board, fast: bool) -> bool:
    return fast and len(found.lines) >= WANTED_PRODUCTS and bool(found.moved)


def main(*, seconds: float | None = None, fast: bool = False) -> None:
    console = Console()
    found = asyncio.run(run(console, seconds=seconds, fast=fast))
    if len(found.lines) < WANTED_PRODUCTS or not found.moved:
        if fast or seconds:
            raise DemoFailed(f"only {len(found.lines)} products arrived and {len(found.moved)} prices moved")
        return
    console.print(
        f"[green]✓[/] {len(found.lines)} products with prices, {len(found.moved)} of them changed while you watched; "
        f"{found.prices} observations, every one of them kept."
    )
