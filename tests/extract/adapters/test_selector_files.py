"""A site as a TOML file: what can be said in one, and that a broken one gives a sentence (P-056)."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.kinds.reading import facts_of
from winnow.errors import ConfigError, InvalidInput, NotFound
from winnow.extract.adapter import Context
from winnow.extract.adapters.selectors import load_adapter, parse_adapter
from winnow.extract.adapters.tiers import price_of_one
from winnow.extract.draft import Failure, Reason
from winnow.extract.page import Page
from winnow.kinds.adapters import choose, registry

NOW = datetime(2026, 1, 1, tzinfo=UTC)
URL = "https://shop.example/p/1"
CONTEXT = Context(source_id="1", retailer_id="1", run_id="1", target_id="1", url=URL, now=NOW)
FILE = """
id = "shop"
version = "1.0.0"
domain = "shop.example"
currency = "USD"
root = "main"
[fields]
title = "h1"
price = [".price ins", ".price"]
availability = { css = ".buy", attribute = "class", map = { yes = "InStock", no = "OutOfStock" } }
sku = { css = ".meta", pattern = 'Item: (\\S+)' }
image = { css = "img", attribute = "src" }
"""
PAGE = """<html><body><p class="price">$1.00</p><main><h1>Tent</h1><p class="price">$19.99</p>
<div class="buy yes big"></div><p class="meta">Item: T-1 blue</p><img src="/t.jpg"></main></body></html>"""


def read(page: str = PAGE, file: str = FILE) -> dict[str, str]:
    adapter = parse_adapter(file, Path("shop/live.toml"))
    return facts_of(Page(URL, page.encode(), NOW), adapter, CONTEXT)


def test_selectors_attributes_patterns_and_maps():
    assert read() == {
        "title": "Tent", "price": "19.99 USD", "availability": "IN_STOCK", "identity": "SKU:T-1", "sku": "T-1",
        "image_url": "https://shop.example/t.jpg", "verdict": "accept",
    }  # fmt: skip


def test_what_is_outside_the_root_is_another_products():
    assert read(PAGE.replace("$19.99", ""))["reason"] == "PRICE_NOT_FOUND"


def test_the_first_selector_that_matches_decides():
    sale = PAGE.replace("$19.99", "<del>$30.00</del> <ins>$15.00</ins>")
    assert read(sale)["price"] == "15.00 USD"


def test_p029_matches_that_disagree_are_held():
    two = PAGE.replace('<div class="buy', '<p class="price">$21.00</p><div class="buy')
    assert (read(two)["verdict"], read(two)["reason"]) == ("hold", "AMBIGUOUS_PRICE")


def test_p030_out_of_stock_without_a_price():
    assert read(PAGE.replace("$19.99", "").replace("buy yes", "buy no"))["reason"] == "OOS_NO_PRICE"


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("", Reason.EMPTY_PAGE),
        (
            "<html><title>Access denied</title><body>Access denied, reference 12345678</body></html>",
            Reason.BLOCKED_PAGE,
        ),
        (
            "<html><body><div>We have a new shop, come in and look around</div></body></html>",
            Reason.PAGE_STRUCTURE_CHANGED,
        ),
        (PAGE.replace("h1", "h2"), Reason.TITLE_NOT_FOUND),
    ],
)
def test_p010_a_page_that_gives_nothing_says_why(body: str, reason: Reason):
    adapter = parse_adapter(FILE, Path("shop/live.toml"))
    found = adapter.extract(Page(URL, body.encode(), NOW), CONTEXT)
    assert isinstance(found, Failure)
    assert found.reason is reason


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (("id = ", "id == "), "live.toml"),
        (("[fields]", "[field]"), "field"),
        (('version = "1.0.0"', "version = 1"), "version"),
        (('domain = "shop.example"', 'domain = "https://shop.example/"'), "is not a domain"),
        (('domain = "shop.example"\n', ""), "domain"),
        (('title = "h1"', 'title = "h1 >"'), "is not a CSS selector"),
        (('title = "h1"\n', ""), "needs 'title'"),
        (('title = "h1"', 'titel = "h1"\ntitle = "h1"'), "no field 'titel'"),
        (('title = "h1"', "title = []"), "no selector"),
        (('title = "h1"', "title = 7"), "title"),
        (("'Item: (\\S+)'", "'Item: ('"), "pattern"),
        (('root = "main"', 'root = "main["'), "root"),
        (('currency = "USD"', 'currency = "dollars"'), "ISO code"),
        (('attribute = "src"', 'atribute = "src"'), "image"),
        (('id = "shop"', 'id = "Shop!"'), "id"),
        (("[fields]", "[tiers]\nrows = 'tr'\n[fields]"), "tiers"),
    ],
)
def test_a_broken_file_gives_a_sentence_that_names_it(change: tuple[str, str], says: str):
    assert change[0] in FILE
    with pytest.raises(ConfigError) as told:
        parse_adapter(FILE.replace(*change), Path("/x/shop/live.toml"))
    sentence = str(told.value)
    assert sentence.startswith("/x/shop/live.toml: ")
    assert says in sentence
    assert "\n" not in sentence


def test_a_file_that_is_not_there_or_not_text(tmp_path: Path):
    with pytest.raises(ConfigError, match="there is no adapter file"):
        load_adapter(tmp_path / "x.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="UTF-8"):
        load_adapter(tmp_path / "b.toml")
    with pytest.raises(ConfigError, match="cannot be read"):
        load_adapter(tmp_path)


@pytest.mark.parametrize(
    ("tiers", "price"),
    [
        ([("1-4", "$25"), ("5-9", "$24"), ("10+", "$23")], "$25"),
        ([("1 to 4", "$25"), ("5+", "$24")], "$25"),
        ([("Buy 1", "$25"), ("Buy 10", "$20")], "$25"),
        ([("1+", "$25")], "$25"),
        ([("10-19", "$20"), ("1-9", "$25")], "$25"),
        ([("5-9", "$24"), ("10+", "$23")], None),
        ([("5-9", "$24.00"), ("10+", "$24.00")], "$24.00"),
        ([("1,000", "$9"), ("100", "$10")], None),
        ([("1-4", "$25"), ("1-9", "$24")], None),
        ([], None),
    ],
)
def test_p028_the_price_of_one(tiers: list[tuple[str, str]], price: str | None):
    assert price_of_one(tiers) == price


# the folder of an operator


def site(folder: Path, name: str = "shop", file: str = FILE, as_: str = "live.toml") -> Path:
    (folder / name).mkdir(exist_ok=True, parents=True)
    (folder / name / as_).write_text(file)
    return folder


def test_c057_the_adapters_of_a_folder_are_registered_with_their_candidates(tmp_path: Path):
    site(tmp_path)
    site(tmp_path, file=FILE.replace("1.0.0", "1.9.0"), as_="old.toml")
    site(tmp_path, file=FILE.replace("1.0.0", "1.10.0"), as_="next.toml")
    known = registry(tmp_path)
    assert known.get("shop").version == "1.0.0"
    assert known.candidates("shop") == ["1.9.0", "1.10.0"]
    assert choose(known, "shop", "new").version == "1.10.0"
    assert choose(known, "shop", "1.9.0").version == "1.9.0"
    assert choose(known, str(tmp_path / "shop")).version == "1.0.0"
    with pytest.raises(InvalidInput, match=r"known: 1\.0\.0, 1\.9\.0, 1\.10\.0"):
        choose(known, "shop", "3.0.0")
    with pytest.raises(NotFound, match="there is no adapter 'x'"):
        choose(known, "x")


def reasons(folder: Path) -> str:
    return "; ".join(broken.reason for broken in registry(folder).broken)


def test_p055_the_second_of_two_adapters_for_one_domain_is_refused(tmp_path: Path):
    site(tmp_path)
    site(tmp_path, "other", FILE.replace('id = "shop"', 'id = "other"'))
    known = registry(tmp_path)
    assert "shop.example has the adapter other already" in (known.broken_reason("shop") or "")
    assert known.get("other") is not None
    assert known.broken_for_domain("shop.example") is None, "the first one reads it"


def test_p055_the_id_of_a_shipped_adapter_cannot_be_taken(tmp_path: Path):
    site(tmp_path, file=FILE.replace('id = "shop"', 'id = "sgammo"'))
    assert "sgammo is registered already" in reasons(tmp_path)
    assert registry(tmp_path).broken_reason("sgammo") is None, "the shipped one works"


@pytest.mark.parametrize(
    "wrong",
    [
        "id = \n", FILE.replace("1.0.0", "one"), FILE.replace("[fields]", "[felds]"), "\x00", "x = " + "9" * 5_000,
        "x = " + "[" * 5_000, FILE.replace('"shop.example"', "1979-05-27"),
    ],
)  # fmt: skip
def test_one_broken_file_stops_its_own_site_only(tmp_path: Path, wrong: str):
    site(tmp_path, file=wrong)
    site(tmp_path, "other", FILE.replace('id = "shop"', 'id = "other"').replace("shop.example", "other.example"))
    known = registry(tmp_path)
    assert known.get("shop") is None
    assert str(tmp_path / "shop") in (known.broken_reason("shop") or "")
    assert known.get("other") is not None
    with pytest.raises(InvalidInput, match="cannot be used"):
        choose(known, "shop")


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/nowhere", path)])
def test_what_is_no_file_stops_its_own_site_only(tmp_path: Path, make: Callable[[Path], object]):
    """Reading a pipe would wait for ever, and every process with it."""
    site(tmp_path, "other", FILE.replace('id = "shop"', 'id = "other"').replace("shop.example", "other.example"))
    (tmp_path / "shop").mkdir()
    make(tmp_path / "shop" / "live.toml")
    known = registry(tmp_path)
    assert str(tmp_path / "shop") in (known.broken_reason("shop") or "")
    assert known.get("other") is not None


def test_a_file_outside_the_folders_of_sites_is_named_and_stops_its_site(tmp_path: Path):
    (tmp_path / "shop.toml").write_text(FILE)
    known = registry(tmp_path)
    assert known.get("shop") is None
    assert f"move it to {tmp_path / 'shop' / 'live.toml'}" in (known.broken_reason("shop") or "")
    assert known.broken_for_domain("shop.example") is not None


def test_nothing_else_reads_a_site_whose_adapter_is_broken(tmp_path: Path):
    site(tmp_path, file=FILE.replace("1.0.0", "one"))
    known = registry(tmp_path)
    broken = known.broken_for_domain("Shop.Example")
    assert broken is not None
    assert broken.id == "shop"


def test_a_folder_that_is_wrong_is_refused(tmp_path: Path):
    with pytest.raises(ConfigError, match="there is no folder"):
        registry(tmp_path / "nowhere")
    site(tmp_path, as_="next.toml")
    assert "has no live.toml" in reasons(tmp_path)
    site(tmp_path)
    assert "a version other than" in reasons(tmp_path)
    assert registry(tmp_path).get("shop") is not None, "a broken candidate leaves the live one alone"
