"""SGAmmo through the whole pipeline, from its recorded pages (P-104, P-106)."""

from __future__ import annotations

from tests.run.scripted_site import Site
from winnow.kinds.adapters import home_of, registry


def recorded(case: str) -> str:
    home = home_of(registry().get("sgammo"))
    assert home is not None
    return (home / "pages" / case / "page.html").read_text(encoding="utf-8")


async def test_p106_twelve_urls_give_valid_offers_that_can_be_resolved(site: Site, watch, start, work, rows):
    """Each with a product id of its own, as twelve products of the shop would have."""
    page, sale = recorded("in-stock"), recorded("sale-price")
    bodies = [(sale if n % 4 == 0 else page).replace("38211", f"90{n}").replace("36120", f"90{n}") for n in range(12)]
    source = await watch([site.says(f"/product/{n}/", body) for n, body in enumerate(bodies)], adapter="sgammo")
    run = await start(source)
    await work()
    counted = "SELECT status, offers_valid, urls_attempted FROM scrape_runs WHERE id = %s"
    ((status, valid, attempted),) = await rows(counted, run)
    assert (status, attempted) == ("SUCCESS", 12)
    assert valid / attempted > 0.9
    stored = "SELECT DISTINCT l.amount_minor, p.adapter_version FROM latest_prices AS l "
    assert sorted(await rows(f"{stored} JOIN source_products AS p ON p.id = l.source_product_id")) == [
        (1_195, "1.0.0"), (1_245, "1.0.0")
    ]  # fmt: skip
    assert await rows("SELECT count(*)::int FROM source_products WHERE resolve_requested_at IS NOT NULL") == [12]
    kept = await rows("SELECT attributes ->> 'round_count' FROM source_products WHERE attributes ? 'caliber' LIMIT 1")
    assert kept == ["20"]


async def test_p105_pages_of_the_other_kinds_end_as_the_list_says(site: Site, watch, start, work, rows):
    cases = ("out-of-stock-price-shown", "out-of-stock-price-hidden", "quantity-tiers", "variants-range", "redesigned")
    source = await watch([site.says(f"/{case}", recorded(case)) for case in cases], adapter="sgammo")
    await start(source)
    await work()
    ended = await rows("SELECT reverse(split_part(reverse(url), '/', 1)), outcome, reason FROM tasks ORDER BY 1")
    assert ended == [
        ("out-of-stock-price-hidden", "rejected", "OOS_NO_PRICE"),
        ("out-of-stock-price-shown", "accepted", None),
        ("quantity-tiers", "accepted", None),
        ("redesigned", "extract_failed", "PAGE_STRUCTURE_CHANGED"),
        ("variants-range", "held", "AMBIGUOUS_PRICE"),
    ]
    assert await rows("SELECT amount_minor FROM prices ORDER BY amount_minor") == [2_500, 48_900]
