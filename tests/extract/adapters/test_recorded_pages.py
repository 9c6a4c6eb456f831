"""The shipped adapters on their recorded pages: without a network, and every field as it was frozen (P-104 … P-106)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kinds.reading import facts_of
from winnow.extract.adapter import Context
from winnow.extract.page import Page
from winnow.kinds import recorded
from winnow.kinds.adapters import home_of, registry

REGISTRY = registry()
SITES = ["sgammo", "bulk-depot", "northlight", "amazon"]
CASES = [(site, folder) for site in SITES for folder in recorded.cases(home_of(REGISTRY.get(site)))]


@pytest.mark.parametrize(("site", "folder"), CASES, ids=lambda v: v.name if isinstance(v, Path) else v)
def test_p105_every_recorded_page_reads_as_it_was_frozen(site: str, folder: Path):
    assert recorded.run_case(folder, REGISTRY.get(site)).differences == []


@pytest.mark.parametrize(("site", "folder"), CASES, ids=lambda v: v.name if isinstance(v, Path) else v)
def test_p054_reading_twice_gives_the_same_and_never_none(site: str, folder: Path):
    case, page = recorded.load(folder)
    adapter = REGISTRY.get(site)
    first, second = (adapter.extract(page, recorded.context_of(case)) for _ in range(2))
    assert first == second
    assert first is not None


def found(site: str, case: str) -> dict[str, str]:
    home = home_of(REGISTRY.get(site))
    return recorded.run_case(home / "pages" / case, REGISTRY.get(site)).found


def test_p104_sgammo_reads_title_price_stock_product_id_and_sku():
    adapter = REGISTRY.get("sgammo")
    assert (adapter.domain, adapter.needs_browser, adapter.kind) == ("sgammo.com", False, "offer")
    said = found("sgammo", "in-stock")
    wanted = {
        "price": "11.95 USD", "availability": "IN_STOCK", "product_id": "38211", "sku": "M855-20",
        "identity": "PID:38211", "verdict": "accept",
    }  # fmt: skip
    assert wanted.items() <= said.items()
    assert said["title"].startswith("20 Round Box")


def test_p105_there_is_a_page_of_each_kind():
    assert found("sgammo", "sale-price")["price"] == "12.45 USD", "P-027: not the struck-through one"
    assert found("sgammo", "sale-price")["list_price"] == "14.95 USD"
    assert found("sgammo", "quantity-tiers")["price"] == "25.00 USD", "P-028: the price of one"
    assert found("sgammo", "out-of-stock-price-shown")["availability"] == "OUT_OF_STOCK"
    assert found("sgammo", "out-of-stock-price-hidden")["reason"] == "OOS_NO_PRICE", "P-030"
    assert found("sgammo", "variants-range")["reason"] == "AMBIGUOUS_PRICE", "P-029"
    assert found("sgammo", "blocked")["reason"] == "BLOCKED_PAGE"
    assert found("sgammo", "redesigned")["reason"] == "PAGE_STRUCTURE_CHANGED"


def test_p031_the_price_per_round_is_not_the_price():
    _, page = recorded.load(home_of(REGISTRY.get("sgammo")) / "pages/in-stock")
    assert b"per round" in page.body
    assert found("sgammo", "in-stock")["price"] == "11.95 USD"


def test_p028_the_price_of_one_or_one_for_all():
    assert found("bulk-depot", "tiers")["price"] == "25.00 USD"
    assert found("bulk-depot", "tiers-all-the-same")["price"] == "31.50 USD"
    held = found("bulk-depot", "tiers-from-five")
    assert (held["verdict"], held["reason"]) == ("hold", "AMBIGUOUS_PRICE")
    assert "price" not in held


def test_p108_a_shop_that_needs_a_browser_says_so():
    assert REGISTRY.get("northlight").needs_browser
    assert found("northlight", "shell") == {"verdict": "failure", "reason": "EMPTY_PAGE"}
    assert found("northlight", "rendered")["price"] == "1299.00 EUR"


# P-106: the pages of twenty products, as the shop would list them


def sgammo_page(n: int) -> bytes:
    """A page in the recorded shape with another product on it; every fifth on sale, every seventh sold out."""
    home = home_of(REGISTRY.get("sgammo"))
    name = "sale-price" if n % 5 == 0 else "out-of-stock-price-shown" if n % 7 == 0 else "in-stock"
    body = (home / "pages" / name / "page.html").read_bytes()
    return body.replace(b" Ammo", f" Ammo Lot {n}".encode())


def test_p106_more_than_nine_of_ten_pages_give_valid_offers():
    adapter = REGISTRY.get("sgammo")
    case, _ = recorded.load(home_of(adapter) / "pages/in-stock")
    verdicts = []
    for n in range(1, 21):
        url = f"https://www.sgammo.com/product/lot-{n}/"
        context = Context(source_id="1", retailer_id="1", run_id="1", target_id="1", url=url, now=case.fetched_at)
        verdicts.append(facts_of(Page(url, sgammo_page(n), case.fetched_at), adapter, context)["verdict"])
    assert verdicts.count("accept") / len(verdicts) > 0.9
