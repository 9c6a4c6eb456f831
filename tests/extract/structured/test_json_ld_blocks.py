"""Finding JSON-LD in bytes: whatever could be misread without a parser is left to the parser."""

from __future__ import annotations

import contextlib
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.product_pages import draft_of, ld, micro, page, product, raws
from winnow.extract.draft import Failure
from winnow.extract.structured.json_ld_blocks import scan_blocks
from winnow.extract.structured.tolerant_json import Number, Unreadable, read_tolerantly
from winnow.extract.waterfall import fast, waterfall

BLOCK = f'<script type="application/ld+json">{json.dumps(product())}</script>'


@pytest.mark.parametrize(
    "html",
    [
        f"<!-- {BLOCK} -->",
        f"<textarea>{BLOCK}</textarea>",
        f"<template>{BLOCK}</template>",
        "<script>var t = '" + BLOCK.replace("</script>", "<\\/script>") + "'</script>",
        f"<script>/* {BLOCK.replace('</script>', '')} */</script>",
    ],
)
def test_a_block_a_browser_does_not_see_gives_no_price(html: str) -> None:
    hidden = micro(f"<h1>Red Shoe</h1><p>A page with enough words to be one.</p>{html}")
    assert fast(hidden, "offer") is None
    assert isinstance(waterfall(hidden, "offer"), Failure)


def test_a_commented_block_beside_a_real_one_does_not_count() -> None:
    old = BLOCK.replace("19.99", "99.99")
    both = micro(f"<h1>Red Shoe</h1><!-- {old} -->{BLOCK}")
    assert raws(draft_of(waterfall(both, "offer")), "price") == ["19.99"]


def test_a_script_that_only_mentions_json_ld_does_not_stop_the_scan() -> None:
    body = f'<script>if (x === "application/ld+json") run("ld+json")</script>{BLOCK}'
    assert len(scan_blocks(body.encode()) or []) == 1


@pytest.mark.parametrize(
    "tag",
    ['<SCRIPT TYPE="application/ld+json">', "<script type=application/ld+json>",
     '<script data-a="1>0" type="application/ld+json">',
     '<script type="application/ld+json; charset=utf-8" nonce="x">', "<script\n type='application/ld+json'\n id=a >"],
)  # fmt: skip
def test_other_spellings_of_the_tag_are_read(tag: str) -> None:
    html = micro(f"<h1>Red Shoe</h1>{tag}{json.dumps(product())}</script>")
    assert raws(draft_of(waterfall(html, "offer")), "price") == ["19.99"]


@pytest.mark.parametrize(
    "wrong",
    [
        '{"@type":"Product","name":"Red Shoe","offers":%s,}',
        '{"@type":"Product","name":"Red\nShoe","offers":%s}',
        "{'@type':'Product','name':'Red Shoe','offers':%s}",
        '{"@type":"Product",name:"Red Shoe",offers:{price:"19.99",priceCurrency:"USD",availability:"InStock"}}',
        '/*<![CDATA[*/{"@type":"Product","name":"Red Shoe","offers":%s}/*]]>*/',
        '//<![CDATA[\n{"@type":"Product","name":"Red Shoe","offers":%s}\n//]]>',
        '<!--{"@type":"Product","name":"Red Shoe","offers":%s}-->',
        '{"@type":"Product", // main\n"name":"Red Shoe","offers":%s};',
        '{"@type":"Product","name":"Red Shoe 10" wide","offers":%s}',
        '{"@type":"Product","name":"Red Shoe"\n"offers":%s}',
        '{"@type":"Product","name":"Red Shoe","offers":%s',
        '{"@type":"Product","name":"Red \\x Shoe\\\'s","offers":%s}',
        '{"@type":"Product","name":"Red Shoe","gtin":undefined,"offers":%s}}',
        '\ufeff{"@type":"Product","name":"Red Shoe","offers":[%s,,]}',
    ],
)
def test_json_as_shops_get_it_wrong_is_repaired(wrong: str) -> None:
    broken = ld(wrong.replace("%s", '{"price":"19.99","priceCurrency":"USD","availability":"InStock"}'))
    assert fast(broken, "offer") is None
    draft = draft_of(waterfall(broken, "offer"))
    assert raws(draft, "title")[0].startswith("Red")
    assert raws(draft, "price") == ["19.99"]


def test_json_escaped_as_html_is_read() -> None:
    draft = draft_of(waterfall(ld(json.dumps(product()).replace('"', "&quot;")), "offer"))
    assert raws(draft, "price") == ["19.99"]


def test_r16_a_string_that_never_ends_is_not_completed() -> None:
    with pytest.raises(Unreadable):
        read_tolerantly('{"price": "19.9')


def test_numbers_are_kept_as_text() -> None:
    assert read_tolerantly('{"a": 19.90, b: 1e999}') == [{"a": "19.90", "b": "1e999"}]
    assert isinstance(read_tolerantly("1.10")[0], Number)


def test_unquoted_keys_end_at_their_colon() -> None:
    text = "{name:'Shoe',price:19.99,offers:[{ok:!0,sold:!1,x:void 0}],schema:brand:'Acme',@type:\"Product\",a:true}"
    read = {"name": "Shoe", "price": "19.99", "offers": [{"ok": True, "sold": False, "x": None}]}
    assert read_tolerantly(text) == [{**read, "schema:brand": "Acme", "@type": "Product", "a": True}]


leaves = st.none() | st.booleans() | st.text()
values = st.recursive(leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)


@given(values)
def test_correct_json_is_read_as_it_is(value: object) -> None:
    for indent in (None, 1):
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        if not any(mark in text for mark in ("<!", "--", "]]>", "/*", "//")):
            assert read_tolerantly(text) == [json.loads(text)]


@pytest.mark.parametrize(
    "evil",
    ['{"a":"' + '\\"' * 100_000, '"' * 200_000, "[" * 200_000, '{"a":' * 50_000, "/*" * 100_000, '{"a":"b" ' * 30_000],
)
def test_r17_repair_takes_linear_time(evil: str) -> None:
    started = time.process_time()
    with contextlib.suppress(Unreadable):
        read_tolerantly(evil)
    assert time.process_time() - started < 10


def test_r17_endless_json_ld_yields_nothing_and_says_so() -> None:
    for huge in (
        "[" * 100_000,
        '{"a":' * 100_000 + "1" + "}" * 100_000,
        '{"@type":"Product","name":"' + "x" * 3_000_000 + '"}',
    ):
        failed = waterfall(ld(huge), "offer")
        assert isinstance(failed, Failure)
        assert fast(ld(huge), "offer") is None


def test_r17_too_many_blocks_yield_nothing_and_say_so() -> None:
    failed = waterfall(ld(*[product(f"Red Shoe {n}") for n in range(100)]), "offer")
    assert isinstance(failed, Failure)
    assert "limit" in failed.trace[0].note


@given(st.binary(max_size=300))
def test_no_bytes_break_the_fast_path(noise: bytes) -> None:
    block = b'<script type="application/ld+json">'
    for body in (noise, block + noise + b"</script>", noise + block + noise):
        fast(page(body), "offer")
        waterfall(page(body), "offer")
