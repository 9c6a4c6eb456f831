"""Whatever happens to a feed, in whatever order, a consumer sees the last promoted file that was not taken back.

A random walk over everything that can happen to a feed on a real SFTP server; after each step all that a read key and
a reader of `/go` get is compared byte for byte with what they got before, or with the file that was promoted.
"""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.feeds.shop import FILE, Shop
from tests.feeds.transport.servers import PASSWORD, USER, SftpBox, reach
from winnow.actions import feeds as actions
from winnow.db.engine import Database
from winnow.feeds import upkeep
from winnow.feeds.feed import Feed
from winnow.run import feed_changes
from winnow.run.feed_runs import FeedUpkeep
from winnow.store import resolver
from winnow.store.search import changes

HEADER = "CatalogItemId,SKU,Name,Url,Price,Currency,StockAvailability,Gtin,Manufacturer,ImageUrl"
COUNT, STEPS = 9, 10
WORD = re.compile(r"(?:step|wrong)\d+")


def gtin(n: int) -> str:
    digits = f"{590_000_000_000 + n:012d}"
    total = sum(int(digit) * (1 if place % 2 == 0 else 3) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


class Catalogue:
    """What a file says: by offer its title, URL, price in minor units and stock."""

    def __init__(self, offers: dict[int, dict[str, Any]]) -> None:
        self.offers = offers

    @classmethod
    def first(cls) -> Catalogue:
        numbers = range(1, COUNT + 1)
        return cls({n: {"title": f"Thing {n}", "host": "shop.test", "price": 1_000 + n, "stock": "Y", "gtin": ""}
                    for n in numbers})  # fmt: skip

    def changed(self, rng: random.Random, word: str, factor: float = 1.0) -> Catalogue:
        """Other titles, addresses, prices, stock and codes for most, three new offers, one that is gone."""
        offers = {n: dict(offer) for n, offer in self.offers.items()}
        for n in sorted(offers):
            if rng.random() < 0.7:
                offers[n] |= {"title": f"{word} {n}", "host": f"{word.lower()}.test", "stock": rng.choice("YN"),
                              "gtin": rng.choice(["", gtin(n), gtin(n + 500)])}  # fmt: skip
            if factor != 1.0 or rng.random() < 0.5:
                offers[n]["price"] = int((offers[n]["price"] + rng.randrange(1, 90)) * factor)
        for n in range(max(offers) + 1, max(offers) + 4):
            offers[n] = {"title": f"New {word} {n}", "host": "new.test", "price": 5_000, "stock": "Y", "gtin": gtin(n)}
        del offers[rng.choice(sorted(offers))]
        return Catalogue(offers)

    def words(self) -> set[str]:
        return set(WORD.findall(" ".join(str(o["title"]) for o in self.offers.values()).lower()))

    def lines(self) -> list[str]:
        return [
            f"item-{n},sku-{n},{o['title']},https://{o['host']}/p/{n},{o['price'] / 100:.2f},USD,{o['stock']},"
            f"{o['gtin']},Maker,https://{o['host']}/i/{n}.jpg"
            for n, o in self.offers.items()
        ]

    def seen(self) -> set[tuple[str, str, int, bool]]:
        return {
            (o["title"], f"https://{o['host']}/p/{n}", o["price"], o["stock"] == "Y") for n, o in self.offers.items()
        }


class Outside:
    """All that somebody outside gets."""

    def __init__(self, shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient) -> None:
        self.shop, self.consumer, self.anyone = shop, consumer, anyone

    async def words(self) -> set[str]:
        """Which files' words are seen anywhere."""
        return set(WORD.findall(msgspec.json.encode(await self.everything()).decode().lower()))

    async def everything(self) -> dict[str, Any]:
        await chores(self.shop.database)
        found = await self._pages()
        for product in found["/api/v1/products?limit=500"]:
            path = f"/api/v1/products/{product['id']}"
            found[path] = (await self.consumer.get(path)).json()["data"]
            found[path].pop("updated_at")
        for (offer,) in await self.shop.rows("SELECT id FROM source_products WHERE length(sku) < 9 ORDER BY id"):
            for path in (f"/api/v1/prices/{offer}", f"/api/v1/prices/{offer}/history"):
                answer = await self.consumer.get(path)
                found[path] = answer.json()["data"] if answer.status_code == 200 else None
            found[f"/go/{offer}"] = (await self.anyone.get(f"/go/{offer}")).headers.get("location")
        return {path: answer for path, answer in found.items() if answer}

    async def _pages(self) -> dict[str, Any]:
        found = {}
        words = ("thing", "wrong", "new", "item-1", gtin(3), gtin(503), gtin(11))
        for path in (
            "/api/v1/prices?limit=500", "/api/v1/prices?limit=500&in_stock=true", "/api/v1/prices?q=wrong",
            "/api/v1/products?limit=500", *(f"/api/v1/products/search?q={word}" for word in words),
        ):  # fmt: skip
            answer = await self.consumer.get(path)
            assert answer.status_code == 200, (path, answer.text)
            found[path] = answer.json()["data"]
            for row in found[path] if isinstance(found[path], list) else ():
                row.pop("updated_at", None)
        return found

    async def offers(self) -> set[tuple[str, str, int, bool]]:
        shown = (await self.consumer.get("/api/v1/prices?limit=500")).json()["data"]
        return {(o["title"], o["url"], o["amount_minor"], o["in_stock"]) for o in shown}


async def chores(database: Database) -> None:
    """What follows a run: messages, product links, search documents."""
    await feed_changes.publish(database)
    await FeedUpkeep(database).link()
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    taken = 1
    while taken:
        async with database.transaction() as conn:
            taken = await changes.run_once(conn)


async def _password(_: Feed) -> str | None:
    return PASSWORD


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> AsyncIterator[Shop]:
    served = Shop(database, tmp_path / "served")
    async with SftpBox(served.folder).running() as box:
        served.means = msgspec.structs.replace(served.means, reach=reach(), secret=_password)
        await served.open(transport="SFTP", host="127.0.0.1", port=box.port, path=f"/{FILE}", username=USER)
        yield served


class Walk:
    """The model: which files were promoted, and what consumers have to see of them."""

    def __init__(self, shop: Shop, outside: Outside, seed: int) -> None:
        self.shop, self.outside, self.rng = shop, outside, random.Random(seed)
        self.promoted: list[tuple[int, Catalogue, dict[str, Any]]] = []  # run, file, what was seen before it
        self.shown = Catalogue({})
        self.files: list[tuple[int, Catalogue]] = []  # every promoted one that was not taken back
        self.held: tuple[int, Catalogue] | None = None
        self.steps: list[str] = []

    def words(self) -> set[str]:
        """The words of every promoted file that was not taken back."""
        return {word for _, file in self.files for word in file.words()}

    async def load(self, catalogue: Catalogue, lines: list[str] | None = None) -> dict[str, Any]:
        self.shop.write([*(lines or catalogue.lines()), *[""] * len(self.steps)], HEADER)
        outcome = await self.shop.run()
        assert outcome.run_id is not None
        return await self.shop.run_row(outcome.run_id)

    async def good(self) -> None:
        before = await self.outside.everything()
        new = self.shown.changed(self.rng, f"Step{len(self.steps)}") if self.shown.offers else Catalogue.first()
        run = await self.load(new)
        assert run["promoted_at"] is not None, run
        self.promoted.append((run["id"], new, before))
        self.files.append((run["id"], new))
        self.shown, self.held = new, None

    async def held_run(self) -> None:
        if not self.shown.offers:
            return
        wrong = self.shown.changed(self.rng, f"Wrong{len(self.steps)}", factor=100.0)
        run = await self.load(wrong)
        assert run["expiry_blocked"], run
        self.held = (run["id"], wrong)

    async def failed(self) -> None:
        wrong = self.shown.changed(self.rng, f"Wrong{len(self.steps)}") if self.shown.offers else Catalogue.first()
        text = "\n".join([HEADER, *wrong.lines(), *(Catalogue({10_000 + n: {
            "title": "Wrong", "host": "wrong.test", "price": n, "stock": "Y", "gtin": ""}}).lines()[0]
            for n in range(1, 3_000))])  # fmt: skip
        packed = gzip.compress(text.encode())
        (self.shop.folder / FILE).write_bytes(packed[: len(packed) // 2])
        outcome = await self.shop.run()
        assert outcome.word == "failed", outcome
        self.held = None
        if (await self.shop.feed_row())["status"] == "DISABLED":
            await self.shop.rows("UPDATE affiliate_feeds SET status = 'ENABLED' RETURNING 1")

    async def missing(self) -> None:
        (self.shop.folder / FILE).unlink(missing_ok=True)
        assert (await self.shop.run()).word == "failed"
        if (await self.shop.feed_row())["status"] == "DISABLED":
            await self.shop.rows("UPDATE affiliate_feeds SET status = 'ENABLED' RETURNING 1")

    async def approve(self) -> None:
        if self.held is None:
            return
        run, catalogue = self.held
        before = await self.outside.everything()
        await actions.approve(self.shop.database, "ada", run)
        self.promoted.append((run, catalogue, before))
        self.files.append((run, catalogue))
        self.shown, self.held = catalogue, None

    async def reject(self) -> None:
        if self.held is not None:
            await actions.roll_back(self.shop.database, "ada", self.held[0], "wrong")
            self.held = None

    async def clean(self) -> None:
        async with self.shop.database.transaction() as conn:
            await upkeep.clean(conn)


QUIET = ("held_run", "failed", "missing", "reject", "clean")


@pytest.mark.parametrize("seed", [0, 2, 5])
async def test_f087_f140_consumers_see_the_last_promoted_file_whatever_happens(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient, seed: int
) -> None:
    walk = Walk(shop, Outside(shop, consumer, anyone), seed)
    for _ in range(STEPS):
        step = walk.rng.choice([*QUIET, "good", "good", "approve", "roll_back", "roll_back"])
        walk.steps.append(step)
        before = await walk.outside.everything()
        if step == "roll_back":
            if not walk.promoted:
                continue
            run, _, earlier = walk.promoted.pop()
            walk.files = [one for one in walk.files if one[0] != run]
            if walk.held is not None:
                await walk.reject()
            await actions.roll_back(shop.database, "ada", run, "wrong file")
            walk.shown = walk.promoted[-1][1] if walk.promoted else Catalogue({})
            after = await walk.outside.everything()
            assert not (found := diff(earlier, after)), (walk.steps, found)
            walk.promoted.clear()
        else:
            await getattr(walk, step)()
            after = await walk.outside.everything()
            if step in QUIET:
                assert not (found := diff(before, after)), (walk.steps, found)
            else:
                gone = walk.shown.seen() - await walk.outside.offers()
                assert not gone, (walk.steps, gone)
            assert await walk.outside.words() <= walk.words(), walk.steps


def diff(a: dict[str, Any], b: dict[str, Any]) -> list[Any]:
    differing = [k for k in sorted({*a, *b}) if a.get(k) != b.get(k)]
    return differing and [differing, *(f"{k}: {a.get(k)} then {b.get(k)}" for k in differing[:3])]
