"""Search finds offers by words, numbers and likeness, and shows consumers what they may see (C-051 … C-053)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.queries import products
from winnow.queries.reading import reader
from winnow.store import resolver

GTIN = "4006381333931"


@pytest.fixture
async def stocked(database: Database) -> int:
    one = await source(database)
    await write(
        database, one,
        offer("t1", title="Alpine dome tent, two persons", brand="Hilleberg", description="Waterproof and light"),
        offer("t2", title="Camping stove", description="Boils water in the alpine cold"),
        offer("t3", title="Cordless drill 18V", brand="Bosch", mpn="GSR18V-55", gtin=GTIN),
    )  # fmt: skip
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    return one


async def found(database: Database, q: str, everything: bool = True, **more: Any) -> list[str]:
    async with reader(database) as conn:
        rows, _ = await products.search(conn, q, everything=everything, **more)
    return [row["sku"] for row in rows]


@pytest.mark.parametrize(
    ("q", "skus"),
    [
        ("tents", ["t1"]),
        ("alpine", ["t1", "t2"]),
        ("bosch drill", ["t3"]),
        ("drill -bosch", []),
        ("cordles drll", ["t3"]),
        (GTIN, ["t3"]),
        ("0" + GTIN, ["t3"]),
        ("GSR18V-55", ["t3"]),
        ("t2", ["t2"]),
        ("zebra", []),
        ("' OR 1=1 --", []),
        ("%%%", []),
        ("\\", []),
        ('"', []),
    ],
)
async def test_words_numbers_and_typing_errors(database: Database, stocked: int, q: str, skus: list[str]) -> None:
    assert (await found(database, q))[: len(skus)] == skus
    if not skus:
        assert await found(database, q) == []


async def test_p092_consumers_find_only_what_they_may_see(database: Database, stocked: int, rows: Any) -> None:
    assert await found(database, "tent", everything=False) == []
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    assert await found(database, "tent", everything=False) == ["t1"]


async def test_hits_are_paged(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, *(offer(f"n{n}", title=f"Tent number {n}") for n in range(7)))
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    seen: list[str] = []
    after: int | None = None
    for _ in range(3):
        async with reader(database) as conn:
            some, following = await products.search(conn, "tent", everything=True, after=after, limit=3)
        seen += [row["sku"] for row in some]
        after = int(following) if following else None
    assert sorted(seen) == [f"n{n}" for n in range(7)]
    assert after is None


async def test_a_changed_name_is_found_by_its_new_words_only(database: Database, stocked: int) -> None:
    await write(database, stocked, offer("t1", title="Yurt"))
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    assert await found(database, "yurt") == ["t1"]
    assert "t1" not in await found(database, "dome")


async def test_a_very_long_text_is_indexed(database: Database) -> None:
    one = await source(database)
    words = " ".join(f"word{n}" for n in range(400_000))
    await write(database, one, offer("long", title="Novel " + "x" * 5000, description=words))
    async with database.transaction() as conn:
        await resolver.run_once(conn)
    assert await found(database, "word17") == ["long"]
