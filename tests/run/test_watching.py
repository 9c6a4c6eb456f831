"""Watches through the whole pipeline: page, price, message, webhook."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from tests.run.scripted_site import Site, product
from winnow.publish import watches
from winnow.publish.watches import Wanted

FIRED = "SELECT payload FROM outbox WHERE topic = 'watch.fired' ORDER BY id"
TOPICS = "SELECT topic FROM outbox WHERE topic LIKE 'offer.%%' ORDER BY id"


async def visit(site: Site, source: int, page: str, start, work) -> None:
    site.says("/p", page)
    await start(source)
    await work()


async def add(database, rows, condition: str, **more) -> None:
    (target,) = await rows("SELECT id FROM scrape_targets")
    async with database.transaction() as conn:
        await watches.add(conn, Wanted(target_id=target, condition=condition, **more), "ada")


async def test_a_price_that_falls_below_is_told_once(site: Site, watch, start, work, rows, database):
    source = await watch([site.url + "/p"])
    await add(database, rows, "price_below", threshold=Decimal("20"))
    for price in ("25.00", "19.50", "19.50", "19.40", "21.00", "19.00"):
        await visit(site, source, product(price=price), start, work)
    assert [said["price"]["minor"] for said in await rows(FIRED)] == [1950, 1900]


async def test_back_in_stock_is_noticed_although_the_page_hid_its_price(site: Site, watch, start, work, rows, database):
    source = await watch([site.url + "/p"])
    await visit(site, source, product(), start, work)
    await add(database, rows, "back_in_stock")
    await visit(site, source, product(price=None, stock="OutOfStock"), start, work)
    assert (await rows("SELECT last_status FROM scrape_targets"))[0].endswith("OOS_NO_PRICE")
    assert await rows(FIRED) == []
    await visit(site, source, product(price="19.98"), start, work)
    (said,) = await rows(FIRED)
    assert said["condition"] == "back_in_stock"


async def test_an_offer_that_is_sold_out_and_back_is_two_changes(site: Site, watch, start, work, rows):
    source = await watch([site.url + "/p"])
    for stock in ("InStock", "OutOfStock", "InStock", "InStock"):
        await visit(site, source, product(stock=stock), start, work)
    assert await rows(TOPICS) == ["offer.out_of_stock", "offer.back_in_stock"]


async def test_a_task_that_is_repeated_tells_nothing_twice(site: Site, watch, start, work, rows, database):
    """R-03: the same observation, committed by two workers, is one price and one message."""
    from winnow.normalise.record import Money

    source = await watch([site.url + "/p"])
    await add(database, rows, "price_below", threshold=Decimal("20"))
    await visit(site, source, product(price="10.00"), start, work)
    (target,) = await rows("SELECT id FROM scrape_targets")
    async with database.transaction() as conn:
        seen = watches.Seen(
            target_id=target, product_id=1, title="", url="", price=Money(1000, "USD"), availability="IN_STOCK",
            observed_at=datetime(2026, 1, 1, tzinfo=UTC),
        )  # fmt: skip
        assert await watches.evaluate(conn, [seen]) == 0
    assert len(await rows(FIRED)) == 1
