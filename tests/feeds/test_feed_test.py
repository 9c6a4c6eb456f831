"""What a test of a feed tells (F-107): the first rows, what is wrong with them, and what is wrong with a short file."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.feeds.shop import FILE, HEADER, Shop, row
from winnow.feeds import testing
from winnow.feeds.failures import Transient

XML = '<?xml version="1.0"?>\n<products>{}'
ITEM = "<product><id>{n}</id><name>Thing</name><link>https://shop.test/{n}</link><price>9.00</price></product>\n"


async def told_of(shop: Shop, text: str) -> testing.TestResult:
    (shop.folder / FILE).write_text(text)
    return await testing.test(shop.means, shop.feed_id)


async def test_f107_a_short_file_that_was_cut_is_no_success(shop: Shop) -> None:
    items = "".join(ITEM.format(n=n) for n in range(1, 4))
    whole = await told_of(shop, XML.format(items + "</products>"))
    assert (whole.success, whole.rows_detected, whole.error) == (True, 3, None)
    cut = await told_of(shop, XML.format(items))
    assert (cut.success, cut.rows_detected, cut.error_code) == (False, 3, "TRUNCATED")
    assert cut.error
    assert cut.hint


async def test_f107_of_a_long_file_only_the_beginning_is_read(shop: Shop) -> None:
    items = "".join(ITEM.format(n=n) for n in range(5_000))
    told = await told_of(shop, XML.format(items))  # cut, far behind what is looked at
    assert (told.success, told.rows_detected, len(told.rows)) == (True, 100, 10)


async def test_f107_bad_rows_and_no_rows_are_told(shop: Shop) -> None:
    bad = await told_of(shop, "\n".join([HEADER, row(1), row(2, price="call"), row(3)]))
    assert (bad.success, len(bad.rows)) == (False, 2)
    assert [(error["row_number"], error["code"]) for error in bad.errors] == [(2, "INVALID_PRICE")]
    none = await told_of(shop, HEADER + "\n")
    assert (none.success, none.error) == (False, "there are no rows below the header")


@pytest.mark.parametrize(
    ("header", "rows", "warned"),
    [
        (HEADER, [row(1), row(2)], {}),
        (
            "SKU,Name,Url,Price,Stock",
            ["a,Thing,https://shop.test/a,10.00,yes", "b,Thing,https://shop.test/b,11.00 EUR,yes"],
            {"ASSUMED_CURRENCY": "1 of 2 rows name no currency: USD is assumed"},
        ),
        (
            "Name,Url,Price,Currency,Stock",
            ["Thing,https://shop.test/a,10.00,USD,yes"],
            {"NO_ID_COLUMN": "offers are told apart by their addresses"},
        ),
        (
            "SKU,Name,Url,Price,Currency",
            ["a,Thing,https://shop.test/a,10.00,USD", "b,Thing,https://shop.test/b,10.00,USD"],
            {"UNKNOWN_STOCK": "the stock of 2 of 2 rows is not known (no column)"},
        ),
        (
            "SKU,Name,Url,Price,Currency,Availability",
            ["a,Thing,https://shop.test/a,10.00,USD,yes", "b,Thing,https://shop.test/b,10.00,USD,perhaps"],
            {"UNKNOWN_STOCK": "the stock of 1 of 2 rows is not known (Availability)"},
        ),
        (
            "Name,Url,Price",
            ["Thing,https://shop.test/a,10.00"],
            {"ASSUMED_CURRENCY": "1 of 1", "NO_ID_COLUMN": "no column holds an id", "UNKNOWN_STOCK": "1 of 1"},
        ),
    ],
    ids=["nothing", "a currency", "an id", "no stock column", "a word for stock", "all"],
)
async def test_f107_what_is_assumed_of_a_whole_file_is_warned_of(
    shop: Shop, header: str, rows: list[str], warned: dict[str, str]
) -> None:
    found = await told_of(shop, "\n".join([header, *rows]))
    whole = {one["code"]: one["message"] for one in found.warnings if one["row_number"] is None}
    assert set(whole) == set(warned)
    assert all(text in whole[code] for code, text in warned.items())
    if "UNKNOWN_STOCK" in warned:
        assert all(one["in_stock"] for one in found.rows), "as the warning says"


async def test_f107_a_test_that_breaks_off_leaves_nothing_behind(shop: Shop) -> None:
    async def broken(_: object, __: object, path: Path) -> None:
        path.with_name(path.name + ".part").write_bytes(b"half a file")
        raise Transient("the connection was closed", code="ECONNRESET")

    shop.means = msgspec.structs.replace(shop.means, download=broken)
    told = await testing.test(shop.means, shop.feed_id)
    assert (told.success, told.error_code) == (False, "ECONNRESET")
    assert list(shop.means.folder.iterdir()) == []
