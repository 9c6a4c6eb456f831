"""Offers are linked to canonical products by GTIN, then brand and part number, never by likeness (P-004, DESIGN §7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.normalise.gtin import check_digit
from winnow.store import resolver
from winnow.store.identity_of_product import (
    CanonicalProduct,
    Catalogue,
    IdentityConflict,
    Offered,
    ProductLink,
    key_of,
    part_of,
    resolve,
)

A, B = ("0" + p + check_digit("0" + p) for p in ("400638133393", "501234567890"))
LINKS = """
SELECT o.sku, l.product_id, l.method
FROM product_links l JOIN source_products o ON o.id = l.source_product_id ORDER BY 1
"""


def offered(n: int = 1, *gtins: str, **more: Any) -> Offered:
    return Offered(id=n, title=f"thing {n}", gtins=list(gtins), **more)


async def run(database: Database) -> resolver.Resolved:
    async with database.transaction() as conn:
        return await resolver.run_once(conn)


async def test_p004_p079_offers_with_one_gtin_become_one_product(database: Database, rows: Any) -> None:
    one, two = await source(database, "one"), await source(database, "two")
    await write(database, one, offer("a", gtin=A, brand="Bosch"), offer("b", gtin=B))
    await write(database, two, offer("c", gtin=A[1:], brand="BOSCH"), offer("d"))
    assert await rows("SELECT count(*) FROM source_products WHERE resolve_requested_at IS NOT NULL") == [4], "P-079"
    done = await run(database)
    assert (done.taken, done.made, done.linked, done.conflicts) == (4, 2, 3, 0)
    (a, b, c) = await rows(LINKS)
    assert a[1] == c[1] != b[1]
    assert {a[2], b[2], c[2]} == {"gtin"}
    assert await rows("SELECT count(*) FROM source_products WHERE resolve_requested_at IS NOT NULL") == [0]
    assert (await run(database)).taken == 0


async def test_brand_and_part_number_link_where_no_gtin_does(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", brand="Bosch", mpn="GSR 18V-55"), offer("b", brand="BOSCH", mpn="gsr18v55"),
                offer("c", brand="Makita", mpn="GSR18V55"))  # fmt: skip
    await run(database)
    (a, b, c) = await rows(LINKS)
    assert a[1] == b[1] != c[1]
    assert a[2] == "brand_mpn"


async def test_a_product_known_by_its_part_number_gets_its_gtin(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", brand="Bosch", mpn="GSR18V"))
    await run(database)
    await write(database, one, offer("b", brand="Bosch", mpn="GSR-18V", gtin=A))
    await run(database)
    assert await rows("SELECT gtin, mpn FROM products") == [(A, "GSR18V")]
    assert {row[1] for row in await rows(LINKS)} == set(await rows("SELECT id FROM products"))


async def test_ambiguity_is_held_and_a_person_links_it(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(
        database, one, offer("a", brand="Bosch", mpn="GSR18V", gtin=A), offer("b", brand="Bosch", mpn="GSR18V", gtin=B)
    )
    await write(database, one, offer("c", brand="Bosch", mpn="GSR18V"))
    assert (await run(database)).conflicts == 1
    ((offer_id, reason, candidates),) = await rows(
        "SELECT source_product_id, reason, candidates FROM product_conflicts"
    )
    assert (reason, len(candidates)) == ("several_products", 2)
    async with database.transaction() as conn:
        await resolver.link(conn, offer_id, candidates[0], "ada", "looked at it")
    assert await rows("SELECT count(*) FROM product_conflicts") == [0]
    await rows("UPDATE source_products SET resolve_requested_at = now()")
    assert (await run(database)).conflicts == 0
    assert await rows("SELECT method, linked_by FROM product_links WHERE source_product_id = %s", offer_id) == [
        ("manual", "ada")
    ]
    async with database.transaction() as conn:
        await resolver.unlink(conn, offer_id)
    assert (await run(database)).conflicts == 1


async def test_an_offer_that_states_another_gtin_than_before_is_held(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", gtin=A))
    await run(database)
    await write(database, one, offer("a", gtin=B))
    await run(database)
    assert await rows("SELECT reason FROM product_conflicts") == ["several_gtins"]
    assert len(await rows(LINKS)) == 1, "what was known stays"


@pytest.mark.parametrize(
    ("trusted", "brand", "linked"), [(False, "Makita", False), (True, "Makita", True), (False, None, True)]
)
def test_p094_a_gtin_that_is_not_trusted_must_not_contradict_the_brand(
    trusted: bool, brand: str | None, linked: bool
) -> None:
    known = Catalogue([CanonicalProduct(id=7, name="x", gtin=A, brand="Bosch")])
    found = resolve(offered(1, A, brand=brand, trusted=trusted), known)
    assert isinstance(found, ProductLink) is linked
    if not linked:
        assert isinstance(found, IdentityConflict)
        assert (found.reason, [p.id for p in found.candidates]) == ("brand_differs", [7])


@pytest.mark.parametrize("gtin", ["2000000000008", "0212345678905", "00000000", "4006381333932", "abc", ""])
def test_numbers_that_mean_nothing_outside_one_shop_link_nothing(gtin: str) -> None:
    assert resolve(offered(1, gtin), Catalogue()) is None


@pytest.mark.parametrize(
    ("brand", "mpn"),
    [("Generic", "A100"), ("Bosch", "N/A"), ("Bosch", "XL"), ("", "A100"), ("Bosch", None), ("!!", "A100")],
)
def test_empty_words_are_no_part_number(brand: str, mpn: str | None) -> None:
    assert part_of(offered(1, brand=brand, mpn=mpn)) is None


def test_letters_of_every_script_stay_what_they_are() -> None:
    assert key_of("Ça") != key_of("Ca")
    assert key_of("日本") != key_of("中国")
    assert key_of(" GSR-18 V.55 ") == "gsr18v55"
    assert key_of("—") is None


async def test_a_later_part_of_the_batch_sees_what_an_earlier_one_made(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, *(offer(str(n), brand="Bosch", mpn="GSR18V") for n in range(20)))
    done = await run(database)
    assert (done.made, done.linked) == (1, 20)


async def test_two_resolvers_at_once_make_one_product(database: Database, rows: Any) -> None:
    one = await source(database)
    await write(database, one, offer("a", gtin=A), offer("b", gtin=A))
    async with database.transaction() as first, database.transaction() as second:
        assert (await resolver.run_once(first, 1)).taken == 1
        assert (await resolver.run_once(second, 1)).taken == 0
    await run(database)
    assert await rows("SELECT count(*) FROM products") == [1]


async def test_a_price_alone_does_not_bother_the_resolver(database: Database) -> None:
    one = await source(database)
    await write(database, one, offer("a", gtin=A))
    await run(database)
    await write(database, one, offer("a", 2500, gtin=A))
    assert (await run(database)).taken == 0


async def test_f139_an_offers_own_link_proves_nothing_and_a_product_goes_with_its_last_offer(
    database: Database, rows: Any
) -> None:
    one = await source(database)
    await write(database, one, offer("a", gtin=A))
    await run(database)
    assert len(await rows(LINKS)) == 1
    await rows("UPDATE source_products SET title = 'Hammer drill', resolve_requested_at = now() RETURNING 1")
    await run(database)
    assert await rows("SELECT name FROM products") == ["Hammer drill"]
    await rows("DELETE FROM source_product_codes RETURNING 1")
    await rows("UPDATE source_products SET gtin = NULL, resolve_requested_at = now() RETURNING 1")
    await run(database)
    assert await rows(LINKS) == []
    assert await rows("SELECT id FROM products") == []
