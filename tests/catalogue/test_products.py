"""Products as the catalogue keeps them: by name alone, with all that their pages say (C-031 … C-036, C-043, C-068)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from tests.catalogue.pages import plain, rich
from tests.run.scripted_site import Site, product

PRODUCT = """
SELECT product_name, price, currency, availability, rating, review_count, brand, category, sku, gtin, description,
       metadata, breadcrumbs
FROM catalog_products
"""
IMAGES = "SELECT replace(image_url, %s, ''), image_type, position, alt_text FROM images ORDER BY position"


async def test_c031_c032_c036_a_product_keeps_what_its_page_says(
    site: Site, submit_urls: Any, visit: Any, rows: Any
) -> None:
    await submit_urls(site.says("/p/1", rich()))
    await visit()
    assert await rows(PRODUCT) == [
        (
            "Trail Shoe", Decimal("89.90"), "EUR", "in_stock", Decimal("4.55"), 1234, "Fell", "Shoes", "TS-1",
            "4006381333931", "For wet rock.", {"Drop": "4 mm"}, ["Home", "Shoes"],
        )
    ]  # fmt: skip
    assert await rows(IMAGES, site.url) == [
        ("/img/front.jpg", "primary", 0, "From the front"),
        ("/img/side.jpg", "gallery", 1, None),
        ("/img/sole.jpg", "gallery", 2, "Sole"),
    ], "neither pixels nor pictures of other products"
    assert await rows("SELECT count(*)::int FROM prices") == [1]


async def test_c031_a_product_needs_a_name_only(site: Site, submit_urls: Any, visit: Any, rows: Any) -> None:
    await submit_urls(site.says("/p/1", rich(price=None, stock=None)), site.says("/p/2", "<h1>About us</h1>"))
    await visit()
    found = "SELECT product_name, price, availability, rating FROM catalog_products"
    assert await rows(found) == [("Trail Shoe", None, None, Decimal("4.55"))]
    assert await rows("SELECT count(*)::int FROM prices") == [0]
    ended = "SELECT replace(url, %s, ''), status FROM crawl_tasks ORDER BY 1"
    assert await rows(ended, site.url) == [("/p/1", "completed"), ("/p/2", "failed")]


async def test_c043_a_price_that_the_gates_refuse_is_withheld_and_the_product_kept(
    site: Site, submit_urls: Any, visit: Any, rows: Any
) -> None:
    """Nothing is sold for nothing (P-034), and a price without known stock is shown but enters no history (P-090)."""
    zero = site.says("/zero", product("Free Hat", "0.00", sku="Z"))
    await submit_urls(zero, site.says("/silent", product("Hat", "7.00", None, sku="S")))
    await visit()
    found = "SELECT product_name, price, availability, price_withheld FROM catalog_products ORDER BY 1"
    free, hat = await rows(found)
    assert free == ("Free Hat", None, "in_stock", "ZERO_PRICE_EXTRACTED")
    assert hat == ("Hat", Decimal("7.00"), None, None)
    assert await rows("SELECT count(*)::int FROM prices") == [0]


async def test_c032_a_price_that_its_page_no_longer_states_is_not_shown_as_todays(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    await submit_urls(site.says("/p", product("Shoe", "19.99", sku="A")))
    await visit()
    site.says("/p", product("Shoe", None, "OutOfStock", sku="A"))
    await due_again()
    await visit()
    assert await rows("SELECT price, availability FROM catalog_products") == [(None, "out_of_stock")]
    assert await rows("SELECT amount_minor FROM prices") == [1999], "its history stays"


async def test_c068_each_field_says_where_it_was_read_and_how_sure_that_is(
    site: Site, submit_urls: Any, visit: Any, rows: Any
) -> None:
    await submit_urls(site.says("/data", rich()), site.says("/seen", plain()))
    await visit()
    seen, data = await rows("SELECT field_sources, parser_version FROM catalog_products ORDER BY product_name DESC")
    for name in ("title", "rating", "breadcrumbs", "images", "brand"):
        assert data[0][name]["from"].startswith("json_ld:"), name
        assert data[0][name]["confidence"] >= 0.9, name
    assert seen[0]["title"]["from"].startswith("dom:")
    assert seen[0]["breadcrumbs"]["confidence"] < data[0]["breadcrumbs"]["confidence"]
    assert data[1] == seen[1] != ""


async def test_c036_the_gallery_follows_the_page(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    await submit_urls(site.says("/p", product("Shoe", sku="A", image=["/a.jpg", "/b.jpg"])))
    await visit()
    site.says("/p", product("Shoe", sku="A", image=["/b.jpg", "/c.jpg"]))
    await due_again()
    await visit()
    assert await rows(IMAGES, site.url) == [("/b.jpg", "primary", 0, None), ("/c.jpg", "gallery", 1, None)]


async def test_c033_c034_c042_a_price_change_moves_digest_and_time_and_nothing_else_does(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    state = "SELECT content_hash, updated_at, created_at FROM catalog_products"
    await submit_urls(site.says("/p", product("Shoe", "19.99", sku="A")))
    await visit()
    [first] = await rows(state)
    await due_again()
    await visit()
    assert await rows(state) == [first], "what is the same is not written"
    site.says("/p", product("Shoe", "18.99", sku="A"))
    await due_again()
    await visit()
    [then] = await rows(state)
    assert (then[0] != first[0], then[1] > first[1], then[2] == first[2]) == (True, True, True)
    assert await rows("SELECT resolve_requested_at <= created_at FROM source_products") == [True], (
        "a price says nothing about which product it is"
    )


async def test_c041_two_urls_with_one_sku_keep_the_url_of_the_first(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    """The row belongs to the page it was found on, as long as that page is visited; then to the other one."""
    state = "SELECT replace(url, %s, ''), product_name, updated_at FROM catalog_products"
    first, second = await submit_urls(
        site.says("/a", product("Shoe", sku="A")), site.says("/b", product("Shoe", sku="A"))
    )
    await rows("UPDATE scrape_targets SET next_crawl_at = now() + interval '1 h' WHERE id = %s", second.id)
    await visit()
    [before] = await rows(state, site.url)
    assert before[0] == "/a"
    for _ in range(2):
        await due_again()
        await visit()
        assert await rows(state, site.url) == [before]
    await rows("UPDATE scrape_targets SET status = 'PAUSED' WHERE id = %s", first.id)
    await due_again()
    await visit()
    assert (await rows(state, site.url))[0][0] == "/b"


async def test_c070_a_product_url_is_one_product_and_every_reference_leads_somewhere(
    site: Site, submit_urls: Any, visit: Any, due_again: Any, rows: Any
) -> None:
    await submit_urls(*(site.says(f"/p/{n}", rich(f"Shoe {n}", sku=f"S{n}")) for n in range(3)))
    for _ in range(2):
        await due_again()
        await visit()
    assert await rows("SELECT count(*)::int, count(DISTINCT url_hash)::int FROM catalog_products") == [(3, 3)]
    lost = "SELECT count(*)::int FROM catalog_products WHERE crawl_task_id IS NULL OR domain_id IS NULL"
    assert await rows(lost) == [0]
