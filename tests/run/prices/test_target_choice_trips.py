"""A target with a chosen variant or selector, visited by a real worker."""

from __future__ import annotations

import json

from tests.run.scripted_site import Site, product
from winnow.actions.target_choice import choose
from winnow.db.engine import Database
from winnow.extract.target_choice import Choice

OFFERS = (
    "SELECT p.sku, l.amount_minor FROM source_products p JOIN latest_prices l ON l.source_product_id = p.id ORDER BY 1"
)


def shirt(**prices: str) -> str:
    variants = [
        {"@type": "Product", "name": f"Shirt {size}", "sku": f"SHIRT-{size}", "size": size,
         "offers": {"@type": "Offer", "price": price, "priceCurrency": "EUR",
                    "availability": "https://schema.org/InStock"}}
        for size, price in prices.items()
    ]  # fmt: skip
    group = {"@context": "https://schema.org", "@type": "ProductGroup", "name": "Shirt", "hasVariant": variants}
    data = json.dumps(group)
    return f'<html lang="en"><script type="application/ld+json">{data}</script><body><h1>Shirt</h1></body></html>'


async def _choose(database: Database, **chosen: str) -> None:
    async with database.transaction() as conn:
        await choose(conn, "ada", 1, Choice(**chosen))


async def test_the_chosen_variant_is_stored_and_a_missing_one_is_held(
    site: Site, watch, start, work, rows, database: Database
):
    site.says("/shirt", shirt(M="19.90", XL="24.90"))
    source = await watch([site.url + "/shirt"])
    await _choose(database, size="XL")
    await start(source)
    await work()
    assert await rows(OFFERS) == [("SHIRT-XL", 2490)]
    site.says("/shirt", shirt(M="9.90"))
    await start(source)
    await work()
    assert await rows(OFFERS) == [("SHIRT-XL", 2490)], "no other variant's price is taken"
    ((reason, details),) = await rows("SELECT reason, details FROM quarantine")
    assert reason == "AMBIGUOUS_PRICE"
    assert "the page has no variant with size XL" in str(details)
    assert await rows("SELECT urls_failed FROM scrape_runs ORDER BY id") == [0, 0], "the adapter is not blamed"


async def test_a_choice_that_is_missing_twice_in_a_row_is_an_alert_until_it_is_found_again(
    site: Site, watch, start, work, rows, database: Database
):
    site.says("/shirt", shirt(M="19.90", XL="24.90"))
    source = await watch([site.url + "/shirt"])
    await _choose(database, size="XL")
    seen = []
    for sizes in ({"XL": "24.90"}, {"M": "9.90"}, {"M": "9.90", "S": "9.90"}, {"XL": "24.90", "S": "9.90"}):
        site.says("/shirt", shirt(**sizes))
        await start(source)
        await work()
        seen.append(await rows("SELECT code, title, resolved_at IS NULL FROM alerts"))
    title = "target 1: the page has no variant with size XL, twice in a row"
    assert seen == [[], [], [("choice_not_found", title, True)], [("choice_not_found", title, False)]]


async def test_a_page_that_has_not_changed_is_read_again_after_a_choice(
    site: Site, watch, start, work, rows, database: Database
):
    page = product(sku="A").replace("</body>", '<p id="club">$ 17.49</p></body>')
    site.says("/p", page)
    source = await watch([site.url + "/p"])
    await start(source)
    await work()
    assert await rows(OFFERS) == [("A", 1999)]
    await _choose(database, selector="#club")
    await start(source)
    await work()
    assert await rows(OFFERS) == [("A", 1749)]
    trail = "SELECT before, after FROM audit_log WHERE action = 'target.choice_changed'"
    assert await rows(trail) == [({"choice": None}, {"choice": {"selector": "#club"}})]
