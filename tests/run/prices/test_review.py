"""What is held waits for a person; what they accept is stored like anything a worker accepts (P-014, P-067, P-078)."""

from __future__ import annotations

import asyncio

import pytest

from tests.run.scripted_site import Site, product
from winnow.actions import quarantine
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.normalise.record import Money

PRICES = "SELECT amount_minor, currency, ingestion_run_type, task_id IS NOT NULL FROM prices ORDER BY id"
ENTRY = "SELECT resolution, resolved_by, note FROM quarantine ORDER BY id"
AUDIT = "SELECT actor, action, reason FROM audit_log WHERE object_type = 'quarantine' ORDER BY id"


@pytest.fixture
def visited(site: Site, watch, start, work):
    source: list[int] = []

    async def visit(*prices: str) -> int:
        for price in prices:
            url = site.says("/p", product(price=price, sku="1"))
            if not source:
                source.append(await watch([url]))
            await start(source[0])
            await work()
        return source[0]

    return visit


@pytest.fixture
def accept(database):
    async def call(entry: int = 1, **more) -> None:
        async with database.transaction() as conn:
            await quarantine.accept(conn, "anna", entry, **more)

    return call


async def test_p067_an_accepted_entry_is_stored_with_the_name_of_who_accepted_it(visited, accept, rows):
    await visited("100.00", "30.00")
    await accept(note="a real sale")
    assert await rows(PRICES) == [(10_000, "USD", "SCRAPE", True), (3_000, "USD", "SCRAPE", True)]
    assert await rows(ENTRY) == [("accept", "anna", "a real sale")]
    assert await rows(AUDIT) == [("anna", "quarantine.accepted", "a real sale")]
    record = "SELECT status, provenance ->> 'reviewed_by', verdict FROM records ORDER BY id DESC LIMIT 1"
    assert await rows(record) == [("persisted", "anna", "hold")]
    assert await rows("SELECT amount_minor FROM latest_prices") == [3_000]
    changed = "SELECT (payload #>> '{after,minor}')::int FROM outbox WHERE topic = 'price.changed' ORDER BY id"
    assert await rows(changed) == [10_000, 3_000]
    assert await rows("SELECT last_verdict FROM scrape_targets") == ["accept"]
    await visited("30.00")
    assert await rows("SELECT last_status FROM scrape_targets") == ["unchanged"], "accepted is accepted"


async def test_accepting_twice_is_refused_and_names_who_was_first(visited, accept, rows, database):
    await visited("100.00", "30.00")
    await accept()
    with pytest.raises(Conflict, match="accepted already, by anna") as told:
        await accept()
    assert told.value.existing == "accept"
    async with database.transaction() as conn:
        with pytest.raises(Conflict):
            await quarantine.reject(conn, "ben", 1)
    assert len(await rows(PRICES)) == 2


async def test_two_people_at_once_cannot_both_accept(visited, accept, rows):
    await visited("100.00", "30.00")
    done = await asyncio.gather(*(accept() for _ in range(4)), return_exceptions=True)
    assert sorted(type(d).__name__ for d in done) == ["Conflict", "Conflict", "Conflict", "NoneType"]
    assert len(await rows(PRICES)) == 2


async def test_a_rejected_entry_stays_and_nothing_is_stored(visited, rows, database):
    await visited("100.00", "30.00")
    async with database.transaction() as conn:
        await quarantine.reject(conn, "anna", 1, note="price of one sock")
    assert await rows(ENTRY) == [("reject", "anna", "price of one sock")]
    assert len(await rows(PRICES)) == 1
    assert await rows("SELECT payload #>> '{price,minor}' FROM quarantine") == ["3000"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("DELETE FROM scrape_targets", "was removed"),
        ("UPDATE scrape_targets SET canonical_url = 'https://x.example/other'", "another page now"),
    ],
)
async def test_an_entry_whose_target_changed_is_refused_and_stays_open(change, says, visited, accept, rows):
    await visited("100.00", "30.00")
    await rows(change)
    with pytest.raises(Conflict, match=says):
        await accept()
    assert await rows(ENTRY) == [(None, None, None)]
    assert len(await rows(PRICES)) == 1


async def test_an_entry_older_than_the_accepted_price_is_refused(visited, accept, rows):
    """Somebody else's page of the same offer was accepted since."""
    await visited("100.00", "30.00")
    await rows("UPDATE quarantine SET created_at = now() - interval '1 day'")
    with pytest.raises(Conflict, match="newer price"):
        await accept()


async def test_p034_a_zero_price_is_accepted_only_with_the_right_price(visited, accept, rows):
    await visited("0.00")
    with pytest.raises(InvalidInput, match="give the right price"):
        await accept()
    assert await rows("SELECT count(*)::int FROM source_products") == [0], "a refused one leaves nothing behind"
    await accept(price=Money(1_299, "USD"))
    assert await rows(PRICES) == [(1_299, "USD", "SCRAPE", True)]
    assert await rows(ENTRY) == [("corrected", "anna", None)]
    assert await rows("SELECT payload #>> '{price,minor}' FROM quarantine") == ["0"], "what was read stays as it was"


async def test_p033_a_price_out_of_bounds_cannot_be_given_either(visited, accept):
    await visited("0.00")
    for wrong in (Money(0, "USD"), Money(-5, "USD"), Money(100_000_000, "USD")):
        with pytest.raises(InvalidInput):
            await accept(price=wrong)


async def test_there_is_no_such_entry(accept):
    with pytest.raises(NotFound):
        await accept(99)


async def test_many_are_decided_each_for_itself(site: Site, watch, start, work, rows, database):
    prices = ["0.00", "10.00", "20.00"]
    urls = [site.says(f"/{n}", product(price="200.00" if n else "0.00", sku=str(n))) for n in range(3)]
    source = await watch(urls)
    await start(source)
    await work()
    for n, price in enumerate(prices):
        site.says(f"/{n}", product(price=price, sku=str(n)))
    await start(source)
    await work()
    open_ids = await rows("SELECT id FROM quarantine WHERE resolved_at IS NULL ORDER BY id")
    assert len(open_ids) == 3

    async def decide(conn, entry):
        await quarantine.accept(conn, "anna", entry)

    done = await quarantine.decide_each(database, [*open_ids, 999, open_ids[0]], decide)
    assert len(done.done) == 2
    assert sorted(r.code for r in done.refused) == ["invalid", "not_found"]
    assert sorted(row[0] for row in await rows(PRICES)) == [1_000, 2_000, 20_000, 20_000]


async def test_p067_a_held_product_is_stored_like_an_offer(visited, accept, rows):
    await visited("100.00", "30.00")
    await rows("UPDATE quarantine SET kind = 'product'")
    await accept()
    assert await rows("SELECT amount_minor FROM latest_prices") == [3_000]


async def test_p067_a_kind_nobody_registered_is_refused_by_name_and_can_be_rejected(visited, accept, rows, database):
    await visited("100.00", "30.00")
    await rows("UPDATE quarantine SET kind = 'spaceship'")
    with pytest.raises(InvalidInput, match="held as spaceship"):
        await accept()
    async with database.transaction() as conn:
        await quarantine.reject(conn, "anna", 1)
    assert [resolution for resolution, *_ in await rows(ENTRY)] == ["reject"]


async def test_p009_stock_that_page_and_data_disagree_about_is_taken_as_read_by_whoever_accepts_it(
    site, watch, start, work, accept, rows
):
    body = product().replace("</h1>", '</h1><p class="price">$19.99</p><p class="stock">Currently unavailable</p>')
    await start(await watch([site.says("/p", body)]))
    await work()
    assert await rows("SELECT reason FROM quarantine") == ["VALIDATION_FAILED"]
    await accept(note="looked at it")
    assert await rows("SELECT amount_minor FROM latest_prices") == [1_999]
