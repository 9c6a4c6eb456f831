"""A page that gives nothing says why (P-010, P-011), and none can take the worker down (R-17)."""

from __future__ import annotations

import time

import pytest

from tests.kinds.reading import GENERIC
from tests.product_pages import context, ld, micro, offer, page, product
from winnow.extract.draft import Extracted, Failure, Reason
from winnow.extract.limits import too_deep
from winnow.extract.waterfall import fast, waterfall


@pytest.mark.parametrize(
    ("html", "reason"),
    [
        ("", Reason.EMPTY_PAGE),
        ("  \n ", Reason.EMPTY_PAGE),
        ("<html><body><div id=app></div><script>boot()</script></body></html>", Reason.EMPTY_PAGE),
        ("<title>Just a moment...</title><p>Checking your browser before you go on</p>", Reason.BLOCKED_PAGE),
        ("<title>Access Denied</title><p>You do not have permission to see this page</p>", Reason.BLOCKED_PAGE),
        ("<title>About us</title><p>We have been selling shoes since 1911, and proudly.</p>", Reason.PRICE_NOT_FOUND),
    ],
)
def test_p010_why_nothing_was_extracted(html: str, reason: Reason) -> None:
    failed = waterfall(page(html), "offer")
    assert isinstance(failed, Failure)
    assert failed.reason is reason


def test_p010_a_product_without_a_name() -> None:
    failed = waterfall(ld({"@type": "Product", "offers": offer()}), "offer")
    assert isinstance(failed, Failure)
    assert failed.reason is Reason.TITLE_NOT_FOUND


def test_p030_out_of_stock_without_a_price_is_expected() -> None:
    sold_out = ld(product(offers=offer(None, availability="https://schema.org/OutOfStock")))
    failed = GENERIC.extract(sold_out, context())
    assert isinstance(failed, Failure)
    assert failed.reason is Reason.OOS_NO_PRICE


def test_p010_in_stock_without_a_price_is_not() -> None:
    failed = GENERIC.extract(ld(product(offers=offer(None))), context())
    assert isinstance(failed, Failure)
    assert failed.reason is Reason.PRICE_NOT_FOUND


def test_the_trace_names_every_strategy_tried() -> None:
    failed = waterfall(micro("<h1>Red Shoe</h1><p>Nothing to buy on this page today.</p>"), "offer")
    names = [attempt.note.partition(":")[0] for attempt in failed.trace]
    assert names == ["json_ld", "microdata", "rdfa", "hydration", "meta", "script", "dom"]


def test_fast_and_waterfall_say_the_same() -> None:
    clean = ld(product())
    assert fast(clean, "offer") == waterfall(clean, "offer")
    assert isinstance(fast(clean, "offer"), Extracted)


SOLD_OUT = product(offers=offer(availability="https://schema.org/OutOfStock"))
DISABLED = "<button disabled>Add to cart</button>"
LIVE = "<button>Add to cart</button>"


@pytest.mark.parametrize("line", ["<p>Sold out</p>", '<p class="stock"> Sold out! </p>', "<p>Out of stock.</p>"])
def test_p009_a_page_that_says_sold_out_like_its_data_needs_no_dom(line: str) -> None:
    said = ld(SOLD_OUT, body=f"<h1>Red Shoe</h1><p>$19.99</p>{line}{DISABLED}")
    assert isinstance(fast(said, "offer"), Extracted)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<p>Nearly sold out yesterday</p>",
        "<p hidden>Sold out</p>",
        "<ul><li>Sold out</li><li>Size 44</li></ul>",
        '<span class="badge">Sold out</span>',
    ],
)
def test_p009_a_button_beside_data_that_say_sold_out_is_left_to_the_dom(line: str) -> None:
    assert fast(ld(SOLD_OUT, body=f"<h1>Red Shoe</h1><p>$19.99</p>{line}{LIVE}"), "offer") is None


@pytest.mark.parametrize(
    "body",
    [
        b"<div>" * 100_000,
        b"<div></x>" * 100_000,
        b"<ul><li>" * 80_000,
        b"<div><span>" * 60_000 + b"19.99",
    ],
)
def test_r17_deep_nesting_is_refused_before_a_dom_is_built(body: bytes) -> None:
    started = time.process_time()
    failed = waterfall(page(body), "offer")
    assert isinstance(failed, Failure)
    assert "limit" in failed.details
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    "body",
    [
        b"<p>word" * 100_000,
        b"<img src=a><br>" * 60_000,
        b"<tr><td>1<td>2" * 40_000,
        b"<div><span>x</span></div>" * 40_000,
        b"<p " + b"a=1 " * 400_000 + b">",
    ],
)
def test_r17_large_but_shallow_pages_are_read(body: bytes) -> None:
    assert not too_deep(body)
    started = time.process_time()
    waterfall(page(body), "offer")
    assert time.process_time() - started < 15
