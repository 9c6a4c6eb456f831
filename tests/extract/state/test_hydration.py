"""State a page carries for its own scripts: each shape shops use gives the page's own product, and no other."""

from __future__ import annotations

import json
from html import escape
from typing import Any

import pytest

from tests.kinds.reading import GENERIC, OfferRead, assess
from tests.product_pages import context, micro
from winnow.extract.draft import Strategy
from winnow.extract.state.devalue import revive
from winnow.extract.state.nuxt_state import read_nuxt_call
from winnow.judge.verdict import Decision, Hold
from winnow.normalise.record import Availability, Money

SHOE = {"name": "Red Shoe", "price": 19.99, "currency": "USD", "inStock": True, "sku": "A1"}
HAT = {"name": "Felt Hat", "price": 3.5, "currency": "USD", "inStock": True}
FLIGHT = '1:["$","div",null,{"children":["$","$L5",null,{"product":' + json.dumps(SHOE) + "}]}]\n"
DEVALUE = [
    ["ShallowReactive", 1],
    {"data": 2},
    ["Ref", 3],
    {"product": 4},
    {"name": 5, "price": 6, "currency": 7, "inStock": 8},
]
SHOPIFY = {
    "id": 1, "title": "Red Shoe", "handle": "red-shoe", "vendor": "Acme", "price": 1999, "currency": "USD",
    "available": True,
    "variants": [{"id": 5, "price": 1999, "available": True, "compare_at_price": 2999}],
}  # fmt: skip
APOLLO = {
    "ROOT_QUERY": {},
    "Product:1": {"__typename": "Product", "name": "Red Shoe", "price": {"__ref": "Price:1"}, "inStock": True},
    "Price:1": {"amount": "19.99", "currency": "USD"},
}
ANALYTICS = {
    "product": {"gid": "gid://1", "variants": [{"id": 3, "price": 1999, "name": "Red Shoe", "available": True}]}
}
STOREFRONT = {"amount": "19.99", "currencyCode": "USD"}


def script(text: str, attributes: str = "") -> str:
    return f"<script {attributes}>{text}</script>"


def state(data: Any, attributes: str = 'id="__NEXT_DATA__" type="application/json"') -> str:
    return script(json.dumps(data), attributes)


def read(body: str) -> OfferRead:
    return assess(micro(f"<h1>Red Shoe</h1>{body}"), GENERIC, context())


SHAPES = {
    "next pages": state({"props": {"pageProps": {"product": SHOE, "recommended": [HAT]}}}),
    "next app router, cut in two": script(f"self.__next_f.push([1,{json.dumps(FLIGHT[:60])}])")
    + script(f"self.__next_f.push([1,{json.dumps(FLIGHT[60:])}])"),
    "nuxt 3": state([*DEVALUE, "Red Shoe", 19.99, "USD", True], 'id="__NUXT_DATA__" type="application/json"'),
    "nuxt 2": script(
        "window.__NUXT__=(function(a,b,c){return {layout:\"default\",data:[{product:{name:a,price:b,currency:\"USD\","
        'inStock:!0,x:void 0,related:[{name:"x",price:1}]}}],error:c}}("Red Shoe",19.99,null));'
    ),
    "initial state": script(f"window.__INITIAL_STATE__ = {json.dumps({'product': {'current': SHOE}})};boot()"),
    "initial state, minified": script(
        'window.__INITIAL_STATE__={product:{name:"Red Shoe",price:19.99,currency:"USD",inStock:!0,sale:!1,x:void 0}}'
    ),
    "preloaded state as text": script(
        "window.__PRELOADED_STATE__ = JSON.parse(" + json.dumps(json.dumps({"product": SHOE})) + ");"
    ),
    "apollo": script(f"window.__APOLLO_STATE__={json.dumps(APOLLO)}"),
    "shopify product json": state(SHOPIFY, "type='application/json' data-product-json"),
    "shopify analytics": script(f'var meta = {json.dumps(ANALYTICS)};window.x={{"currency":"USD"}}')
    + '<form action="/cart/add"><button name="add">Add to cart</button></form>',
    "shopify storefront api": state(
        {"product": {"title": "Red Shoe", "availableForSale": True,
                     "priceRange": {"minVariantPrice": STOREFRONT, "maxVariantPrice": STOREFRONT}}}
    ),
    "commercetools": state(
        {"p": {"name": "Red Shoe", "isAvailable": True,
               "price": {"value": {"centAmount": 1999, "currencyCode": "USD"}}}}
    ),
    "bigcommerce": script(
        'var BCData = {"product_attributes":{"price":{"without_tax":{"value":19.99,"currency":"USD"}},"instock":true}};'
    ),
    "prestashop": '<div id="product-details" data-product="'
    + escape(json.dumps({"name": "Red Shoe", "price_amount": 19.99, "currency": "USD", "quantity": 3})) + '"></div>',
    "cents the page shows": "<p>Only 19.99 USD</p>" + state({"p": {**SHOE, "price": 1999}}),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_of_state_gives_the_page_s_own_offer(shape: str) -> None:
    found = read(SHAPES[shape])
    assert found.offer is not None, found
    assert found.verdict is not None
    assert (found.offer.title, found.offer.price) == ("Red Shoe", Money(1999, "USD")), found.offer
    assert (found.offer.availability, found.verdict.decision) == (Availability.IN_STOCK, Decision.ACCEPT)
    assert found.strategy is Strategy.HYDRATION


@pytest.mark.parametrize("key", ["recommendations", "relatedProducts", "cart", "upsells", "recentlyViewed"])
def test_p027_products_a_state_also_holds_are_never_taken(key: str) -> None:
    assert read(state({"props": {key: [SHOE]}})).offer is None
    assert read(state({"props": {"product": HAT}})).offer is None


def test_p029_a_whole_number_the_page_does_not_show_could_be_cents() -> None:
    found = read(state({"p": {**SHOE, "price": 1999}}))
    assert found.verdict is not None
    assert found.verdict.reason == Hold.AMBIGUOUS_PRICE


def test_p029_variants_of_different_prices_are_held() -> None:
    variants = [
        {"id": 1, "price": 1999, "compare_at_price": None, "available": True},
        {"id": 2, "price": 2999, "compare_at_price": None},
    ]
    found = read(state({**SHOPIFY, "variants": variants}, "type='application/json' data-product-json"))
    assert found.verdict is not None
    assert found.verdict.reason == Hold.AMBIGUOUS_PRICE


def test_r17_states_that_are_broken_endless_or_point_to_themselves_give_nothing() -> None:
    assert revive([[0, 0], {"a": 0}]) is not None
    assert revive([]) is None
    assert revive([{"a": 0}])["a"] is not None
    assert read_nuxt_call("(function(a){return {a:" + "[" * 10_000) is None
    assert read(script("window.__INITIAL_STATE__ = {price: ")).offer is None
    assert read(script("self.__next_f.push([1,'price")).offer is None
