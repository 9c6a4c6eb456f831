"""Sold out, gone, forbidden and unconfirmed: what a consumer sees of an offer that cannot be had (DESIGN §11.33)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from tests.run.scripted_site import Site, product
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.observe import keys
from winnow.observe.keys import Scope
from winnow.queries import prices
from winnow.queries.offer_state import describe_state
from winnow.queries.reading import reader
from winnow.settings import Settings
from winnow.store import unavailable
from winnow.store.unavailable import Unavailable, UnavailableReason

Look = Callable[[], Awaitable[dict[str, Any]]]
STATE = ("availability", "in_stock", "unavailable_reason")
AVAILABLE = ("IN_STOCK", True, None)
SOLD_OUT = ("OUT_OF_STOCK", False, "sold_out")
GONE = ("OUT_OF_STOCK", False, "gone")
FORBIDDEN = ("UNKNOWN", False, "forbidden")
STOCK_EVENTS = "SELECT topic FROM outbox WHERE topic LIKE 'offer.%%' ORDER BY id"


@pytest.fixture
async def look(database: Database, settings: Settings) -> AsyncIterator[Look]:
    """The only offer, as a read key sees it."""
    async with database.connection() as conn:
        _, secret = await keys.create(conn, "consumer", [Scope.READ], "tester")
    transport = httpx.ASGITransport(create_app(database, settings))
    async with httpx.AsyncClient(
        transport=transport, base_url="http://winnow.test", headers={"X-Service-Key": secret}
    ) as client:

        async def offer() -> dict[str, Any]:
            (found,) = (await client.get("/api/v1/prices")).json()["data"]
            assert isinstance(found, dict)
            return found

        yield offer


@pytest.fixture
def visit(watch, start, work, rows) -> Callable[..., Awaitable[None]]:
    """Visits the only source once more; makes it from `url` and shows it to consumers the first time."""
    made: list[int] = []

    async def once(url: str | None = None) -> None:
        if url is not None:
            made.append(await watch([url]))
            await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
        await start(made[0])
        await work()

    return once


def state(offer: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(offer[name] for name in STATE)


async def test_after_sold_out_and_404_a_read_key_never_sees_in_stock(site: Site, visit, look: Look, rows):
    await visit(site.says("/p", product()))
    assert state(await look()) == AVAILABLE
    site.says("/p", product(price=None, stock="OutOfStock"))
    await visit()
    sold_out = await look()
    assert state(sold_out) == SOLD_OUT
    assert sold_out["unavailable_since"] is not None
    assert await rows("SELECT count(*)::int FROM prices") == [1], "P-013: a drop writes no price"
    for expected in (SOLD_OUT, GONE):
        site.says("/p", status=404)
        await visit()
        found = await look()
        assert state(found) == expected
        assert found["unavailable_since"] == sold_out["unavailable_since"], "since it was first stated"
    assert await rows(STOCK_EVENTS) == ["offer.out_of_stock"]
    site.says("/p", product())
    await visit()
    back = await look()
    assert (state(back), back["unavailable_since"]) == (AVAILABLE, None)
    assert await rows(STOCK_EVENTS) == ["offer.out_of_stock", "offer.back_in_stock"]


@pytest.mark.parametrize("status", [404, 410])
async def test_one_missing_page_says_nothing_and_the_second_says_gone(site: Site, visit, look: Look, rows, status: int):
    await visit(site.says("/p", product(), ETag='"same"'))
    await rows("UPDATE scrape_targets SET crawl_frequency = interval '1 day'")
    site.says("/p", status=status)
    await visit()
    assert state(await look()) == AVAILABLE
    soon = "SELECT next_crawl_at < now() + interval '16 minutes' FROM scrape_targets"
    assert await rows(soon) == [True], "the second look comes soon"
    await visit()
    assert state(await look()) == GONE
    assert await rows(soon) == [False]
    site.says("/p", product(), ETag='"same"')
    await visit()
    assert state(await look()) == AVAILABLE
    assert await rows(STOCK_EVENTS) == ["offer.out_of_stock", "offer.back_in_stock"], "it was read again, not skipped"


async def test_a_page_that_robots_txt_forbids_now_is_unknown_at_once(site: Site, visit, look: Look, rows):
    await visit(site.says("/p", product()))
    site.says("/robots.txt", "User-agent: *\nDisallow: /p\n")
    await rows("UPDATE robots SET expires_at = now()")
    await visit()
    assert state(await look()) == FORBIDDEN
    assert await rows(STOCK_EVENTS) == []
    site.says("/robots.txt", "User-agent: *\nDisallow:\n")
    await rows("UPDATE robots SET expires_at = now()")
    await visit()
    assert state(await look()) == AVAILABLE
    assert await rows(STOCK_EVENTS) == [], "whether it was out of stock is not known"


async def test_a_site_that_refuses_twice_forbids(site: Site, visit, look: Look):
    await visit(site.says("/p", product()))
    site.says("/p", status=451)
    await visit()
    assert state(await look()) == AVAILABLE
    await visit()
    assert state(await look()) == FORBIDDEN


async def test_trouble_of_the_site_or_of_ours_changes_nothing(site: Site, visit, look: Look, rows):
    await visit(site.says("/p", product()))
    for answer in ({"status": 400}, {"body": "<html><body>Welcome</body></html>"}):
        site.says("/p", **answer)
        for _ in range(2):
            await visit()
            assert state(await look()) == AVAILABLE


async def test_sold_out_beside_a_price_has_its_time_too(site: Site, visit, look: Look):
    await visit(site.says("/p", product()))
    site.says("/p", product(stock="OutOfStock"))
    await visit()
    first = await look()
    assert state(first) == SOLD_OUT
    site.says("/p", product(price="18.00", stock="OutOfStock"))
    await visit()
    second = await look()
    assert (state(second), second["amount"]) == (SOLD_OUT, "18.00")
    assert second["unavailable_since"] == first["unavailable_since"]
    site.says("/p", product(price="18.00"))
    await visit()
    assert state(await look()) == AVAILABLE


@pytest.mark.parametrize(
    ("every", "unseen", "confirmed"),
    [
        ("1 hour", "47 hours", True),
        ("1 hour", "49 hours", False),
        ("1 day", "71 hours", True),
        ("1 day", "73 hours", False),
        ("7 days", "20 days", True),
        ("7 days", "22 days", False),
        (None, "10 years", True),
    ],
)
async def test_unseen_for_three_intervals_is_unknown_and_not_in_stock(
    site: Site, visit, look: Look, rows, every: str | None, unseen: str, confirmed: bool
):
    await visit(site.says("/p", product()))
    await rows("UPDATE scrape_targets SET expected_every = %s::interval", every)
    await rows(
        "UPDATE source_product_presence SET last_seen_success_at = now() - %s::interval RETURNING source_product_id",
        unseen,
    )
    found = await look()
    if confirmed:
        assert (state(found), found["unconfirmed_since"]) == (AVAILABLE, None)
        return
    assert state(found) == ("UNKNOWN", False, None)
    assert found["unconfirmed_since"] is not None
    await visit()
    found = await look()
    assert (state(found), found["unconfirmed_since"]) == (AVAILABLE, None)


async def test_the_offer_of_a_removed_target_is_unconfirmed_after_two_days(site: Site, visit, look: Look, rows):
    await visit(site.says("/p", product()))
    await rows("DELETE FROM scrape_targets")
    assert state(await look()) == AVAILABLE
    await rows("UPDATE source_product_presence SET last_seen_success_at = now() - interval '49 hours'")
    assert state(await look()) == ("UNKNOWN", False, None)


async def test_a_constant_etag_does_not_keep_a_price_fresh_for_ever(site: Site, visit, look: Look, rows):
    """The shop changes its price and stock but not its ETag."""
    await visit(site.says("/p", product(), ETag='"constant"'))
    site.says("/p", product(price="25.00"), ETag='"constant"')
    for _ in range(9):
        await visit()
        assert (await look())["amount"] == "19.99"
    await visit()
    assert (await look())["amount"] == "25.00"
    sent = [seen.headers.get("If-None-Match") for seen in site.log if seen.path == "/p"]
    assert sent == [None, *['"constant"'] * 9, None]


async def test_after_a_day_a_page_is_fetched_in_full(site: Site, visit, look: Look, rows):
    await visit(site.says("/p", product(), ETag='"constant"'))
    site.says("/p", product(price="25.00"), ETag='"constant"')
    await rows("UPDATE scrape_targets SET full_fetch_at = now() - interval '25 hours'")
    await visit()
    assert (await look())["amount"] == "25.00"
    await visit()
    sent = [seen.headers.get("If-None-Match") for seen in site.log if seen.path == "/p"]
    assert sent == [None, None, '"constant"']


async def test_the_reason_is_described_in_one_sentence(site: Site, visit, database: Database, rows):
    await visit(site.says("/p", product()))
    site.says("/p", status=404)
    await visit()
    await visit()
    async with reader(database) as conn:
        (gone,), _ = await prices.latest(conn, everything=True)
    assert state(gone) == GONE, "operators see the same state"
    assert describe_state(gone) == f"its page is gone since {gone['unavailable_since']:%Y-%m-%d %H:%M}"
    unseen = gone | {"unavailable_reason": None, "unconfirmed_since": gone["observed_at"]}
    assert describe_state(unseen) == f"not confirmed since {gone['observed_at']:%Y-%m-%d %H:%M}"
    assert describe_state(gone | {"unavailable_reason": None}) is None
    assert await rows("SELECT availability FROM catalog_products") == ["out_of_stock"]


async def test_a_record_of_a_list_speaks_only_for_the_offer_it_names(site: Site, watch, start, work, rows, database):
    urls = [site.says(f"/{sku}", product(sku=sku)) for sku in ("A", "B")]
    source = await watch(urls)
    await start(source)
    await work()
    keys_of = "SELECT identity_key FROM source_products ORDER BY sku"
    sold_out = [
        Unavailable(source_id=source, target_id=None, reason=UnavailableReason.SOLD_OUT, identity_key=key)
        for key in ((await rows(keys_of))[1], "SKU:unknown")
    ]
    async with database.transaction() as conn:
        first = await unavailable.record(conn, sold_out)
        again = await unavailable.record(conn, sold_out)
    assert ([c.availability_before for c in first], again) == (["IN_STOCK"], []), "stated once"
    seen = (
        "SELECT p.sku, s.unavailable_reason FROM source_products p JOIN offer_presence s ON s.source_product_id = p.id"
    )
    assert await rows(f"{seen} ORDER BY 1") == [("A", None), ("B", "sold_out")]
