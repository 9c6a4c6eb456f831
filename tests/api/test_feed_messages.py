"""What a receiver of messages was told last about an offer is what a read key shows: after every way a run can end."""

from __future__ import annotations

import gzip
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.feeds.shop import FILE, HEADER, Shop, row
from tests.feeds.transport.servers import PASSWORD, USER, SftpBox, reach
from tests.publish.receiver import PLATFORM_SECRET, Receiver
from winnow.actions import feeds as actions
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.feeds.feed import Feed
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.publish import endpoints
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings
from winnow.run import feed_changes

COUNT = 40


class Outside:
    """A consumer with a read key and a webhook: its last known state of each offer, and what the API shows."""

    def __init__(
        self, database: Database, publisher: Publisher, receiver: Receiver, reading: httpx.AsyncClient
    ) -> None:
        self.database, self.publisher, self.receiver, self.reading = database, publisher, receiver, reading
        self.known: dict[int, tuple[int, str]] = {}
        self.heard = 0

    async def hear(self) -> int:
        """How many messages came; what they say is remembered."""
        await feed_changes.publish(self.database)
        for _ in range(100):
            done = await self.publisher.run_once()
            if not done.messages and not done.delivered:
                break
        new, self.heard = self.receiver.got[self.heard :], len(self.receiver.got)
        for got in new:
            data = got.data["data"]
            self.known[data["source_product_id"]] = (data["after"]["minor"], data["availability"])
        return len(new)

    async def shown(self) -> dict[int, tuple[int, str]]:
        answer = (await self.reading.get("/api/v1/prices?limit=500")).json()["data"]
        return {offer["source_product_id"]: (offer["amount_minor"], offer["availability"]) for offer in answer}


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> AsyncIterator[Shop]:
    async def password(_: Feed) -> str:
        return PASSWORD

    served = Shop(database, tmp_path / "served")
    async with SftpBox(served.folder).running() as box:
        served.means = msgspec.structs.replace(served.means, reach=reach(), secret=password)
        await served.open(transport="SFTP", host="127.0.0.1", port=box.port, path=f"/{FILE}", username=USER)
        yield served


@pytest.fixture
async def outside(
    database: Database, database_settings: DatabaseSettings, consumer: httpx.AsyncClient
) -> AsyncIterator[Outside]:
    receiver = await Receiver().start()
    sender = Sender(EgressGuard(AllowList(["127.0.0.0/8"])), "Winnow/1.0")
    settings = PublishSettings(SCRAPER_WEBHOOK_SECRET=PLATFORM_SECRET)
    secrets = Secrets(database, database_settings, settings)
    ring = await secrets.key_ring()
    async with database.transaction() as conn:
        topics = ["price.*"]
        await endpoints.add(conn, ring, name="consumer", url=receiver.url, topics=topics, audience="consumer")
    yield Outside(database, Publisher(database, settings, sender, secrets), receiver, consumer)
    await sender.close()
    await receiver.stop()


def rows(price: str, count: int = COUNT, stock: str = "Y") -> list[str]:
    return [row(n, price, stock) for n in range(1, count + 1)]


async def test_f140_receivers_know_what_a_read_key_shows_however_a_run_ends(shop: Shop, outside: Outside) -> None:
    await shop.load(rows("10.00"))
    assert await outside.hear() == 0, "of a first load nobody knew a price before"
    outside.known = await outside.shown()
    assert set(outside.known.values()) == {(1_000, "IN_STOCK")}

    async def nothing_happened() -> None:
        before = await outside.shown()
        assert await outside.hear() == 0
        assert await outside.shown() == before == outside.known

    held = await shop.load(rows("1000.00"))
    assert held["expiry_blocked_reason"] == "PRICE_JUMP"
    await nothing_happened()

    whole = gzip.compress("\n".join([HEADER, *rows("12.00", 30_000)]).encode())
    (shop.folder / FILE).write_bytes(whole[: len(whole) // 2])
    assert (await _status(shop)) == "FAILED"
    await nothing_happened()

    (shop.folder / FILE).unlink()
    assert (await _status(shop)) == "FAILED"
    await nothing_happened()

    wrong = await shop.load(rows("11.00", stock="N"))
    assert wrong["promoted_at"] is not None
    assert await outside.hear() == COUNT
    assert await outside.shown() == outside.known
    assert set(outside.known.values()) == {(1_100, "OUT_OF_STOCK")}

    await actions.roll_back(shop.database, "ada", wrong["id"], "wrong file")
    assert await outside.hear() == COUNT
    assert await outside.shown() == outside.known
    assert set(outside.known.values()) == {(1_000, "IN_STOCK")}
    await nothing_happened()

    again = await shop.load([*rows("10.00"), ""])
    assert again["promoted_at"] is not None
    await nothing_happened()

    held = await shop.load(rows("1000.00"))
    await actions.approve(shop.database, "ada", held["id"])
    assert await outside.hear() == COUNT
    assert await outside.shown() == outside.known
    assert set(outside.known.values()) == {(100_000, "IN_STOCK")}


async def test_f140_a_run_rolled_back_before_it_was_published_is_never_heard_of(shop: Shop, outside: Outside) -> None:
    await shop.load(rows("10.00"))
    await outside.hear()
    wrong = await shop.load(rows("9.00"))
    await actions.roll_back(shop.database, "ada", wrong["id"], "wrong file")
    assert await outside.hear() == 0
    assert {price for price, _ in (await outside.shown()).values()} == {1_000}


async def test_f087_messages_name_offers_as_consumers_see_them_while_a_held_run_is_loaded(
    shop: Shop, outside: Outside
) -> None:
    await shop.load(rows("10.00"))
    await outside.hear()
    await shop.load(rows("9.50"))
    held = await shop.load([row(n, "950.00", name=f"Wrong {n}") for n in range(1, COUNT + 1)])
    assert held["expiry_blocked_reason"] == "PRICE_JUMP"
    assert await outside.hear() == COUNT
    heard = {(got.data["data"]["title"], got.data["data"]["after"]["minor"]) for got in outside.receiver.got}
    assert heard == {(f"Thing {n}", 950) for n in range(1, COUNT + 1)}


async def test_f140_a_long_rolled_back_run_is_published_in_batches(
    shop: Shop, outside: Outside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("winnow.feeds.promote.price_changes.BATCH", 15)
    await shop.load(rows("10.00"))
    await outside.hear()
    wrong = await shop.load(rows("9.00"))
    assert await outside.hear() == COUNT
    await actions.roll_back(shop.database, "ada", wrong["id"], "wrong file")
    assert await outside.hear() == COUNT
    assert await outside.shown() == outside.known
    assert await outside.hear() == 0


async def _status(shop: Shop) -> Any:
    outcome = await shop.run()
    assert outcome.run_id is not None
    return (await shop.run_row(outcome.run_id))["status"]
