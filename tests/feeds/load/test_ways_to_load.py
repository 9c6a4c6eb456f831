"""One catalogue, read and loaded in different ways, ends in the same tables (F-063, F-071)."""

from __future__ import annotations

import asyncio
import random
from hashlib import sha256
from typing import Any

import msgspec
import psycopg
import pytest

from tests.feeds.load.same_tables import HEADER, TABLES, again, catalogue, loads, tables
from tests.feeds.shop import FILE, Shop
from winnow.db.engine import Database
from winnow.feeds.load.ids import IdArray, register
from winnow.feeds.read import text
from winnow.feeds.read.csv.dialect import Dialect
from winnow.feeds.read.csv.records import records
from winnow.feeds.read.digest import Digests
from winnow.feeds.read.identity import resolve, resolve_all, url_hash, url_hashes
from winnow.feeds.read.memory import Recall
from winnow.feeds.read.text import Text
from winnow.feeds.runs import FeedJob


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
        job = FeedJob(feed_id=shop.feed_id, run_id=outcome.run_id)
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
    ids = IdArray.within(packed, 2, 10)
    assert ids.numbers() == numbers
    async with database.connection() as conn:
        register(conn)
        row = await (await conn.execute("SELECT %b::bigint[], %b::bigint[]", (ids, IdArray(b"")))).fetchone()
    assert row == (list(numbers), [])
