"""Identities that change: better ids, ids that come and go, addresses in two cases (F-039, F-041, F-137)."""

from __future__ import annotations

import pytest
from structlog.testing import capture_logs

from tests.feeds.shop import Shop
from winnow.actions.feeds import to_dict
from winnow.feeds import admin
from winnow.feeds.load.identity_changes import IdentityChanges, flapping


def line(n: int, item: str = "", sku: str = "", url: str = "") -> str:
    return f"{item},{sku},Thing {n},{url or f'https://shop.test/p/{n}'},10.00,USD,Y"


def by_item(n: int) -> str:
    return line(n, f"item-{n}", f"sku-{n}")


def by_sku(n: int) -> str:
    return line(n, "", f"sku-{n}")


async def test_f039_fn17_a_better_id_makes_a_new_offer_and_is_told(shop: Shop) -> None:
    await shop.load([by_sku(1), line(2), *(by_item(n) for n in range(3, 40))])
    with capture_logs() as said:
        run = await shop.load([*(by_item(n) for n in range(1, 40))])
    assert (run["identity_upgrade_count"], run["identity_flap_count"]) == (2, 0)
    kinds = "SELECT identity_type, count(*) FROM source_products GROUP BY 1 ORDER BY 1"
    assert await shop.rows(kinds) == [("IMPACT_ITEM_ID", 39), ("SKU", 1), ("URL_HASH", 1)]
    upgrades = [e for e in said if e["event"] == "IDENTITY_UPGRADE_DETECTED"]
    assert [(e["log_level"], e["old_type"], e["new_type"], e["new_value"]) for e in upgrades] == [
        ("warning", "SKU", "IMPACT_ITEM_ID", "item-1"),
        ("warning", "URL_HASH", "IMPACT_ITEM_ID", "item-2"),
    ]
    assert [n.code for n in shop.notices] == ["IDENTITY_UPGRADE_DETECTED"]  # F-130
    assert len(await shop.active()) == 41  # the old ones age out
    await shop.later(30)
    await shop.load([*(by_item(n) for n in range(1, 40)), ""])
    await shop.later(30)
    assert len(await shop.active()) == 39


async def test_f039_an_id_that_was_there_all_along_is_no_upgrade(shop: Shop) -> None:
    await shop.load([by_sku(1), *(by_item(n) for n in range(2, 20))])
    other = line(1, "item-1", "sku-1", "https://shop.test/other")
    run = await shop.load([by_sku(1), other, *(by_item(n) for n in range(2, 20))])
    assert run["identity_upgrade_count"] == 0


async def test_f137_ids_that_come_and_go_pause_the_feed(shop: Shop) -> None:
    whole, poor = [by_item(n) for n in range(1, 41)], [by_sku(n) for n in range(1, 41)]
    await shop.load(whole)
    first = await shop.load(poor)
    assert (first["identity_flap_count"], (await shop.feed_row())["status"]) == (0, "ENABLED")
    with capture_logs() as said:
        again = await shop.load(whole)
    assert again["identity_flap_count"] == 40
    assert len([e for e in said if e["event"] == "IDENTITY_FLAP_DETECTED"]) == 10  # a sample
    feed = await shop.feed_row()
    assert (feed["status"], feed["next_run_at"]) == ("PAUSED", None)
    assert "IDENTITY_FLAP_DETECTED" in {n.code for n in shop.notices}
    async with shop.database.transaction() as conn:
        assert (await admin.feeds.get(conn, shop.feed_id)).status == "PAUSED"
        told = to_dict(await admin.feeds.get(conn, shop.feed_id))["status_text"]
        assert told == "Paused automatically: the ids of its products go back and forth"
        await admin.enable(conn, "ada", shop.feed_id)
    assert (await shop.feed_row())["status_reason"] is None


async def test_f137_what_only_comes_back_is_no_flap(shop: Shop) -> None:
    await shop.load([by_item(n) for n in range(1, 41)])
    await shop.load([by_item(n) for n in range(1, 31)])
    run = await shop.load([by_item(n) for n in range(1, 41)])
    assert (run["identity_upgrade_count"], run["identity_flap_count"]) == (0, 0)


@pytest.mark.parametrize(
    ("flaps", "upserted", "paused"), [(9, 9, False), (10, 99, True), (10, 100, False), (500, 10_000, False)]
)
def test_f137_a_few_flaps_pause_nothing(flaps: int, upserted: int, paused: bool) -> None:
    assert flapping(IdentityChanges(identity_flap_count=flaps), upserted) is paused


async def test_f137_addresses_in_two_cases_are_told_and_can_be_joined(shop: Shop) -> None:
    ids = [by_item(n) for n in range(1, 20)]
    twice = [line(n, url=f"https://shop.test/P/Tent-{n}") for n in (50, 51)]
    await shop.load([*ids, *twice])
    with capture_logs() as said:
        run = await shop.load([*ids, *twice, line(50, url="https://shop.test/p/tent-50")])
    assert run["path_case_collision_count"] == 1
    [told] = [e for e in said if e["event"] == "PATH_CASE_COLLISION"]
    assert (told["url"], told["other_url"]) == ("https://shop.test/p/tent-50", "https://shop.test/P/Tent-50")
    async with shop.database.transaction() as conn:
        await admin.change(conn, "ada", shop.feed_id, {"url_normalization_mode": "LOWERCASE_PATH"})
    run = await shop.load([*ids, *twice, line(50, url="https://shop.test/p/tent-50")])
    assert (run["duplicate_key_count"], run["products_upserted"]) == (1, 21)


async def test_f041_without_the_mode_case_splits_and_no_parameter_is_guessed_away(shop: Shop) -> None:
    urls = ["https://shop.test/a", "https://shop.test/A", "https://shop.test/a?color=red", "https://shop.test/a?size=1"]
    run = await shop.load([*(by_item(n) for n in range(1, 9)), *(line(20 + n, url=u) for n, u in enumerate(urls))])
    assert (run["url_hash_fallback_count"], run["duplicate_key_count"]) == (4, 0)
