"""Products and prices, watch rules, domains, proxies and adapters: what is shown, every change, and who may make it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.console import stage as make
from tests.console.conftest import Opened, Served, check_accessible, demoted, no_sideways_scroll, settled, shot
from tests.console.stage import expect_notice, press, redrawing
from tests.searchable import index_offers

ADAPTER = """
id = "northwood"
version = "{}"
domain = "northwood.example"
[fields]
title = "h1"
price = ".price"
availability = ".stock"
"""
HISTORY = [1999] * 20 + [1799] * 10 + [1899] * 20


@pytest.fixture(scope="module")
def more_environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """One adapter of a folder, with a candidate, and a proxy that may stand on this machine."""
    folder: Path = tmp_path_factory.mktemp("adapters")
    (folder / "northwood").mkdir()
    (folder / "northwood/live.toml").write_text(ADAPTER.format("1.0.0"))
    (folder / "northwood/next.toml").write_text(ADAPTER.format("1.1.0"))
    return {"WINNOW_ADAPTERS_DIR": str(folder), "WINNOW_EGRESS_ALLOW": "127.0.0.1:9"}


def watched_offer(served: Served, name: str) -> tuple[int, int]:
    """(offer, target) of a source of its own; its history has a gap of ten days."""
    source = make.source(served, name)
    offer = make.offer(served, source, f"Hammer of {name} <b>16 oz</b>", HISTORY, gap_after=20)
    return offer, make.target(served, source, offer=offer)


# prices


async def test_without_offers_the_list_says_what_to_do(open_as: Opened) -> None:
    page = await open_as("viewer", "/products?q=nothing-like-this")
    await expect(page.get_by_text("No offers here")).to_be_visible()
    await expect(page.get_by_role("link", name="Watch a page").last).to_be_visible()


async def test_offers_are_filtered_searched_and_opened(open_as: Opened, served: Served) -> None:
    offer, _ = watched_offer(served, "finding")
    index_offers(served.database_url)
    page = await open_as("viewer", "/products")
    await expect(page.locator("tbody tr").filter(has_text="of finding")).to_contain_text("18.99 USD")
    await page.get_by_label("Search").fill("hamer of finding")  # a typing error
    await page.keyboard.press("Enter")
    await page.get_by_role("link", name="Hammer of finding").click()
    await expect(page).to_have_url(f"{served.url}/offers/{offer}")
    await expect(page.locator("h1")).to_have_text("Hammer of finding <b>16 oz</b>")


async def test_a_price_history_has_its_lowest_its_sources_and_its_gaps(open_as: Opened, served: Served) -> None:
    offer, _ = watched_offer(served, "history")
    other = make.offer(served, make.source(served, "rival"), "The same hammer", [2099] * 30)
    served.sql(
        "WITH p AS (INSERT INTO products (name, gtin) VALUES ('Hammer', '00012345678905') RETURNING id) "
        "INSERT INTO product_links (source_product_id, product_id, method, evidence) "
        "SELECT o, p.id, 'gtin', 'tests' FROM p, unnest(%s::bigint[]) AS o", [offer, other],
    )  # fmt: skip
    page = await open_as("viewer", f"/offers/{offer}")
    await expect(page.locator(".w-figure", has_text="Lowest")).to_contain_text("17.99 USD")
    await expect(page.locator(".w-figure", has_text="Observations")).to_contain_text(str(len(HISTORY)))
    await expect(page.get_by_role("img", name=re.compile("from 2 offers, in USD"))).to_be_visible()
    await page.get_by_text("1 gap in which nothing was observed").click()
    await expect(page.locator("details li")).to_contain_text("(10 d)")
    await expect(page.get_by_role("link", name="The same hammer")).to_be_visible()
    async with redrawing(page):
        await page.get_by_label("Show").select_option("7")
    await expect(page.get_by_text("in which nothing was observed")).to_have_count(0)
    await check_accessible(page)
    await shot(page, "offer")


async def test_the_list_shows_what_changed_since_yesterday_and_the_month_as_a_line(
    open_as: Opened, served: Served
) -> None:
    watched_offer(served, "moving")
    offer = make.offer(served, make.source(served, "falling"), "Falling lamp", [2000] * 8 + [1500])
    page = await open_as("viewer", "/products?source_id=falling")
    row = page.locator("tbody tr").filter(has_text="Falling lamp")
    await expect(row).to_have_count(1)
    await expect(row).to_contain_text("−25.0 % since yesterday")
    await expect(row.get_by_role("img", name="9 prices in 30 days, 15.00 USD to 20.00 USD")).to_be_visible()
    assert served.sql("SELECT count(*) FROM images WHERE product_id = %s", offer) == [(0,)]
    await expect(row.locator("img")).to_have_count(0)


async def test_the_list_is_narrowed_down_by_facets_and_sorted(open_as: Opened, served: Served) -> None:
    here = make.source(served, "facets")
    for title, price, brand in (("Blue mug", 500, "Kobalt"), ("Red mug", 1500, "Karmijn"), ("Old mug", 800, "Kobalt")):
        made = make.offer(served, here, title, [price])
        served.sql("UPDATE source_products SET brand = %s, category = 'Mugs' WHERE id = %s", brand, made)
    index_offers(served.database_url)
    page = await open_as("viewer", "/products?source_id=facets")
    rows = page.locator("tbody tr")
    await expect(rows).to_have_count(3)
    await page.get_by_role("button", name="Kobalt 2").click()
    await expect(rows).to_have_count(2)
    await expect(page.get_by_role("button", name="Kobalt")).to_have_attribute("aria-pressed", "true")
    assert "brand=Kobalt" in page.url
    await page.get_by_label("Sort").select_option("price_desc")
    await expect(rows.first).to_contain_text("Old mug")
    await page.get_by_label("Sort").select_option("price_asc")
    await expect(rows.first).to_contain_text("Blue mug")
    await page.get_by_role("button", name="Kobalt").click()
    await expect(rows).to_have_count(3)
    await page.get_by_role("button", name="10 to 25 USD").click()
    await expect(rows).to_have_count(1)
    await expect(rows).to_contain_text("Red mug")
    await check_accessible(page)
    await no_sideways_scroll(page)


async def test_a_product_shows_the_offers_of_its_shops_and_their_history(open_as: Opened, served: Served) -> None:
    offers = [
        make.offer(served, make.source(served, f"side{n}"), f"Drill of side{n}", [start] * 8 + [start - 500])
        for n, start in enumerate((9900, 8900, 10900))
    ]
    ((product,),) = served.sql(
        "WITH p AS (INSERT INTO products (name, brand, gtin) VALUES ('Drill', 'Kobalt', '04006381333931') RETURNING id)"
        ", l AS (INSERT INTO product_links (source_product_id, product_id, method, evidence) "
        "SELECT o, p.id, 'gtin', 'tests' FROM p, unnest(%s::bigint[]) AS o) SELECT id FROM p", offers,
    )  # fmt: skip
    page = await open_as("viewer", f"/offers/{offers[0]}")
    await page.get_by_role("link", name="Drill (04006381333931)").click()
    await expect(page).to_have_url(f"{served.url}/products/{product}")
    await expect(page.locator("tbody tr")).to_have_count(3)
    await expect(page.locator("tbody tr").first).to_contain_text("84.00 USD")  # the cheapest first
    await expect(page.locator(".w-figure", has_text="Highest in stock")).to_contain_text("104.00 USD")
    await expect(page.get_by_role("img", name="Prices of Drill over time, from 3 offers, in USD")).to_be_visible()
    await check_accessible(page)
    await no_sideways_scroll(page)
    await shot(page, "product")


async def test_a_watch_rule_is_added_and_deleted(open_as: Opened, served: Served) -> None:
    offer, target = watched_offer(served, "telling")
    page = await open_as("operator", f"/offers/{offer}")
    rules = "SELECT condition, currency, drop_percent FROM watches WHERE target_id = %s ORDER BY id"
    await page.get_by_role("textbox", name="Price").fill("cheap")
    await press(page, "Add this rule")
    await expect_notice(page, "A price is written like 20, 19.99 or 19.99 EUR.")
    assert served.sql(rules, target) == []
    await page.get_by_role("textbox", name="Price").fill("15 USD")
    async with redrawing(page, 1):
        await press(page, "Add this rule")
        await expect_notice(page, "Added.")
    async with redrawing(page, 1):
        await page.get_by_label("Notify when").select_option("drop")
        await page.get_by_role("textbox", name="Price").fill("10%")
        await press(page, "Add this rule")
    assert served.sql(rules, target) == [("price_below", "USD", None), ("price_drop", "USD", 10.0)]
    await expect(page.get_by_text("Notify when the price is below 15 USD")).to_be_visible()
    async with redrawing(page, 1):
        await press(page, "Delete", sure="Delete it")
        await expect_notice(page, "The rule is deleted.")
    assert len(served.sql(rules, target)) == 1
    assert (len(served.audited("watch.added")), len(served.audited("watch.removed"))) == (2, 1)


# domains


async def test_a_domain_is_paused_and_resumed(open_as: Opened, served: Served) -> None:
    make.source(served, "calm")
    page = await open_as("operator", "/domains?q=calm")
    await page.get_by_role("button", name="Pause calm.test").click()
    await page.get_by_role("dialog").get_by_role("button", name="Pause it").click()
    await expect_notice(page, "calm.test is paused.")
    await expect(page.locator("tbody tr")).to_contain_text("when it is resumed")
    assert served.sql("SELECT paused FROM lanes WHERE lane = 'calm.test'") == [(True,)]
    await page.get_by_role("button", name="Resume calm.test").click()
    await expect_notice(page, "calm.test is resumed.")
    assert served.sql("SELECT paused FROM lanes WHERE lane = 'calm.test'") == [(False,)]
    assert (len(served.audited("domain.paused")), len(served.audited("domain.resumed"))) == (1, 1)


async def test_limits_say_where_they_come_from_and_admins_change_them(open_as: Opened, served: Served) -> None:
    make.source(served, "limited")
    page = await open_as("admin", "/domains/limited.test")
    await expect(page.locator("dd", has_text="1 in 2 s")).to_contain_text("from the platform")
    await press(page, "Save", sure="Change limits")
    await expect_notice(page, "Fill in at least one limit.")
    await page.get_by_label("Requests per second").fill("0.2")
    await page.get_by_label("Why").fill("they asked us")
    async with redrawing(page):
        await press(page, "Save", sure="Change limits")
        await expect_notice(page, "Now 1 in 5 s")
    await expect(page.locator("dd", has_text="1 in 5 s")).to_contain_text("from this domain's own limits")
    changed = "SELECT reason FROM audit_log WHERE object_id = 'limited.test' ORDER BY id"
    assert served.sql(changed) == [("they asked us",)]
    async with redrawing(page):
        await press(page, "Reset", sure="Reset")
        await expect_notice(page, "Now 1 in 2 s")
    for label, sure in (("Pause", "Pause it"), ("Resume", "")):
        async with redrawing(page):
            await press(page, label, sure=sure)
        assert served.sql("SELECT paused FROM lanes WHERE lane = 'limited.test'") == [(label == "Pause",)]
    operator = await open_as("operator", "/domains/limited.test")
    await expect(operator.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    await expect(operator.get_by_role("button", name="Pause", exact=True)).to_be_enabled()


async def test_robots_is_shown_as_it_was_understood(open_as: Opened, served: Served) -> None:
    make.source(served, "robots")
    served.sql(
        "INSERT INTO robots (origin, domain, state, body, status_code, fetched_at, expires_at) "
        "VALUES ('https://robots.test', 'robots.test', 'rules', %s, 200, now(), now() + interval '1 day')",
        make.ROBOTS.encode(),
    )  # fmt: skip
    page = await open_as("viewer", "/domains/robots.test")
    await expect(page.locator("pre")).to_contain_text("disallow: /private")
    for path, answer in (("/private/x", "Forbidden by “disallow: /private”."), ("/private/open", "Allowed by")):
        await page.get_by_label("Would this path be fetched?").fill(path)
        await page.keyboard.press("Tab")
        await expect(page.get_by_text(answer)).to_be_visible()
    await check_accessible(page)
    await shot(page, "domain")


async def test_a_proxy_is_added_switched_and_removed_and_its_password_never_shown(
    open_as: Opened, served: Served
) -> None:
    page = await open_as("admin", "/proxies")
    await expect(page.get_by_text("Requests are sent directly.")).to_be_visible()
    await page.get_by_label("Host").fill("169.254.169.254")
    await page.get_by_label("Port").fill("80")
    await press(page, "Add it", sure="Add it")
    await expect(page.locator(".q-notification.bg-negative")).to_be_visible()
    assert served.sql("SELECT count(*) FROM proxies") == [(0,)]
    await page.get_by_label("Host").fill("127.0.0.1")
    await page.get_by_label("Port").fill("9")
    await page.get_by_label("User (optional)").fill("ada")
    await page.get_by_label("Password (optional)").fill("hunter2-secret")
    await press(page, "Add it", sure="Add it")
    await expect_notice(page, "Added. Requests now use proxies.")
    row = page.locator("tbody tr")
    await expect(row).to_contain_text("http://127.0.0.1:9")
    assert "hunter2-secret" not in await page.content()
    await row.get_by_role("button", name="Test").click()
    await expect_notice(page, "The proxy does not work")
    await row.get_by_role("button", name="Disable").click()
    await expect_notice(page, "The proxy is disabled.")
    await row.get_by_role("button", name="Enable").click()
    await expect_notice(page, "The proxy is enabled.")
    await check_accessible(page)
    await row.get_by_role("button", name="Remove").click()
    await page.get_by_role("dialog").get_by_role("button", name="Remove it").click()
    await expect_notice(page, "The proxy is removed.")
    assert served.sql("SELECT count(*) FROM proxies") == [(0,)]
    trail = "SELECT string_agg(coalesce(after::text, '') || coalesce(before::text, ''), '') FROM audit_log"
    assert "hunter2-secret" not in served.sql(trail)[0][0]


# adapters


async def test_an_adapter_is_disabled_with_a_reason_and_enabled_again(open_as: Opened, served: Served) -> None:
    page = await open_as("operator", "/adapters?q=northwood")
    await page.get_by_role("link", name="northwood").click()
    await expect(page.locator("h1")).to_have_text("northwood")
    await page.get_by_label("Reason").select_option("ToS_VIOLATION")
    await page.get_by_label("Note").fill("they wrote to us")
    async with redrawing(page):
        await press(page, "Disable", sure="Disable it")
        await expect_notice(page, "The adapter is disabled.")
    stored = "SELECT enabled, disabled_reason FROM scrape_adapter_status WHERE adapter_id = 'northwood'"
    assert served.sql(stored) == [(False, "ToS_VIOLATION")]
    await expect(page.get_by_text("terms of the site")).to_be_visible()
    async with redrawing(page):
        await press(page, "Enable", sure="Enable it")
        await expect_notice(page, "The adapter is enabled.")
    assert served.sql(stored)[0][0] is True
    assert (len(served.audited("adapter.disabled")), len(served.audited("adapter.enabled"))) == (1, 1)


async def test_a_candidate_is_replayed_and_what_it_reads_differently_is_shown(open_as: Opened, served: Served) -> None:
    page = await open_as("operator", "/adapters/northwood")
    await page.get_by_label("Version").select_option("1.1.0")
    await press(page, "Start the replay")
    await expect(page).to_have_url(re.compile(r"/replays/\d+$"))
    await expect(page.locator("h1")).to_contain_text("of northwood")
    await expect(page.locator(".w-heading .w-badge")).to_have_text("Done")
    started = served.sql("SELECT id, live_version, candidate_version, status FROM replays")
    assert [tuple(row[1:]) for row in started] == [("1.0.0", "1.1.0", "done")]
    assert len(served.audited("replay.started")) == 1
    served.sql("UPDATE replays SET pages = 200, same = 199, changed = 1")
    served.sql(
        "INSERT INTO replay_differences (replay_id, page_id, field, before, after) "
        """VALUES (%s, gen_random_uuid(), 'title', '"<b>Old</b>"', '"New"')""", started[0][0],
    )  # fmt: skip
    await page.reload()
    example = page.get_by_role("table", name="Examples").locator("tbody tr")
    await expect(example).to_contain_text("<b>Old</b>")
    await expect(example).to_contain_text("changed")
    await check_accessible(page)
    await shot(page, "replay")


async def test_an_adapters_health_is_drawn_against_its_baseline(open_as: Opened, served: Served) -> None:
    source = make.source(served, "healthy")
    served.sql(
        "INSERT INTO scrape_runs (adapter_id, source_id, status, completed_at, failure_rate, yield_rate) "
        "SELECT 'generic', %s, 'SUCCESS', now() - n * interval '1 hour', 0.02, 0.95 FROM generate_series(1, 20) AS n",
        source,
    )  # fmt: skip
    served.sql(
        "INSERT INTO scrape_adapter_status (adapter_id, baseline_failure_rate, baseline_yield_rate, "
        "last_batch_failure_rate) VALUES ('generic', 0.05, 0.94, 0.02) ON CONFLICT (adapter_id) DO UPDATE SET "
        "baseline_failure_rate = 0.05, baseline_yield_rate = 0.94, last_batch_failure_rate = 0.02"
    )
    page = await open_as("viewer", "/adapters/generic")
    await expect(page.get_by_role("img", name=re.compile("last 20 runs, against the baseline"))).to_be_visible()
    await expect(page.locator(".w-figure", has_text="Usual failures")).to_contain_text("5.0 %")
    await expect(page.get_by_role("button", name="Disable")).to_be_disabled()
    await expect(page.get_by_role("button", name="Start the replay")).to_be_disabled()
    await shot(page, "adapter")


# who may


@pytest.mark.parametrize(
    ("path", "who", "button", "sure"),
    [
        ("/domains/refused.test", "operator", "Pause", "Pause it"),
        ("/domains/refused.test", "admin", "Reset", "Reset"),
        ("/adapters/northwood", "operator", "Disable", "Disable it"),
        ("/adapters/northwood", "operator", "Start the replay", ""),
        ("/proxies", "admin", "Add it", "Add it"),
    ],
)
async def test_a_role_taken_away_counts_at_once(
    open_as: Opened, served: Served, path: str, who: str, button: str, sure: str
) -> None:
    served.sql("INSERT INTO lanes (lane) VALUES ('refused.test') ON CONFLICT DO NOTHING")
    page = await open_as(who, path)
    before = served.sql("SELECT count(*) FROM audit_log")
    with demoted(served, who, "viewer"):
        await press(page, button, sure=sure)
        await expect_notice(page, f"This needs the role {who}; you are viewer.")
    assert served.sql("SELECT count(*) FROM audit_log") == before


async def test_a_viewer_changes_no_domain_and_no_proxy(open_as: Opened, served: Served) -> None:
    make.source(served, "closed")
    page = await open_as("viewer", "/domains/closed.test")
    for name in ("Pause", "Save", "Reset"):
        await expect(page.get_by_role("button", name=name, exact=True)).to_be_disabled()
    await page.goto(f"{served.url}/proxies")
    await settled(page)
    await expect(page.get_by_text("Add a proxy")).to_have_count(0)


@pytest.mark.slow
@pytest.mark.parametrize("narrow", [False, True])
async def test_every_page_fits_and_is_accessible(open_as: Opened, served: Served, narrow: bool) -> None:
    offer, _ = watched_offer(served, f"fits-{narrow}".lower())
    page = await open_as("admin", narrow=narrow, dark=narrow)
    paths = ("/products", f"/offers/{offer}", "/domains", "/domains/refused.test", "/proxies", "/adapters")
    served.sql("INSERT INTO lanes (lane) VALUES ('refused.test') ON CONFLICT DO NOTHING")
    for path in (*paths, "/adapters/northwood"):
        await page.goto(served.url + path)
        await settled(page)
        await expect(page.locator("h1")).to_be_visible()
        await check_accessible(page)
        await no_sideways_scroll(page)
        await shot(page, f"catalogue{path.replace('/', '-')}-{'390' if narrow else '1280'}")
