"""Consumers see a feed run when it is promoted, and nothing of one that is held, fails or is rolled back.

The file comes from a real SFTP server; everything is compared byte for byte as a read key, a reader of `/go` and a
receiver of messages get it (F-071, F-074, F-087).
"""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncIterator, Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from tests.feeds.shop import FILE, HEADER, Shop, row
from tests.feeds.transport.servers import PASSWORD, USER, SftpBox, reach
from winnow.actions import feeds as actions
from winnow.db.engine import Database
from winnow.errors import Conflict
from winnow.feeds import upkeep
from winnow.feeds.feed import Feed
from winnow.run import feed_changes
from winnow.run.feed_runs import FeedUpkeep
from winnow.store import resolver
from winnow.store.search import changes

COUNT = 40


async def _password(_: Feed) -> str | None:
    return PASSWORD


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> AsyncIterator[Shop]:
    """A promoted catalogue of forty offers on an SFTP server, seen by consumers."""
    served = Shop(database, tmp_path / "served")
    async with SftpBox(served.folder).running() as box:
        served.means = msgspec.structs.replace(served.means, reach=reach(), secret=_password)
        await served.open(transport="SFTP", host="127.0.0.1", port=box.port, path=f"/{FILE}", username=USER)
        await served.load(row(n) for n in range(1, COUNT + 1))
        await _after_run(database)
        yield served


async def _after_run(database: Database) -> None:
    """The chores that follow a run: messages, product links, search documents."""
    await feed_changes.publish(database)
    await FeedUpkeep(database).link()
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    taken = 1
    while taken:
        async with database.transaction() as conn:
            taken = await changes.run_once(conn)


def other(n: int, price: str = "11.00") -> str:
    """The row of an offer with another title, URL, price and stock."""
    return f"item-{n},sku-{n},Other thing {n},https://elsewhere.test/p/{n},{price},USD,N"


async def outside(shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient) -> dict[str, Any]:
    """Everything somebody outside gets, without the request ids."""
    await _after_run(shop.database)
    found: dict[str, Any] = {}
    for path in ("/api/v1/prices?limit=500", "/api/v1/products?limit=500", "/api/v1/products/search?q=thing"):
        answer = await consumer.get(path)
        assert answer.status_code == 200, path
        found[path] = answer.json()["data"]
    for (offer,) in await shop.rows("SELECT id FROM source_products ORDER BY id LIMIT 60"):
        history = await consumer.get(f"/api/v1/prices/{offer}")
        summary = await consumer.get(f"/api/v1/prices/{offer}/history")
        gone = history.status_code == 404
        found[f"history {offer}"] = None if gone else (history.json()["data"], summary.json()["data"])
        found[f"go {offer}"] = (await anyone.get(f"/go/{offer}")).headers.get("location")
    for dataset in ("prices", "offers", "products"):
        answer = await consumer.get(f"/api/v1/exports/{dataset}?format=jsonl")
        found[f"export {dataset}"] = [json.loads(line) for line in answer.text.splitlines()]
    topics = "SELECT topic, key, payload FROM outbox WHERE topic ~ '^(price|offer|watch)' ORDER BY id"
    found["messages"] = await shop.rows(topics)
    return {name: value for name, value in found.items() if value is not None}


def timeless(found: dict[str, Any]) -> dict[str, Any]:
    """Without messages, and without the moments of exports: a promotion and a roll-back are changes there."""
    moments = ("changed_at", "last_seen_at")
    rows = {n: [{k: v for k, v in row.items() if k not in moments} for row in found[n]] for n in found if "export" in n}
    return {k: v for k, v in found.items() if k != "messages"} | rows


async def load(shop: Shop, rows: Iterable[str]) -> dict[str, Any]:
    return await shop.load(rows)


async def test_f087_a_file_with_prices_times_a_hundred_is_held_and_changes_nothing_outside(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    held = await load(shop, (other(n, "1000.00") for n in range(1, COUNT + 6)))
    assert (held["expiry_blocked_reason"], held["price_jump_count"]) == ("PRICE_JUMP", COUNT)
    assert await outside(shop, consumer, anyone) == before

    await actions.approve(shop.database, "ada", held["id"])
    after = await outside(shop, consumer, anyone)
    offers = after["/api/v1/prices?limit=500"]
    assert {(o["title"][:5], o["amount_minor"], o["in_stock"]) for o in offers} == {("Other", 100_000, False)}
    assert len(offers) == COUNT + 5
    assert {after[name][:22] for name in after if name.startswith("go ")} == {"https://elsewhere.test"}
    assert sum(topic == "price.changed" for topic, *_ in after["messages"]) == COUNT


async def test_f087_a_run_held_because_offers_would_expire_changes_nothing_outside(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    held = await load(shop, (other(n) for n in range(1, 6)))
    assert held["expiry_blocked_reason"] == "SPIKE_THRESHOLD_EXCEEDED"
    assert await outside(shop, consumer, anyone) == before


async def test_f074_a_cut_gzip_leaves_no_trace_outside(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    lines = "\n".join([HEADER, *(other(n) for n in range(1, 30_000))])
    whole = gzip.compress(lines.encode())
    (shop.folder / FILE).write_bytes(whole[: len(whole) // 2])
    outcome = await shop.run()
    assert outcome.run_id is not None
    failed = await shop.run_row(outcome.run_id)
    assert (failed["status"], failed["products_upserted"] > COUNT) == ("FAILED", True)
    assert await outside(shop, consumer, anyone) == before
    # The file of before again: nothing of the failed run is left, and the same prices are no news.
    shop.write([*(row(n) for n in range(1, COUNT + 1)), ""])
    again = await shop.run()
    assert again.word == "succeeded"
    restored = await outside(shop, consumer, anyone)
    assert restored["messages"] == before["messages"]
    assert timeless(restored) == timeless(before)


async def consumer_view(shop: Shop) -> int:
    return int(await shop.value("SELECT count(*) FROM consumer_offers WHERE title LIKE 'Thing%%'"))


async def test_f140_rolling_back_restores_titles_urls_prices_and_stock(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    run = await load(shop, (other(n) for n in range(1, COUNT + 6)))
    assert run["promoted_at"] is not None
    assert await consumer_view(shop) == 0
    await actions.roll_back(shop.database, "ada", run["id"], "wrong file")
    after = await outside(shop, consumer, anyone)
    assert timeless(after) == timeless(before)
    promoted = datetime.fromisoformat(str(run["promoted_at"]))
    assert all(datetime.fromisoformat(row["changed_at"]) > promoted for row in after["export offers"]), "to fetch anew"


async def test_f087_the_next_run_names_the_held_one_and_compares_with_what_consumers_see(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    held = await load(shop, (other(n, "1000.00") for n in range(1, COUNT + 1)))
    following = await load(shop, [*(row(n) for n in range(1, COUNT + 1)), ""])
    assert following["prices_written"] == 0
    assert (await shop.run_row(held["id"]))["replaced_by_run_id"] == following["id"]
    after = await outside(shop, consumer, anyone)
    assert (after["messages"], timeless(after)) == (before["messages"], timeless(before))
    with pytest.raises(Conflict, match="newer run"):
        await actions.approve(shop.database, "ada", held["id"])


async def test_f114_clean_up_does_not_make_hidden_prices_visible(
    shop: Shop, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    before = await outside(shop, consumer, anyone)
    await load(shop, (other(n, "1000.00") for n in range(1, COUNT + 1)))
    await shop.rows("UPDATE affiliate_feed_runs SET started_at = now() - interval '31 days' RETURNING 1")
    async with shop.database.connection() as conn:
        assert await upkeep.clean(conn) == 1  # the promoted one; its prices stay visible without it
    after = await outside(shop, consumer, anyone)
    assert (after["messages"], timeless(after)) == (before["messages"], timeless(before))


async def test_f002_prices_of_a_held_run_do_not_become_visible_with_the_deletion_of_their_feed(
    shop: Shop, admin: httpx.AsyncClient, consumer: httpx.AsyncClient, anyone: httpx.AsyncClient
) -> None:
    held = await load(shop, (other(n, "1000.00") for n in range(1, COUNT + 6)))
    assert held["expiry_blocked"]
    assert (await admin.delete(f"/api/v1/feeds/{shop.feed_id}")).status_code == 200
    after = await outside(shop, consumer, anyone)
    search = after.pop("/api/v1/products/search?q=thing")
    assert (search["hits"], search["total"]) == ([], 0)
    assert {name for name, answer in after.items() if answer} <= {"messages"}
    assert await shop.value("SELECT count(*) FROM prices") == 2 * COUNT + 5, "kept, for operators"


async def test_f075_one_identity_twice_in_different_chunks_has_one_visible_price_a_run(
    shop: Shop, consumer: httpx.AsyncClient
) -> None:
    for extra in range(2):
        rows = [row(1, "83.64"), *(row(n) for n in range(2, 1200)), row(1, "54.11"), *[""] * extra]
        await shop.load(rows)
    offer = await shop.value("SELECT id FROM source_products WHERE sku = 'sku-1'")
    points = (await consumer.get(f"/api/v1/prices/{offer}")).json()["data"]
    assert [p["amount_minor"] for p in points if p["amount_minor"] != 1_000] == [5_411] * (len(points) - 1)


async def test_p002_offers_of_a_feed_become_targets_over_the_api(shop: Shop, admin: httpx.AsyncClient) -> None:
    url = f"/api/v1/feeds/{shop.feed_id}/targets"
    made = await admin.post(url, json={"offer_ids": [1], "skus": ["sku-2"], "every_seconds": 3_600})
    assert made.status_code == 200, made.text
    data = made.json()["data"]
    assert [(one["offer_id"], one["created"]) for one in data["linked"]] == [(1, True), (2, True)]
    stored = "SELECT id, source_product_id FROM scrape_targets ORDER BY id"
    assert await shop.rows(stored) == [(one["target_id"], one["offer_id"]) for one in data["linked"]]
    assert (await admin.post(url, json={"offer_ids": [999]})).status_code == 404
    held = await shop.load(other(n, "1000.00").replace("sku-", "other-") for n in range(1, COUNT + 1))
    assert held["expiry_blocked"]
    linked = (await admin.post(url, json={"skus": ["sku-3"]})).json()["data"]["linked"]
    assert [(one["offer_id"], one["url"]) for one in linked] == [(3, "https://shop.test/p/3")], "as consumers see it"
    assert (await admin.post(url, json={"skus": ["other-4"]})).status_code == 404
    assert (await admin.post(url, json={})).status_code == 422
    assert (await admin.post("/api/v1/feeds/99/targets", json={"offer_ids": [1]})).status_code == 404
