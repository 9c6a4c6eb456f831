"""The stage of the demo: its own folder, sites on loopback, and a Winnow that watches them.

The shop is read by an adapter of its own, its corner of scripts by the generic reader in a browser; a second site
misbehaves; a catalogue lies on an SFTP server; three agendas list the events of a town. Everything is added the way a
person would add it. Of an outlet only the address is known: it is crawled.
"""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import msgspec

from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions.intake import Cadence, Intake, database_now
from winnow.db.engine import Connection, Database
from winnow.db.settings import DatabaseSettings
from winnow.demo.outlet import Outlet, start_outlet
from winnow.demo.shop import DemoShop, start_shop
from winnow.demo.town import COORDINATES, ZONE, DemoTown, start_town
from winnow.demo.trouble import DemoTrouble, start_trouble
from winnow.demo.warehouse import Warehouse, open_warehouse
from winnow.errors import ConfigError
from winnow.fetch.egress.allow import AllowList
from winnow.kinds.adapters import registry
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.ledger.policy import Limits
from winnow.settings import Settings, load
from winnow.sources import targets
from winnow.sources.domain import domain_of
from winnow.sources.sources import Source

ACTOR = "demo"
EVERY = timedelta(seconds=3)  # how often each product is visited: often enough to see prices move
RATE, AT_ONCE = 60, 16  # the sites are ours: an explicit rate, set where a person would set it
CORNER = 3  # products of the corner that only scripts put together
TROUBLED = 8  # URLs of the site that misbehaves
ADAPTER = "fernweh"
SHOP, SCRIPTS, MOODY = "Fernweh Outfitters", "Fernweh corner (scripts)", "Moody Mountain"
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
# Fields that the next version of the adapter reads in addition.
NEXT = SELECTORS.replace('"1.0.0"', '"1.1.0"') + 'brand = ".by > span:first-child"\n'

OWN = ("WINNOW_", "SCRAPER_", "AFFILIATE_FEED_", "CREDENTIAL_ENCRYPTION_")  # how the names of settings begin

_LIMITS = """
INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, max_concurrent_requests)
VALUES (%s, %s, %s, 1, %s)
"""


@dataclass(frozen=True, slots=True)
class DemoStage:
    """`folder` holds everything, the database too, and is gone afterwards."""

    folder: Path
    shop: DemoShop
    trouble: DemoTrouble
    warehouse: Warehouse
    town: DemoTown
    outlet: Outlet
    settings: Settings

    @property
    def log(self) -> Path:
        """The file that the processes log to; the terminal shows the tour."""
        return self.folder / "log.txt"

    @property
    def address(self) -> str:
        return f"http://{self.settings.api.api_host}:{self.settings.api.api_port}"


@asynccontextmanager
async def opened(port: int | None, step_seconds: float) -> AsyncIterator[DemoStage]:
    """The sites are open as long as this is; the folder goes last."""
    folder = _make_folder()
    async with AsyncExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.callback(os.chdir, os.getcwd())
        shop = await start_shop(step_seconds=step_seconds)
        stack.push_async_callback(shop.stop)
        trouble = await start_trouble(retry_after_s=1)
        stack.push_async_callback(trouble.stop)
        warehouse = await open_warehouse(folder / "sftp")
        stack.push_async_callback(warehouse.close)
        town = await start_town()
        stack.push_async_callback(town.stop)
        outlet = await start_outlet()
        stack.push_async_callback(outlet.stop)
        write_adapter(folder / "adapters")
        allowed = (shop.url, trouble.url, warehouse.address, outlet.url, *town.hall.urls.values())
        yield DemoStage(folder, shop, trouble, warehouse, town, outlet, make_settings(folder, allowed, port))


def _make_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="winnow-demo-"))
    folder.chmod(0o711)  # the database's own user must be able to pass through
    return folder


def write_adapter(folder: Path) -> None:
    site = folder / ADAPTER
    site.mkdir(parents=True)
    (site / "live.toml").write_text(SELECTORS, encoding="utf-8")
    (site / "next.toml").write_text(NEXT, encoding="utf-8")


def make_settings(folder: Path, allowed: Iterable[str], port: int | None) -> Settings:
    """The children read these from the environment, like any other process of Winnow. What whoever starts the demo
    has configured (database, archive, ledger, Slack, a `.env`) is left out: the demo touches nothing of theirs."""
    for name in [n for n in os.environ if n.startswith(OWN) and n != "SCRAPER_BROWSER_EXECUTABLE"]:
        del os.environ[name]
    os.chdir(folder)
    os.environ.update(
        WINNOW_DATA_DIR=str(folder),
        WINNOW_ADAPTERS_DIR=str(folder / "adapters"),
        WINNOW_EGRESS_ALLOW=",".join(url.removeprefix("http://") for url in allowed),
        WINNOW_API_HOST="127.0.0.1",
        WINNOW_API_PORT=str(free_port(port)),
        WINNOW_SCHEDULER_TICK_SECONDS="1",
        WINNOW_EVENTS_SCHEDULE="off",  # what the demo shows does not depend on the hour it is started at
        WINNOW_UPKEEP_TICK_SECONDS="1",
        WINNOW_LOG_LEVEL="WARNING",
        WINNOW_LOG_FORMAT="text",
    )
    return replace(load(), db=DatabaseSettings(data_dir=folder, database_url=None))


def free_port(wanted: int | None) -> int:
    """The one that is asked for, or any."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", wanted or 0))
        except OSError as wrong:
            raise ConfigError(
                f"port {wanted} cannot be used ({wrong.strerror}): give another --port, or none"
            ) from None
        return int(taken.getsockname()[1])


async def watch(database: Database, stage: DemoStage, *, corner: bool) -> None:
    """The sites as sources, the way `winnow targets import` would add them. Their terms were read (P-103): they are
    ours. Without a browser the corner of scripts is left out."""
    adapters = registry(stage.settings.run.adapters_dir)
    intake = Intake(AllowList(stage.settings.fetch.egress_allow), lambda: adapters)
    paths = [product.path for product in stage.shop.products]
    scripts = [f"/app/{product.slug}" for product in stage.shop.products if not product.price_hidden][:CORNER]
    async with database.transaction() as conn:
        await _add(conn, intake, SHOP, stage.shop.url, paths, adapter=ADAPTER)
        if corner:
            await _add(conn, intake, SCRIPTS, stage.shop.url, scripts)
        await _add(conn, intake, MOODY, stage.trouble.url, [f"/moody/{n}" for n in range(TROUBLED)])
        for name, agenda in stage.town.agendas.items():
            await _add_agenda(conn, intake, name, agenda)
    for url in (stage.shop.url, stage.trouble.url, stage.outlet.url, *stage.town.hall.urls.values()):
        await _limit(database, url)


async def _add(
    conn: Connection, intake: Intake, name: str, url: str, paths: Iterable[str], adapter: str | None = None
) -> None:
    source = await source_actions.add(conn, ACTOR, intake, name=name, url=url, retailer=name, adapter_id=adapter)
    await _visit(conn, intake, source, [url + path for path in paths])


async def _add_agenda(conn: Connection, intake: Intake, name: str, url: str) -> None:
    """Where the town is stands with the source: a page that names no town means its own (E-062)."""
    source = await source_actions.add(conn, ACTOR, intake, name=name, url=url, kind="event")
    latitude, longitude = COORDINATES
    place = {"timezone": ZONE, "default_latitude": latitude, "default_longitude": longitude}
    await source_actions.update(conn, ACTOR, intake, source.id, place)
    await _visit(conn, intake, source, [url])


async def _visit(conn: Connection, intake: Intake, source: Source, urls: Iterable[str]) -> None:
    now = await database_now(conn)
    await source_actions.update(conn, ACTOR, intake, source.id, {"tos_reviewed_at": now, "tos_approved_by": ACTOR})
    new = [target_actions.new(intake, source, url, ACTOR, now, Cadence(first_at=now)) for url in urls]
    # A person may not ask for less than a minute; the demo has less time than that.
    await targets.add_many(conn, [msgspec.structs.replace(target, crawl_frequency=EVERY) for target in new])


async def _limit(database: Database, url: str) -> None:
    domain = domain_of(url)
    async with database.transaction() as conn:
        await conn.execute(_LIMITS, (domain, url, RATE, AT_ONCE))
    await PostgresLedger(database).set_limits(
        domain, Limits(RATE, 1.0, 0.0, AT_ONCE, origin={"rate": "domain", "max_concurrent": "domain"})
    )
