"""What Winnow is told before the crawl benchmark, and what it has stored afterwards."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import psycopg

from bench.site import Facts
from winnow.normalise.urls import canonical_url, url_hash
from winnow.schedule import runs
from winnow.schedule.queue.task import Trigger
from winnow.schedule.settings import ScheduleSettings
from winnow.sources import retailers, sources, targets
from winnow.sources.domain import domain_of
from winnow.sources.sources import NewSource
from winnow.sources.targets import NewTarget

ADAPTER = "generic"
# Nothing turns politeness off: the local shop's domain is given a rate nobody can reach (DESIGN §11.24).
_DOMAIN = """
INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, max_concurrent_requests, notes)
VALUES (%s, %s, 100000, 1, 1000, 'benchmark')
"""
_SECONDS = """
SELECT extract(epoch FROM max(finished_at) - min(started_at))::float8 FROM tasks WHERE status = 'done'
"""
_FOUND = """
SELECT t.url, sp.title, p.amount_minor, p.currency, p.availability, sp.sku, sp.brand
FROM prices AS p
JOIN source_products AS sp ON sp.id = p.source_product_id
JOIN tasks AS t ON t.id = p.task_id
JOIN pages AS page ON page.id = p.page_id AND page.stored_bytes > 0
"""
_WORDS = {"IN_STOCK": "InStock", "OUT_OF_STOCK": "OutOfStock", "BACKORDER": "BackOrder"}


@dataclass(frozen=True, slots=True)
class Stored:
    seconds: float
    found: dict[str, Facts]


async def plan(database_url: str, site_url: str, urls: Sequence[str]) -> None:
    """A source, its targets, the domain's rate, and a run over all of them."""
    await open_domain(database_url, site_url)
    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        domain = domain_of(site_url)
        seller = await retailers.ensure(conn, "Bench shop", domain, site_url)
        shop = NewSource(name="bench", url=site_url, domain=domain, retailer_id=seller, adapter_id=ADAPTER)
        source = await sources.add(conn, shop)
        await targets.add_many(conn, [_target(url, source.id, domain) for url in urls])
        roomy = ScheduleSettings(queue_per_adapter=len(urls), queue_total=len(urls))
        await runs.start(conn, source.id, Trigger.MANUAL, roomy)


async def open_domain(database_url: str, site_url: str) -> None:
    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        await conn.execute(_DOMAIN, (domain_of(site_url), site_url))


async def read_back(database_url: str) -> Stored:
    """Only what is whole counts: a price with its task, its offer and its archived page."""
    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        rows = await (await conn.execute(_FOUND)).fetchall()
        spent = await (await conn.execute(_SECONDS)).fetchone()
    return Stored(float(spent[0] or 0) if spent else 0.0, {row[0]: _facts(*row[1:]) for row in rows})


def _target(url: str, source_id: int, domain: str) -> NewTarget:
    canonical = canonical_url(url)
    return NewTarget(
        url=url,
        canonical_url=canonical,
        url_hash=url_hash(canonical),
        domain=domain,
        source_id=source_id,
        adapter_id=ADAPTER,
    )


def _facts(title: str, minor: int, currency: str, availability: str, sku: str, brand: str) -> Facts:
    price = f"{minor // 100}.{minor % 100:02d}"
    return Facts(title, price, currency, _WORDS.get(availability, availability), sku, brand)
