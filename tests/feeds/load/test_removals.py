"""Incremental files: adds, updates and deletes; what the file does not name stays as it is (F-002, F-088)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.feeds.shop import FILE, Shop
from winnow.db.engine import Database
from winnow.feeds.promote import approval

HEADER = "SKU,Name,Url,Price,Currency,Action"


def line(n: int, action: str = "", price: str = "10.00") -> str:
    return f"sku-{n},Thing {n},https://shop.test/p/{n},{price},USD,{action}"


def names(*numbers: int) -> list[str]:
    return [f"Thing {n}" for n in numbers]


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open(update_mode="INCREMENTAL")
    return made


async def load(shop: Shop, *rows: str, header: str = HEADER) -> dict[str, Any]:
    shop.write(rows, header=header)
    outcome = await shop.run()
    assert outcome.run_id is not None, outcome
    return await shop.run_row(outcome.run_id)


def counts(run: dict[str, Any]) -> dict[str, int]:
    wanted = ("rows_read", "rows_parsed", "products_upserted", "products_removed", "products_rejected")
    return {name: run[name] for name in wanted}


async def test_f088_what_an_incremental_file_does_not_name_stays_active(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 41)))
    run = await load(shop, line(2, price="12.00"), line(41))
    assert (run["expiry_blocked"], run["would_expire_count"]) == (False, 0)
    assert len(await shop.active()) == 41
    assert await shop.value("SELECT amount_minor FROM consumer_offers WHERE title = 'Thing 2'") == 1_200


async def test_f088_a_removed_offer_is_gone_when_the_run_is_promoted(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 6)))
    run = await load(shop, line(6, "add"), line(1, "update", "11.00"), "sku-2,,,,,delete", line(3, "REMOVED"))
    assert counts(run) == {
        "rows_read": 4, "rows_parsed": 4, "products_upserted": 2, "products_removed": 2, "products_rejected": 0,
    }  # fmt: skip
    assert await shop.active() == names(1, 4, 5, 6)
    back = await load(shop, line(2), line(7, "delete"))
    assert (back["products_upserted"], back["products_removed"]) == (1, 0)
    assert await shop.active() == names(1, 2, 4, 5, 6)


async def test_f088_a_list_of_removals_needs_ids_only(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 6)))
    run = await load(shop, "sku-4,1", "sku-5,0", ",yes", header="SKU,Deleted")
    assert counts(run) == {
        "rows_read": 3, "rows_parsed": 1, "products_upserted": 0, "products_removed": 1, "products_rejected": 2,
    }  # fmt: skip
    assert await shop.active() == names(1, 2, 3, 5)


@pytest.mark.parametrize(
    ("rows", "left"),
    [
        ([line(1), "sku-1,,,,,delete"], names(2)),
        (["sku-1,,,,,delete", line(1)], names(1, 2)),
        ([line(1, price="3.00"), "sku-1,,,,,delete", line(1, price="4.00")], names(1, 2)),
    ],
)
async def test_f049_the_last_row_of_an_identity_decides_whether_it_is_removed(
    shop: Shop, rows: list[str], left: list[str]
) -> None:
    await load(shop, line(1), line(2))
    await load(shop, *rows)
    assert await shop.active() == left
    await load(shop, line(2), *rows)  # known lines of the memory decide the same
    assert await shop.active() == left


async def test_f086_removing_most_offers_at_once_waits_for_a_person_and_shows_nothing(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 41)))
    held = await load(shop, *(f"sku-{n},,,,,delete" for n in range(1, 31)))
    assert (held["expiry_blocked_reason"], held["products_removed"]) == ("SPIKE_THRESHOLD_EXCEEDED", 30)
    assert len(await shop.active()) == 40
    await approval.approve(shop.database, held["id"], "ada")
    assert await shop.active() == names(*range(31, 41))
    await approval.roll_back(shop.database, held["id"], "ada", "wrong file")
    assert len(await shop.active()) == 40


async def test_f087_what_a_replaced_held_run_removed_is_in_step_again(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 41)))
    await load(shop, *(f"sku-{n},,,,,delete" for n in range(1, 31)))
    following = await load(shop, line(1, price="11.00"))
    assert following["promoted_at"] is not None
    assert len(await shop.active()) == 40
    await shop.later(30)
    await load(shop, line(2, price="12.00"))
    await shop.later(30)  # longer than the expiry since the held run: the others are kept fresh by the runs after it
    assert len(await shop.active()) == 40


async def test_f088_a_removed_offer_that_came_back_in_a_held_run_stays_hidden(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 41)))
    await load(shop, "sku-40,,,,,delete")
    assert len(await shop.active()) == 39
    held = await load(shop, line(40), *(line(n, price="1000.00") for n in range(1, 30)))
    assert held["expiry_blocked_reason"] == "PRICE_JUMP"
    assert len(await shop.active()) == 39


async def test_f088_a_whole_file_may_remove_offers_too(database: Database, tmp_path: Path) -> None:
    shop = Shop(database, tmp_path / "feeds")
    await shop.open()
    await load(shop, *(line(n) for n in range(1, 11)))
    run = await load(shop, *(line(n, "delete" if n == 3 else "") for n in range(1, 10)))
    assert (run["products_upserted"], run["products_removed"]) == (8, 1)
    assert await shop.active() == names(1, 2, *range(4, 11))  # 10 is only missing, and ages out


async def test_f088_json_and_xml_name_removals_too(shop: Shop) -> None:
    await load(shop, *(line(n) for n in range(1, 6)))
    items = [{"sku": "sku-1", "deleted": True}, {"sku": "sku-2", "deleted": False, "name": "Thing 2",
             "url": "https://shop.test/p/2", "price": "9.00", "currency": "USD"}]  # fmt: skip
    (shop.folder / FILE).write_text(json.dumps({"products": items}))
    await shop.run()
    assert await shop.active() == names(2, 3, 4, 5)
    first = "<item action='delete'><sku>sku-3</sku></item>"
    other = "<item><sku>sku-4</sku><name>Thing 4</name><link>https://shop.test/p/4</link><price>8.00 USD</price></item>"
    (shop.folder / FILE).write_text(f"<items>{first}{other}</items>")
    await shop.run()
    assert await shop.active() == names(2, 4, 5)


async def test_f088_a_row_that_removes_an_offer_nobody_knows_is_no_error(shop: Shop) -> None:
    await load(shop, line(1))
    run = await load(shop, "sku-99,,,,,delete")
    assert (run["status"], run["error_count"], run["products_removed"]) == ("SUCCEEDED", 0, 0)
    assert await shop.active() == names(1)
