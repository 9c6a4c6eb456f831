"""Watches: one message per crossing, never doubled, in one currency."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.actions.watches import amount, percent
from winnow.db.engine import Database
from winnow.errors import Conflict, InvalidInput
from winnow.normalise.record import Money
from winnow.publish import watches
from winnow.publish.watches import Seen, Wanted

FIRED = "SELECT payload FROM outbox WHERE topic = 'watch.fired' ORDER BY id"


@pytest.fixture
async def target(rows: Any) -> int:
    await rows("INSERT INTO retailers (name) VALUES ('shop')")
    await rows(
        "INSERT INTO sources (name, url, domain, retailer_id) "
        "SELECT 'shop', 'https://s.test', 's.test', id FROM retailers"
    )
    (target_id,) = await rows(
        "INSERT INTO scrape_targets (url, canonical_url, url_hash, domain, source_id, adapter_id) "
        "SELECT 'https://s.test/1', 'https://s.test/1', repeat('0', 64), 's.test', id, 'generic' FROM sources "
        "RETURNING id"
    )
    return int(target_id)


Pass = Callable[..., Awaitable[int]]


@pytest.fixture
def sees(database: Database, target: int) -> Pass:
    """The target is seen at these prices, one after the other; how many messages that made."""

    async def see(*prices: Any, currency: str = "EUR", stock: str = "IN_STOCK", changed: bool = True) -> int:
        fired = 0
        for minor in prices:
            async with database.transaction() as conn:
                seen = Seen(
                    target_id=target, product_id=1, title="Tent", url="https://s.test/1", price=Money(minor, currency),
                    availability=stock, observed_at=datetime(2026, 1, 1, tzinfo=UTC), changed=changed,
                )  # fmt: skip
                fired += await watches.evaluate(conn, [seen])
        return fired

    return see


@pytest.fixture
def watch(database: Database, target: int) -> Callable[..., Awaitable[int]]:
    async def add(condition: str, **more: Any) -> int:
        async with database.transaction() as conn:
            watch_id, _ = await watches.add(conn, Wanted(target_id=target, condition=condition, **more), "ada")
        return watch_id

    return add


async def test_below_is_told_once_per_crossing(watch: Any, sees: Pass, rows: Any) -> None:
    await watch("price_below", threshold=Decimal("20"))
    assert [await sees(p) for p in (2500, 2000, 1999, 1500, 1999, 2000, 1999)] == [0, 0, 1, 0, 0, 0, 1]
    first, second = await rows(FIRED)
    assert (first["price"], first["below"]) == ({"minor": 1999, "currency": "EUR"}, "20")
    assert (await rows("SELECT fired_count, currency FROM watches")) == [(2, "EUR")]
    assert second["watch_id"] == first["watch_id"]


async def test_the_currency_must_match(watch: Any, sees: Pass, rows: Any) -> None:
    await watch("price_below", threshold=Decimal("20"), currency="USD")
    assert await sees(100, currency="EUR") == 0
    assert await sees(100, currency="USD") == 1
    assert await sees(5000, currency="EUR") == 0
    assert await sees(100, currency="USD") == 0, "in dollars it has not been back above"


async def test_without_a_currency_that_of_the_first_price_is_taken(watch: Any, sees: Pass) -> None:
    await watch("price_below", threshold=Decimal("2000"))
    assert await sees(1999, currency="JPY") == 1
    assert await sees(1, currency="EUR") == 0


@pytest.mark.parametrize(
    ("minor", "currency", "told"), [(19_999, "KWD", 1), (20_000, "KWD", 0), (19, "JPY", 1), (20, "JPY", 0)]
)
async def test_digits_after_the_point_follow_the_currency(
    watch: Any, sees: Pass, minor: int, currency: str, told: int
) -> None:
    await watch("price_below", threshold=Decimal("20"))
    assert await sees(minor, currency=currency) == told


async def test_a_drop_is_measured_from_the_highest_price_since_the_last_one(watch: Any, sees: Pass, rows: Any) -> None:
    await watch("price_drop", drop_percent=10.0)
    assert [await sees(p) for p in (10000, 9500, 11000, 9901, 9900, 9500, 8910, 10000)] == [0, 0, 0, 0, 1, 0, 1, 0]
    said = (await rows(FIRED))[0]
    assert said["dropped_from"] == {"minor": 11000, "currency": "EUR"}


async def test_back_in_stock_is_told_when_it_was_out(watch: Any, sees: Pass, database: Database, target: int) -> None:
    await watch("back_in_stock")
    assert await sees(1000) == 0
    assert await sees(1000, stock="OUT_OF_STOCK") == 0
    assert await sees(1000) == 1
    assert await sees(1000) == 0
    assert await sees(1000, stock="BACKORDER") == 0
    assert await sees(1000) == 1
    async with database.transaction() as conn:
        await watches.out_of_stock(conn, [target])
    assert await sees(1000) == 1, "a page that hid its price while sold out"


async def test_any_change_is_told_each_time(watch: Any, sees: Pass) -> None:
    await watch("any_change")
    assert await sees(1000) == 1
    assert await sees(1000, changed=False) == 0


async def test_a_target_seen_twice_in_one_commit_is_looked_at_twice(
    watch: Any, database: Database, target: int, rows: Any
) -> None:
    await watch("price_below", threshold=Decimal("20"))
    seen = [
        Seen(target_id=target, product_id=1, title="", url="", price=Money(p, "EUR"), availability="IN_STOCK",
             observed_at=datetime(2026, 1, 1, tzinfo=UTC))
        for p in (1000, 3000, 1000)
    ]  # fmt: skip
    async with database.transaction() as conn:
        assert await watches.evaluate(conn, seen) == 2


async def test_a_watch_rolled_back_with_its_price_has_told_nothing(
    watch: Any, sees: Pass, database: Database, target: int, rows: Any
) -> None:
    await watch("price_below", threshold=Decimal("20"))
    with pytest.raises(RuntimeError):
        async with database.transaction() as conn:
            seen = Seen(
                target_id=target, product_id=1, title="", url="", price=Money(1, "EUR"), availability="IN_STOCK",
                observed_at=datetime(2026, 1, 1, tzinfo=UTC),
            )  # fmt: skip
            await watches.evaluate(conn, [seen])
            raise RuntimeError
    assert await rows(FIRED) == []
    assert await sees(1) == 1


async def test_the_same_watch_twice_is_a_conflict(watch: Any, rows: Any) -> None:
    first = await watch("price_below", threshold=Decimal("20"))
    with pytest.raises(Conflict) as there:
        await watch("price_below", threshold=Decimal("20.00"))
    assert there.value.existing == str(first)
    await watch("price_below", threshold=Decimal("19.99"))
    assert await rows("SELECT threshold_minor, threshold_exponent FROM watches ORDER BY id") == [(20, 0), (1999, 2)]


async def test_what_is_so_already_is_told_at_once_and_only_by_the_new_watch(
    database: Database, target: int, rows: Any
) -> None:
    await rows(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash) "
        "SELECT source_id, 'URL', 'x', 'Tent', url, url_hash FROM scrape_targets"
    )
    await rows(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
        "ingestion_run_type) SELECT id, 1500, 'EUR', 'OUT_OF_STOCK', false, now(), 'SCRAPE' FROM source_products"
    )

    async def add(condition: str, **more: Any) -> bool:
        async with database.transaction() as conn:
            return (await watches.add(conn, Wanted(target_id=target, condition=condition, **more), "ada"))[1]

    assert await add("price_below", threshold=Decimal("20"))
    assert not await add("price_below", threshold=Decimal("15"))
    assert not await add("price_drop", drop_percent=5.0)
    assert not await add("back_in_stock")
    assert len(await rows(FIRED)) == 1
    assert await rows("SELECT armed FROM watches WHERE condition = 'back_in_stock'") == [True]
    assert await rows("SELECT reference_minor FROM watches WHERE condition = 'price_drop'") == [1500]


@pytest.mark.parametrize(
    ("text", "meant"),
    [("20", ("20", None)), ("19.99", ("19.99", None)), (" 5 eur ", ("5", "EUR")), ("100JPY", ("100", "JPY"))],
)
def test_a_threshold_is_read_as_it_is_written(text: str, meant: tuple[str, str | None]) -> None:
    assert amount(text) == (Decimal(meant[0]), meant[1])


@pytest.mark.parametrize(
    "text",
    ["", "0", "0.00", "-1", "1,299", "1.299,00", "20 XXQ", "1e9", "٢٠", "NaN", "inf", "5 JPY EUR", "1.5 JPY", "9" * 40],
)
def test_a_threshold_is_never_guessed(text: str) -> None:
    with pytest.raises(InvalidInput):
        amount(text)


def test_a_drop_is_a_percentage() -> None:
    assert percent("10%") == percent("10") == 10.0
    for wrong in ("0", "100", "-5", "a", "", "1e1", "10%%"):
        with pytest.raises(InvalidInput):
            percent(wrong)


@given(st.decimals(min_value=Decimal("0.0001"), max_value=10**10, places=4, allow_nan=False, allow_infinity=False))
def test_a_threshold_is_stored_exactly(value: Decimal) -> None:
    minor, digits = watches.scaled(value)
    assert minor is not None
    assert digits is not None
    assert Decimal(minor).scaleb(-digits) == value
    assert 0 <= digits <= 4
