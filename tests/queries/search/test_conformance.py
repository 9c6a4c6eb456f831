"""What a search finds, counts and shows is the same whoever answers it (C-050, C-053, C-056)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.queries.search.conftest import GTIN, Rows, Shop
from tests.store.offer_rows import offer, source
from winnow.db.engine import Database
from winnow.errors import InvalidInput
from winnow.normalise.record import Availability


@pytest.mark.parametrize(
    ("q", "skus"),
    [
        ("tents", ["t1"]),
        ("alpine", ["t1", "t2"]),
        ("bosch drill", ["t3"]),
        ("drill -bosch", []),
        ("drill -stove", ["t3"]),
        ('"dome tent"', ["t1"]),
        ('"tent dome"', []),
        ("the tent", ["t1"]),
        ("it", ["t4"]),
        (GTIN, ["t3"]),
        ("0" + GTIN, ["t3"]),
        ("GSR18V-55", ["t3"]),
        ("gsr18v-55", ["t3"]),
        ("t2", ["t2"]),
        ("zebra", []),
        ("-tent", []),
    ],
)
async def test_c053_words_phrases_and_numbers(shop: Shop, stocked: int, q: str, skus: list[str]) -> None:
    assert await shop.found(q) == skus


@pytest.mark.parametrize(
    ("q", "sku", "corrected"),
    [
        ("cordles drill", "t3", {"cordles": ["cordless"]}),
        ("hileberg", "t1", {"hileberg": ["hilleberg"]}),
        ("Campign", "t2", {"Campign": ["camping"]}),
        ("alpine sotve", "t2", {"sotve": ["stove"]}),
        ("dmoe", "t1", {"dmoe": ["dome"]}),
    ],
)
async def test_a_mistyped_word_finds_what_was_meant(
    shop: Shop, stocked: int, q: str, sku: str, corrected: dict[str, list[str]]
) -> None:
    page = await shop.page(q)
    assert sku in [row["sku"] for row in page.offers]
    assert page.found.corrected == corrected


@pytest.mark.parametrize("q", ['"cordles" drill', "cordles -stove", "18X", "cordzzzs"])
async def test_nothing_is_guessed_of_what_was_meant_exactly(shop: Shop, stocked: int, q: str) -> None:
    assert await shop.found(q) == []


@pytest.mark.parametrize(
    "q",
    [
        "' OR 1=1 --", "%%%", "\\", '"', "&|!():*<->", "{}[]^~?", "-", '""', "🎒", "\u202e", "a" * 200, "AND OR NOT",
        "title:tent", "/.*/", "_exists_:brand", "tent*", "\ud7ff", "the and of",
    ],
)  # fmt: skip
async def test_operators_and_signs_are_words_or_nothing(shop: Shop, stocked: int, q: str) -> None:
    page = await shop.page(q)
    assert {row["sku"] for row in page.offers} <= ({"t1"} if "tent" in q else set())


@pytest.mark.parametrize(
    "wrong",
    [
        {"q": "x" * 65_536}, {"q": "a\x00b"}, {"brand": tuple(map(str, range(5_000)))}, {"availability": ("MAYBE",)},
        {"price_min": Decimal(2), "price_max": Decimal(1)}, {"sort": "cheapest"},
    ],
)  # fmt: skip
async def test_what_cannot_be_answered_is_refused(shop: Shop, wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        await shop.page(**{"q": "tent"} | wrong)


async def test_facets_count_what_was_found(shop: Shop, stocked: int) -> None:
    page = await shop.page("")
    facets = page.found.facets
    assert (page.found.total, page.found.capped) == (4, False)
    assert [(v.value, v.count) for v in facets.category] == [("Camping", 2), ("Books", 1), ("Tools", 1)]
    assert [(v.value, v.count) for v in facets.brand] == [("Bosch", 1), ("Hilleberg", 1), ("Viking", 1)]
    assert [(v.value, v.count) for v in facets.availability] == [("IN_STOCK", 4)]
    assert [(v.value, v.count) for v in facets.domain] == [("shop.test:443", 4)]
    assert {(r.currency, r.low, r.high, r.count) for r in facets.price} == {
        ("USD", 250, 500, 1), ("USD", 25, 50, 1), ("USD", 100, 250, 1), ("EUR", None, 10, 1)
    }  # fmt: skip
    assert [v.value for v in (await shop.page("alpine")).found.facets.category] == ["Camping"]


@pytest.mark.parametrize(
    ("filters", "skus"),
    [
        ({"category": ("Camping",)}, {"t1", "t2"}),
        ({"category": ("Camping", "Tools")}, {"t1", "t2", "t3"}),
        ({"brand": ("Bosch",)}, {"t3"}),
        ({"brand": ("bosch",)}, set()),
        ({"domain": ("shop.test:443",)}, {"t1", "t2", "t3", "t4"}),
        ({"domain": ("other.test",)}, set()),
        ({"price_min": Decimal(45), "price_max": Decimal(129)}, {"t2", "t3"}),
        ({"price_min": Decimal("45.01")}, {"t1", "t3"}),
        ({"currency": "eur"}, {"t4"}),
        ({"currency": "EUR", "price_min": Decimal(10)}, set()),
        ({"availability": ("IN_STOCK",)}, {"t1", "t2", "t3", "t4"}),
        ({"availability": ("OUT_OF_STOCK", "UNKNOWN")}, set()),
    ],
)
async def test_c050_filters(shop: Shop, stocked: int, filters: dict[str, Any], skus: set[str]) -> None:
    assert set(await shop.found("", **filters)) == skus


async def test_c050_offers_are_found_by_price_alone(shop: Shop, stocked: int) -> None:
    assert await shop.found("", sort="price_asc", currency="USD") == ["t2", "t3", "t1"]
    assert await shop.found("", sort="price_desc", currency="USD") == ["t1", "t3", "t2"]
    assert (await shop.found("", sort="newest"))[0] in ("t1", "t2", "t3", "t4")


async def test_c053_the_name_weighs_more_than_the_text(shop: Shop, database: Database) -> None:
    one = await source(database)
    await shop.write(one, offer("text", title="Lamp", description="stands beside a tent"), offer("name", title="Tent"))
    assert await shop.found("tent") == ["name", "text"]


async def test_words_are_read_in_the_language_of_the_shop(shop: Shop, database: Database, rows: Rows) -> None:
    dutch = await source(database, "winkel")
    await rows("UPDATE sources SET locale = 'nl-NL' WHERE id = %s", dutch)
    english = await source(database, "store")
    await shop.write(dutch, offer("nl", title="Warme dekens", url="https://winkel.test/1"))
    await shop.write(english, offer("en", title="Warm blankets", url="https://store.test/1"))
    assert await shop.found("deken") == ["nl"]
    assert await shop.found("blanket") == ["en"]
    assert await shop.found("een deken") == ["nl"]


async def test_hits_are_paged_and_counted(shop: Shop, database: Database) -> None:
    one = await source(database)
    await shop.write(one, *(offer(f"n{n}", title=f"Tent number {n}") for n in range(7)))
    seen: list[str] = []
    after: int | None = 0
    for _ in range(3):
        assert after is not None
        page = await shop.page("tent", after=after, limit=3)
        assert page.found.total == 7
        seen += [row["sku"] for row in page.offers]
        after = int(page.following) if page.following else None
    assert sorted(seen) == [f"n{n}" for n in range(7)]
    assert after is None
    assert (await shop.page("tent", after=1_000)).offers == []


async def test_p092_consumers_find_and_count_only_what_they_may_see(shop: Shop, stocked: int, rows: Rows) -> None:
    hidden = await shop.page("", everything=False)
    assert (hidden.offers, hidden.found.total, hidden.found.facets.brand) == ([], 0, [])
    assert hidden.found.facets.price == []
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    await shop.settle()
    assert await shop.found("tent", everything=False) == ["t1"]
    assert (await shop.page("", everything=False)).found.total == 4


async def test_p092_what_is_hidden_is_gone_before_the_index_knows(shop: Shop, stocked: int, rows: Rows) -> None:
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    await shop.settle()
    await rows("UPDATE source_trust_config SET visibility_status = 'INELIGIBLE'")
    page = await shop.page("tent", everything=False, price_min=Decimal(1))
    assert (page.offers, page.found.total, page.found.facets.brand, page.found.facets.price) == ([], 0, [], [])
    await shop.settle()
    assert (await shop.page("tent", everything=False)).found.total == 0
    assert await shop.found("tent") == ["t1"]


async def test_a_price_that_changed_is_found_by_what_it_is_now(shop: Shop, stocked: int) -> None:
    await shop.write(stocked, offer("t2", 9900, title="Camping stove", category="Camping",
                                    description="Boils water in the alpine cold"))  # fmt: skip
    assert await shop.found("stove", price_max=Decimal(50)) == []
    assert await shop.found("stove", price_min=Decimal(99)) == ["t2"]
    await shop.write(stocked, offer("t2", 9900, title="Camping stove", availability=Availability.OUT_OF_STOCK))
    assert await shop.found("stove", availability=("IN_STOCK",)) == []
    assert await shop.found("stove", availability=("OUT_OF_STOCK",)) == ["t2"]


async def test_an_index_that_is_behind_shows_no_old_price(shop: Shop, stocked: int, database: Database) -> None:
    from tests.store.offer_rows import write

    await write(database, stocked, offer("t2", 9900, title="Camping stove"))
    page = await shop.page("stove")
    assert [row["amount_minor"] for row in page.offers] == [9900]
    assert await shop.found("stove", price_max=Decimal(50)) == []


async def test_a_changed_name_is_found_by_its_new_words_only(shop: Shop, stocked: int) -> None:
    await shop.write(stocked, offer("t1", title="Yurt"))
    assert await shop.found("yurt") == ["t1"]
    assert "t1" not in await shop.found("dome")


async def test_what_was_deleted_is_not_found(shop: Shop, stocked: int, rows: Rows) -> None:
    await rows(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, resolve_requested_at) "
        "VALUES (%s, 'SKU', 'gone', 'Gone lamp', 'https://shop.test/gone', now())",
        stocked,
    )
    await shop.settle()
    assert (await shop.page("lamp")).found.total == 1
    await rows("DELETE FROM source_products WHERE identity_value = 'gone'")
    await shop.settle()
    assert (await shop.page("lamp")).found.total == 0


async def test_a_very_long_text_is_indexed(shop: Shop, database: Database) -> None:
    one = await source(database)
    words = " ".join(f"word{n}" for n in range(400_000))
    await shop.write(one, offer("long", title="Novel " + "x" * 5000, description=words))
    assert await shop.found("word17") == ["long"]
