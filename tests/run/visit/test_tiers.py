"""E-033 … E-036: a page that plain HTTP does not get is tried another way, and what works is remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.run.scripted_site import Site, product
from winnow.actions import scrape_url
from winnow.db.engine import Database
from winnow.demo.shop import DemoShop
from winnow.fetch.tiers import Way
from winnow.normalise.record import Offer
from winnow.settings import Settings

pytestmark = pytest.mark.browser
PAGES = "SELECT fetcher_used, outcome, coalesce(error_class, '-'), is_failover FROM pages ORDER BY created_at, id"
LEARNT = "SELECT preferred_fetcher FROM sources WHERE id = %s"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    fast = settings.browser.model_copy(update={"browser_fallback": True, "graceful_shutdown_seconds": 1})
    return replace(settings, browser=fast)


def app_url(shop: DemoShop, n: int = 0) -> str:
    return f"{shop.url}/app/{[p for p in shop.products if not p.price_hidden and not p.tiered][n].slug}"


async def test_e036_a_shop_of_scripts_is_read_in_a_browser_and_goes_there_at_once_the_next_time(
    shop: DemoShop, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    source = await watch([app_url(shop)])
    await start(source)
    await work()
    assert await rows(PAGES) == [("static", "blocked", "empty_shell", False), ("dynamic", "ok", "-", True)]
    assert await rows("SELECT status, outcome, attempts, route FROM tasks") == [
        ("done", "accepted", 1, {"way": "dynamic"})
    ]
    assert await rows("SELECT count(*)::int FROM prices") == [1]
    assert await rows(LEARNT, source) == ["dynamic"]

    await rows("DELETE FROM tasks")
    await start(source)
    await work()
    assert (await rows(PAGES))[2:] == [("dynamic", "ok", "-", False)]

    # now and then plain HTTP is tried again
    await rows("UPDATE sources SET fetcher_learnt_at = now() - interval '8 days'")
    await rows("DELETE FROM tasks")
    await start(source)
    await work()
    assert [way for way, *_ in (await rows(PAGES))[3:]] == ["static", "dynamic"]
    assert await rows("SELECT fetcher_learnt_at > now() - interval '1 day' FROM sources") == [True]
    assert await rows("SELECT lane FROM lanes WHERE queued <> 0 OR in_flight <> 0") == []


async def test_e035_a_page_that_is_whole_only_after_its_scripts_is_read_in_a_browser(
    site: Site, watch: Any, start: Any, work: Any, rows: Any
) -> None:
    """Enough text to be a page, and no product on it: its scripts put it there."""
    script = product(name="Late Shoe").partition("<script")[2].partition("</script>")[0].partition(">")[2]
    url = site.says(
        "/p/1",
        f"<html><title>Shop</title><body><nav>{'Shoes and hats and more of them. ' * 50}</nav><div id=app></div>"
        "<script>const s = document.createElement('script'); s.type = 'application/ld+json';"
        f"s.textContent = {script!r};"
        "document.head.append(s); document.getElementById('app').innerHTML = '<h1>Late Shoe</h1>';</script></body>",
    )
    source = await watch([url])
    await start(source)
    await work()
    assert await rows("SELECT outcome, route FROM tasks") == [("accepted", {"way": "dynamic"})]
    assert await rows(LEARNT, source) == ["dynamic"]
    assert site.asked("/p/1") == 2


ADAPTER = """
id = "shop"
version = "1.0.0"
domain = "{domain}"
currency = "EUR"
needs_browser = true
wait_for = ".stock"
scrolls = 1
[fields]
title = "h1"
price = ".price"
availability = ".stock"
"""


async def test_p108_s051_s057_an_adapter_waits_and_scrolls_with_the_delays_of_the_domain(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, settings: Settings, tmp_path: Path
) -> None:
    """The stock comes late, the price when a reader scrolls: neither is on the page when it is quiet."""
    url = site.says(
        "/p/1",
        "<html><title>Shop</title><body><h1>Late Shoe</h1><div style=height:3000px>" + "A fine shoe. " * 60 + "</div>"
        "<script>const put = html => document.body.insertAdjacentHTML('beforeend', html);"
        "setTimeout(() => put('<p class=stock>In stock</p>'), 900);"
        "addEventListener('scroll', () => document.querySelector('.price') || put('<p class=price>€ 12.50</p>'))"
        "</script></body>",
    )
    folder = tmp_path / "adapters" / "shop"
    folder.mkdir(parents=True)
    (folder / "live.toml").write_text(ADAPTER.format(domain=site.domain))
    await rows(
        "INSERT INTO domains (domain_name, base_url, min_delay_ms, max_delay_ms) VALUES (%s, %s, 1500, 1500)",
        site.domain,
        site.url,
    )
    await start(await watch([url], adapter="shop"))
    await work(run=settings.run.model_copy(update={"adapters_dir": folder.parent}))
    assert await rows("SELECT outcome, reason FROM tasks") == [("accepted", None)]
    assert await rows("SELECT amount_minor::int FROM prices") == [1250]
    # 0.9 s until the stock is there, then the domain's delay before and after the one scroll
    assert await rows("SELECT fetch_duration_ms >= 3900 FROM pages") == [True]


async def test_e034_a_captcha_ends_blocked_with_its_reason_and_a_picture_of_it(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, settings: Settings
) -> None:
    wall = "<title>Robot Check</title><h4>Enter the characters you see below</h4><form action=/errors/validateCaptcha>"
    await start(await watch([site.says("/p/1", wall)]))
    await work()
    assert await rows(PAGES) == [("static", "blocked", "captcha", False), ("dynamic", "blocked", "captcha", True)]
    assert await rows("SELECT status, outcome, reason FROM tasks") == [("failed", "blocked", "captcha")]
    assert await rows("SELECT count(*)::int FROM drafts") == [0]
    (shot,) = await rows("SELECT screenshot_hash FROM pages WHERE screenshot_hash IS NOT NULL")
    assert any(shot in str(file) for file in (settings.db.folder / "pages").rglob("*"))


async def test_chromium_missing_is_a_typed_outcome_and_everything_else_works(
    site: Site, watch: Any, start: Any, work: Any, rows: Any, settings: Settings, tmp_path: Any
) -> None:
    shell = site.says("/shell", "<title>Shop</title><div id=root></div><script src=/m.js></script>")
    source = await watch([shell, site.says("/p", product())])
    await start(source)
    missing = settings.browser.model_copy(update={"browser_executable": tmp_path / "nothing"})
    await work(browser=missing)
    ends = "SELECT replace(url, %s, ''), status, reason FROM tasks ORDER BY 1"
    assert await rows(ends, site.url) == [("/p", "done", None), ("/shell", "failed", "empty_shell")]

    await rows("DELETE FROM tasks")
    await rows("""UPDATE sources SET scrape_config = '{"fetcherType": "playwright"}'""")
    await start(source)
    await work(browser=missing)
    assert await rows("SELECT DISTINCT status, reason FROM tasks") == [("failed", "browser_missing")]
    assert await rows("SELECT DISTINCT error_type FROM dead_letters") == ["browser_missing"]


async def test_one_page_by_hand_in_a_browser(shop: DemoShop, database: Database, settings: Settings) -> None:
    plain = await scrape_url.scrape(database, settings, app_url(shop))
    assert (plain.result.outcome, plain.result.error_class, plain.assessment) == ("blocked", "empty_shell", None)
    shown = await scrape_url.scrape(database, settings, app_url(shop), way=Way.DYNAMIC)
    assert shown.assessment is not None
    (judged,) = shown.assessment.records
    assert judged.decode(Offer).price is not None
