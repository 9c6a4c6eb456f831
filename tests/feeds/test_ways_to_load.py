"""One catalogue, read and loaded in different ways, ends in the same tables (F-063, F-071)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from tests.feeds.shop import FILE, Shop
from winnow.db.engine import Database
from winnow.feeds.load.ids import Ids, register
from winnow.feeds.read import text
from winnow.feeds.read.dialect import Dialect
from winnow.feeds.read.digest import Digests
from winnow.feeds.read.identity import resolve, resolve_all, url_hash, url_hashes
from winnow.feeds.read.memory import Recall
from winnow.feeds.read.records import records
from winnow.feeds.read.text import Text
from winnow.feeds.runs import Job

HEADER = "CatalogItemId,SKU,Name,Url,TrackingUrl,ImageUrl,Manufacturer,Description,Gtin,Price,SalePrice,Currency,Stock"
TABLES = {
    "offers": "SELECT identity_key, title, url, image_url, brand, description, sku, impact_item_id, normalized_url_hash,"
    " attributes, created_by_run_id IS NOT NULL, feed_run_id IS NOT NULL FROM source_products",
    "identifiers": "SELECT o.identity_key, i.type, i.value FROM source_product_identifiers i"
    " JOIN source_products o ON o.id = i.source_product_id",
    "prices": "SELECT o.identity_key, p.amount_minor, p.currency, p.exponent, p.list_price_minor, p.availability,"
    " p.in_stock, p.ingestion_run_type, p.affiliate_feed_run_id IS NOT NULL, p.price_signature_hash, p.observed_at ="
    " p.created_at FROM prices p JOIN source_products o ON o.id = p.source_product_id",
    "latest": "SELECT o.identity_key, l.scraped, l.amount_minor, l.currency, l.exponent, l.list_price_minor,"
    " l.availability, l.in_stock, l.ingestion_run_type, l.price_signature_hash, l.created_at = p.created_at,"
    " l.observed_at = p.observed_at FROM latest_prices l JOIN prices p ON p.id = l.price_id"
    " JOIN source_products o ON o.id = l.source_product_id AND o.id = p.source_product_id",
    "presence": "SELECT o.identity_key, v.in_step, v.last_seen_success_at IS NOT NULL FROM offer_presence v"
    " JOIN source_products o ON o.id = v.source_product_id",
    "seen": "SELECT o.identity_key, s.run_id FROM source_product_seen s JOIN source_products o"
    " ON o.id = s.source_product_id",
    "errors": "SELECT code, row_number, message FROM affiliate_feed_run_errors",
    "runs": "SELECT status, rows_read, rows_parsed, products_upserted, products_rejected, prices_written, error_count,"
    " duplicate_key_count, unknown_stock_count, url_hash_fallback_count, products_expired FROM affiliate_feed_runs"
    " WHERE status <> 'FAILED'",
}


def line(n: int, rng: random.Random) -> str:
    item = "" if n % 41 == 0 else f"id-{n}"
    words = rng.choice(["plain", '"with, comma"', '"a ""quote"""', "50 %d off", "back\\slash", "tab\there"])
    if n % 60 == 0:  # the lines of its block are not a record each
        words = '"two\nlines"'
    tracking = "" if n % 3 else f"https://click.test/{n}?to=%2Fp"
    price = "free" if n % 97 == 0 else f"{rng.randrange(100, 99_999) / 100:.2f}"
    stock = rng.choice(["Y", "N", "in stock", "perhaps"])
    code = "" if n % 5 == 0 else f"{10**11 + n}"
    return (f"{item},s{n},Thing {n},https://Shop.test/p/{n}?utm_source=x,{tracking},https://cdn.test/{n}.jpg,maker,"
            f"{words},{code},{price},,USD,{stock}")  # fmt: skip


def catalogue(seed: int, count: int = 700) -> list[str]:
    rng = random.Random(seed)
    return [line(n, rng) for n in range(1, count + 1)]


async def tables(shop: Shop) -> dict[str, list[tuple[Any, ...]]]:
    return {name: sorted(map(repr, await shop.rows(query))) for name, query in TABLES.items()}  # type: ignore[misc]


async def loads(shop: Shop, files: Sequence[Sequence[str]], chunk_rows: int) -> dict[str, list[tuple[Any, ...]]]:
    shop.means = msgspec.structs.replace(shop.means, chunk_rows=chunk_rows)
    for rows in files:
        (shop.folder / FILE).write_text("\n".join([HEADER, *rows]) + "\n", newline="")
        outcome = await shop.run()
        assert outcome.word == "succeeded", outcome
    return await tables(shop)


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    return made


async def again(shop: Shop) -> Shop:
    """The same shop as if nothing had ever been loaded."""
    async with shop.database.transaction() as conn:
        await conn.execute("ALTER TABLE prices DISABLE TRIGGER USER")
        await conn.execute("ALTER TABLE source_products DISABLE TRIGGER USER")
        for table in ("prices", "latest_prices", "source_product_codes", "source_product_presence",
                      "source_products", "feed_run_seen", "feed_row_memory"):  # fmt: skip
            await conn.execute(f"DELETE FROM {table}")
        await conn.execute("ALTER TABLE prices ENABLE TRIGGER USER")
        await conn.execute("ALTER TABLE source_products ENABLE TRIGGER USER")
        await conn.execute("UPDATE affiliate_feeds SET current_seen_run_id = NULL, promoted_run_id = NULL,"
                           " current_seen_at = NULL, promoted_at = NULL, last_remote_mtime = NULL,"
                           " last_remote_size = NULL, last_content_hash = NULL")  # fmt: skip
        await conn.execute("DELETE FROM affiliate_feed_runs")
        await conn.execute("ALTER SEQUENCE affiliate_feed_runs_id_seq RESTART")
    return shop


async def test_f071_the_size_of_the_chunks_changes_no_table(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    first = catalogue(1)
    changed = [*(other if n % 9 == 0 else same for n, (same, other) in enumerate(zip(first, catalogue(2), strict=True))),
               *catalogue(3, 730)[700:]][25:]  # fmt: skip
    files = [first, [*first, ""], changed, first]
    big = await loads(shop, files, 5_000)
    assert len(big["offers"]) > 500
    small = await loads(await again(shop), files, 37)
    for name in TABLES:
        assert small[name] == big[name], name
    monkeypatch.setattr(text, "BLOCK", 4 << 10)  # many blocks, so that known lines are not even taken apart
    blocks = await loads(await again(shop), files, 37)
    for name in TABLES:
        assert blocks[name] == big[name], name


async def test_f071_ids_with_gaps_are_as_good_as_those_without(shop: Shop) -> None:
    """Others take theirs from the same sequences while a chunk's are taken."""
    files = [catalogue(1), [*catalogue(1), ""]]
    together = await loads(shop, files, 500)
    await again(shop)
    for name in ("source_products", "prices"):
        async with shop.database.transaction() as conn:
            await conn.execute(f"ALTER SEQUENCE {name}_id_seq INCREMENT BY 3")
    apart = await loads(shop, files, 500)
    for name in TABLES:
        assert apart[name] == together[name], name


async def test_f071_a_first_load_and_one_beside_offers_write_the_same(shop: Shop) -> None:
    """The one is copied into the tables, the other compared in the staging table."""
    rows = catalogue(1)
    copied = await loads(shop, [rows], 500)
    await again(shop)
    async with shop.database.transaction() as conn:
        await conn.execute(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url)"
            " VALUES (%s, 'SKU', 'somebody else''s', 'x', 'https://shop.test/x')", (shop.source_id,)
        )  # fmt: skip
    compared = await loads(shop, [rows], 500)
    for name in TABLES:
        assert [row for row in compared[name] if "somebody else" not in str(row)] == copied[name], name


@pytest.mark.parametrize("stays", [True, False])
async def test_f063_an_offer_that_appears_while_a_first_load_copies_is_met_by_comparing(
    shop: Shop, stays: bool
) -> None:
    """Somebody else's transaction has put one of the file's offers into the source and is not over: the copy waits for
    it. If it stays, the attempt gives way and the next one compares; nothing is there twice, and nothing is lost."""
    rows = catalogue(1)
    shop.means = msgspec.structs.replace(shop.means, chunk_rows=100)
    (shop.folder / FILE).write_text("\n".join([HEADER, *rows]) + "\n", newline="")
    async with shop.database.dedicated() as other:
        async with other.transaction() as theirs:
            await other.execute(
                "INSERT INTO source_products (source_id, identity_type, identity_value, title, url)"
                " VALUES (%s, 'IMPACT_ITEM_ID', 'id-333', 'theirs', 'https://shop.test/x')", (shop.source_id,)
            )  # fmt: skip
            attempted = asyncio.create_task(shop.run())
            await _until_blocked(shop, attempted)
            if not stays:
                raise psycopg.Rollback(theirs)
        outcome = await attempted
    if stays:
        assert (outcome.word, outcome.error) == ("retry", "offers of this source appeared while it was loaded")
        assert outcome.run_id is not None
        job = Job(feed_id=shop.feed_id, run_id=outcome.run_id)
        outcome = await shop.run(job=job, number=2)
    assert outcome.word == "succeeded"
    raced = await tables(shop)
    undisturbed = await loads(await again(shop), [rows], 100)
    for name in TABLES:
        assert [line for line in raced[name] if "id-333" not in line] == [
            line for line in undisturbed[name] if "id-333" not in line
        ], name  # that one was not made by the run
        assert len(raced[name]) == len(undisturbed[name]), name


async def _until_blocked(shop: Shop, attempted: asyncio.Task[Any]) -> None:
    """A copy of the load waits for somebody else's transaction."""
    query = ("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
             " AND starts_with(query, 'COPY source_products')")  # fmt: skip
    while await shop.value(query) == 0:
        assert not attempted.done(), attempted.result()
        await asyncio.sleep(0.02)


def test_records_a_memory_knows_by_their_line_change_nothing_for_the_others() -> None:
    """Whatever of a block is known, the rest is read as without a memory."""
    rng = random.Random(7)
    cells = ["a", '"b,c"', '"d""e"', "f", "", '"g\nh"', '5" pipe']
    for _ in range(300):
        lines = [",".join(rng.choices(cells, k=3)) + "\n" for _ in range(rng.randrange(1, 12))]
        block, dialect = Text("".join(lines)), Dialect(",")
        plain = next(records([block], dialect, 3))
        learnt = Recall()
        for found in records([block], dialect, 3, memory=learnt):
            for key, _row in zip(found.digests or [], found.rows, strict=False):
                if rng.random() < 0.5:
                    learnt.entries[key] = bytes(24)
        known = next(records([block], dialect, 3, memory=learnt))
        places = [place for place, _ in known.known]
        if known.places is None:
            assert known.rows == plain.rows
            continue
        rows = dict(zip(known.places, known.rows, strict=True))
        whole = dict(zip((n - plain.first_line for n in plain.all_lines()), plain.rows, strict=True))
        assert rows == {place: row for place, row in whole.items() if place not in places}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("lines", [["a,b"], ["a,b", "c,d"], ["a,b", "", "é,\udce9", ""]])
def test_a_line_is_remembered_by_what_it_says_and_not_by_how_it_ends(lines: list[str], end: str) -> None:
    of_lines = Digests(seed=7).of_lines
    one_by_one = [found for line in lines for found in of_lines([line])]
    assert of_lines(lines) == of_lines([line + end for line in lines]) == one_by_one
    assert len(set(one_by_one)) == len(set(lines))
    assert set(one_by_one).isdisjoint(Digests(seed=8).of_lines(lines)), "nobody can tell without the seed"


def test_f040_addresses_hashed_together_are_hashed_as_one_by_one() -> None:
    same = [f"https://Shop.test/p/{n}/" for n in range(5)]
    bare = [url.rstrip("/") for url in same]
    for urls in (bare, [*bare, *same], [*bare, "https://Shop.test/to/https://Shop.test/x"],
                 [*bare, "https://Shop.test.uk/x"], ["https://Shop.test", *bare], same, [*same, "http://other.test/P"],
                 [*same, "https://shop.test"], [*same, "https://shop.test?a=1"], [*same, "https://shop.test/x#y"],
                 ["//shop.test/a", "nothing"], []):  # fmt: skip
        for lowercase in (False, True):
            expected = [url_hash(url, lowercase_path=lowercase) for url in urls]
            assert url_hashes(urls, lowercase_path=lowercase) == expected
    assert url_hashes(["https://Shop.test/p/1/"]) == [sha256(b"shop.test/p/1").hexdigest()]


@pytest.mark.parametrize("kinds", [("SKU", "SKU", "SKU"), ("SKU", "URL_HASH", "SKU")])
@pytest.mark.parametrize("values", [("a", "b", "é"), ("a\nSKU:b", "b", "c"), ("", "a:b", "%d")])
def test_f038_identities_digested_together_are_those_digested_alone(
    kinds: tuple[str, ...], values: tuple[str, ...]
) -> None:
    of_identities = Digests(seed=7).of_identities
    alone = [of_identities([kind], [value])[0] for kind, value in zip(kinds, values, strict=True)]
    assert of_identities(kinds, values) == alone
    assert len(set(alone)) == 3


@pytest.mark.parametrize("item_ids", [("a", "b"), ("a", None), ("a", "x" * 256), (None, None), ("", "b")])
def test_f038_identities_of_columns_are_those_of_rows(item_ids: tuple[str | None, ...]) -> None:
    skus, hashed = ("s", None), ("h1", "h2")
    assert [*zip(*resolve_all(item_ids, skus, hashed), strict=True)] == [*map(resolve, item_ids, skus, hashed)]


async def test_ids_travel_as_an_array(database: Database) -> None:
    numbers = (1, 2**40, 2**62, 7)
    packed = b"".join(b"??" + n.to_bytes(8, "big") for n in numbers)
    ids = Ids.within(packed, 2, 10)
    assert ids.numbers() == numbers
    async with database.connection() as conn:
        register(conn)
        row = await (await conn.execute("SELECT %b::bigint[], %b::bigint[]", (ids, Ids(b"")))).fetchone()
    assert row == (list(numbers), [])
