"""The demo shop shows everything a price reader has to cope with, the same way for the same seed."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import ClientSession
from selectolax.lexbor import LexborHTMLParser

from tests.waiting import LIMIT
from winnow.demo.catalogue import (
    DemoProduct,
    DemoStock,
    Markup,
    changes_by,
    make_catalogue,
    make_product,
    price_at,
    related_to,
    tiers_of,
)
from winnow.demo.pages import Shelf, Template, dollars, plain, product_page
from winnow.demo.shop import DemoShop, start_shop
from winnow.demo.trouble import start_trouble

CATALOGUE = make_catalogue(48, seed=7)


class Watch:
    """A clock that moves when told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time


@pytest.fixture
async def shop() -> AsyncIterator[DemoShop]:
    shop = await start_shop(step_seconds=0)
    yield shop
    await shop.stop()


@pytest.fixture
async def visitor() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


def one(wanted: Markup | None = None, **traits: object) -> DemoProduct:
    """The first product of the catalogue with these traits."""
    for product in CATALOGUE:
        if wanted in (None, product.markup) and all(getattr(product, k) == v for k, v in traits.items()):
            return product
    raise AssertionError(f"no product with {traits}")


def thing_of(html: str) -> dict[str, object]:
    """The Product in the page's JSON-LD."""
    for node in LexborHTMLParser(html).css('script[type="application/ld+json"]'):
        data = json.loads(node.text())
        for thing in data.get("@graph", [data]):
            if thing["@type"] == "Product":
                return dict(thing)
    raise AssertionError("no product in the JSON-LD")


def test_the_same_seed_gives_the_same_shop_and_another_seed_another_one() -> None:
    assert make_catalogue(48, seed=7) == CATALOGUE
    assert make_catalogue(48, seed=8) != CATALOGUE
    assert make_product(5, seed=7) == CATALOGUE[5]


def test_slugs_skus_and_gtins_are_unique_and_gtins_have_a_right_check_digit() -> None:
    many = make_catalogue(2_000, seed=7)
    for field in ("slug", "sku", "gtin"):
        assert len({getattr(product, field) for product in many}) == len(many), field
    for product in many:
        weighted = sum(int(d) * (3 if i % 2 else 1) for i, d in enumerate(product.gtin))
        assert weighted % 10 == 0


def test_two_dozen_products_hold_every_trap() -> None:
    few = make_catalogue(25, seed=7)
    assert {product.markup for product in few} == set(Markup)
    assert {product.stock for product in few} == set(DemoStock)
    assert any(product.list_cents for product in few)
    assert any(product.tiered for product in few)
    assert any(product.price_hidden for product in few)
    assert any(product.stock is DemoStock.OUT_OF_STOCK and not product.price_hidden for product in few)
    assert sum(product.turn > 0 for product in few) >= 3


def test_a_moving_price_changes_at_every_turn_and_only_then() -> None:
    for product in (p for p in make_catalogue(500, seed=3) if p.turn):
        prices = [price_at(product, step) for step in range(40)]
        for step in range(1, 40):
            turned = changes_by(product, step) != changes_by(product, step - 1)
            assert (prices[step] != prices[step - 1]) is turned


def test_a_still_price_never_moves_and_a_hidden_one_is_never_shown() -> None:
    assert {price_at(one(turn=0, price_hidden=False), step) for step in range(50)} == {
        one(turn=0, price_hidden=False).base_cents
    }
    assert price_at(one(price_hidden=True), 3) is None


def test_the_list_price_is_above_every_selling_price() -> None:
    for product in make_catalogue(500, seed=11):
        if product.list_cents and not product.price_hidden:
            assert all((price_at(product, step) or 0) < product.list_cents for step in range(30))


@pytest.mark.parametrize("markup", [Markup.JSON_LD, Markup.JSON_LD_GRAPH])
async def test_json_ld_carries_the_selling_price_and_the_identity(
    shop: DemoShop, visitor: ClientSession, markup: Markup
) -> None:
    product = one(markup, price_hidden=False)
    thing = thing_of(await (await visitor.get(shop.url + product.path)).text())
    offer = thing["offers"]
    assert isinstance(offer, dict)
    assert offer["price"] == plain(price_at(product, 0) or 0)
    assert offer["priceCurrency"] == "USD"
    assert offer["availability"] == f"https://schema.org/{product.stock}"
    assert (thing["name"], thing["sku"], thing["gtin13"]) == (product.name, product.sku, product.gtin)


async def test_microdata_pages_have_no_json_ld_and_nest_the_trap_beside_the_offer(
    shop: DemoShop, visitor: ClientSession
) -> None:
    product = one(Markup.MICRODATA, price_hidden=False)
    html = await (await visitor.get(shop.url + product.path)).text()
    tree = LexborHTMLParser(html)
    assert "ld+json" not in html
    prices = tree.css('[itemprop="price"]')
    assert [node.attributes["content"] for node in prices] == [plain(product.base_cents)]
    assert len(tree.css('[itemprop="isRelatedTo"]')) == 6


async def test_a_sale_strikes_the_list_price_through(shop: DemoShop, visitor: ClientSession) -> None:
    product = next(p for p in CATALOGUE if p.list_cents and not p.price_hidden)
    tree = LexborHTMLParser(await (await visitor.get(shop.url + product.path)).text())
    struck, now = tree.css_first(".product s"), tree.css_first(".product .now")
    assert struck is not None
    assert struck.text() == dollars(product.list_cents or 0)
    assert now is not None
    assert now.text() == dollars(price_at(product, 0) or 0)


async def test_quantity_tiers_start_with_the_single_price(shop: DemoShop, visitor: ClientSession) -> None:
    product = one(tiered=True)
    html = await (await visitor.get(shop.url + product.path)).text()
    cells = [node.text() for node in LexborHTMLParser(html).css(".tiers td")]
    tiers = tiers_of(price_at(product, 0) or 0)
    assert cells[1::2] == [dollars(tier.unit_cents) for tier in tiers]
    assert cells[1] == dollars(price_at(product, 0) or 0)


async def test_a_sold_out_product_may_hide_its_price(shop: DemoShop, visitor: ClientSession) -> None:
    product = one(price_hidden=True)
    html = await (await visitor.get(shop.url + product.path)).text()
    article = LexborHTMLParser(html).css_first("article")
    assert article is not None
    assert "$" not in article.text()
    assert "Sold out" in article.text()
    assert "$" in html, "the carousel still shows other prices"


def test_related_products_are_others_and_stay_the_same() -> None:
    for product in CATALOGUE:
        related = related_to(product, CATALOGUE)
        assert len(related) == 6
        assert product not in related
        assert related == related_to(product, CATALOGUE)


def test_what_a_product_is_called_cannot_leave_its_place_on_the_page() -> None:
    nasty = replace(one(Markup.JSON_LD), name='</script><script>alert(1)</script>"<b>', brand="A&B<i>")
    html = product_page(Shelf(nasty, 100), (), "http://shop.test")
    assert "<script>alert" not in html
    assert "<b>" not in html
    assert thing_of(html)["name"] == nasty.name


async def test_stepping_moves_the_movers(shop: DemoShop, visitor: ClientSession) -> None:
    product = one(turn=1)

    async def price() -> object:
        offer = thing_of(await (await visitor.get(shop.url + product.path)).text())["offers"]
        assert isinstance(offer, dict)
        return offer["price"]

    before = await price()
    assert await (await visitor.post(shop.url + "/_demo/step")).json() == {"step": 1}
    assert await price() != before


async def test_prices_move_with_the_clock() -> None:
    watch = Watch()
    shop = await start_shop(step_seconds=4.0, clock=watch)
    assert shop.window.step == 0
    watch.time += timedelta(seconds=9)
    assert shop.window.step == 2
    await shop.stop()


async def test_a_redesign_loses_the_price_and_can_be_mended(shop: DemoShop, visitor: ClientSession) -> None:
    url = shop.url + CATALOGUE[0].path
    price = dollars(CATALOGUE[0].base_cents)
    answer = await (await visitor.post(shop.url + "/_demo/break-template")).json()
    assert answer == {"template": Template.BROKEN}
    broken = await (await visitor.get(url)).text()
    assert CATALOGUE[0].name in broken
    assert not re.search(r"ld\+json|itemprop|\$\d", broken.split("<footer")[0])
    await visitor.post(shop.url + "/_demo/mend-template")
    assert price in await (await visitor.get(url)).text()


async def test_the_controls_cannot_be_reached_by_following_a_link(shop: DemoShop, visitor: ClientSession) -> None:
    assert (await visitor.get(shop.url + "/_demo/step")).status == 405


async def test_an_etag_spares_the_page_until_it_changes(shop: DemoShop, visitor: ClientSession) -> None:
    url = shop.url + one(turn=1).path
    first = await visitor.get(url)
    known = {"If-None-Match": first.headers["ETag"]}
    assert (await visitor.get(url, headers=known)).status == 304
    await visitor.post(shop.url + "/_demo/step")
    assert (await visitor.get(url, headers=known)).status == 200


async def test_last_modified_spares_the_page_and_never_hides_a_change_of_the_same_second(
    visitor: ClientSession,
) -> None:
    watch = Watch()
    shop = await start_shop(step_seconds=0, clock=watch)
    url = shop.url + one(turn=1).path
    first = await visitor.get(url)
    known = {"If-Modified-Since": first.headers["Last-Modified"]}
    assert (await visitor.get(url, headers=known)).status == 304
    await visitor.post(shop.url + "/_demo/step")
    changed = await visitor.get(url, headers=known)
    assert changed.status == 200
    assert "Last-Modified" not in changed.headers, "within its first second a version has no date yet"
    watch.time += timedelta(seconds=2)
    later = await visitor.get(url)
    assert later.headers["Last-Modified"] == "Sun, 01 Mar 2026 12:00:00 GMT"
    await shop.stop()


async def test_etag_decides_alone_when_both_validators_are_sent(shop: DemoShop, visitor: ClientSession) -> None:
    url = shop.url + CATALOGUE[0].path
    first = await visitor.get(url)
    both = {"If-None-Match": 'W/"another"', "If-Modified-Since": first.headers["Last-Modified"]}
    assert (await visitor.get(url, headers=both)).status == 200


async def test_pages_are_gzipped_for_who_asks_and_plain_for_who_does_not(shop: DemoShop) -> None:
    url = shop.url + CATALOGUE[0].path
    async with ClientSession(auto_decompress=False) as visitor:
        zipped = await visitor.get(url, headers={"Accept-Encoding": "gzip"})
        raw = await visitor.get(url, headers={"Accept-Encoding": "identity"})
        assert (await zipped.read())[:2] == b"\x1f\x8b"
        assert (await raw.read()).startswith(b"<!doctype html>")
        assert zipped.headers["ETag"] == raw.headers["ETag"]


async def test_robots_allows_the_products_and_forbids_the_checkout(shop: DemoShop, visitor: ClientSession) -> None:
    text = await (await visitor.get(shop.url + "/robots.txt")).text()
    assert "Disallow: /checkout/" in text
    assert "Crawl-delay" not in text
    assert f"Sitemap: {shop.url}/sitemap.xml" in text
    assert (await visitor.get(shop.url + "/checkout/cart")).status == 200


async def test_a_closed_shop_forbids_everything(visitor: ClientSession) -> None:
    shop = await start_shop(closed=True)
    assert await (await visitor.get(shop.url + "/robots.txt")).text() == "User-agent: *\nDisallow: /\n"
    await shop.stop()


async def test_the_sitemap_lists_every_product_and_every_link_works(shop: DemoShop, visitor: ClientSession) -> None:
    xml = await (await visitor.get(shop.url + "/sitemap.xml")).text()
    found = re.findall(r"<loc>([^<]+)</loc>", xml)
    assert found == [shop.url + product.path for product in shop.products]
    assert {(await visitor.get(url)).status for url in found} == {200}
    home = LexborHTMLParser(await (await visitor.get(shop.url + "/")).text())
    links = {node.attributes["href"] or "" for node in home.css("a[href]")}
    images = {node.attributes["src"] or "" for node in home.css("img")}
    assert {(await visitor.get(shop.url + path)).status for path in links | images} == {200}


async def test_what_is_not_there_is_404(shop: DemoShop, visitor: ClientSession) -> None:
    for path in ("/products/none", "/c/none", "/images/none.svg", "/elsewhere"):
        assert (await visitor.get(shop.url + path)).status == 404


def test_the_command_prints_its_address_and_stops_when_asked() -> None:
    command = [sys.executable, "-m", "winnow.demo.shop", "--products", "20"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+\n", process.stdout.readline())
        process.terminate()
        assert process.wait(LIMIT) == 0


async def test_the_troubled_site_fails_as_told(visitor: ClientSession) -> None:
    site = await start_trouble(retry_after_s=7, slow_s=0.05)
    assert (await visitor.get(site.url + "/robots.txt")).status == 200
    assert (await visitor.get(site.url + "/down/1")).status == 500
    busy = await visitor.get(site.url + "/busy/1")
    assert (busy.status, busy.headers["Retry-After"]) == (429, "7")
    assert [(await visitor.get(site.url + "/flaky/1")).status for _ in range(4)] == [503, 200, 503, 200]
    assert thing_of(await (await visitor.get(site.url + "/shop/1")).text())["sku"]
    slow = await visitor.get(site.url + "/slow/1")
    assert "</title>" not in await slow.text()
    assert site.visits["/flaky/1"] == 4
    assert {await _mood(site.url) for _ in range(6)} == {b"503", b"429", b""}
    await site.stop()


async def _mood(url: str) -> bytes:
    """The status, or nothing where the connection is cut; a client that tries again by itself would not see it."""
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rsplit(":", 1)[1].split("/")[0]))
    writer.write(b"GET /moody/1 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    try:
        return (await reader.read())[9:12]
    except ConnectionResetError:
        return b""
    finally:
        writer.close()
