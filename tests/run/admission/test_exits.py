"""Tasks that go out through proxies: whole trips of a real worker through real ones."""

from __future__ import annotations

from collections.abc import AsyncIterator
from itertools import pairwise

import pytest

from tests.proxy_servers import HttpProxy, ProxyServer, SocksProxy
from tests.run.scripted_site import Site, product
from winnow.fetch.settings import FetchSettings
from winnow.run.admission.proxy_choice import Exits, ProxyWish, wish_of

ENDED = "SELECT status, outcome, reason FROM tasks ORDER BY created_at"


@pytest.fixture(params=[HttpProxy, SocksProxy])
async def proxy(request: pytest.FixtureRequest) -> AsyncIterator[ProxyServer]:
    opened = await request.param(login=("winnow", "opensesame")).start()
    yield opened
    await opened.stop()


@pytest.fixture
async def http_proxy() -> AsyncIterator[HttpProxy]:
    opened = await HttpProxy(login=("winnow", "opensesame")).start()
    yield opened
    await opened.stop()


def by(*proxies: ProxyServer | str, **more: object) -> FetchSettings:
    named = (p if isinstance(p, str) else f"{p.scheme}://winnow:opensesame@127.0.0.1:{p.port}" for p in proxies)
    given = {"SCRAPER_PROXY_ENDPOINTS": ",".join(named), "SCRAPER_PROXY_DOMAIN_COOLDOWN_SECONDS": 0, **more}
    return FetchSettings(egress_allow=("127.0.0.0/8",), fetch_timeout_ms=60_000, **given)


async def test_every_request_of_a_task_goes_through_the_proxy(proxy, site: Site, watch, start, work, rows, logged):
    await start(await watch([site.says("/p", product())]))
    await work(fetch=by(proxy, SCRAPER_PROXY_DOMAIN_RATE=5))
    assert await rows(ENDED) == [("done", "accepted", None)]
    assert [seen.path for seen in site.log] == ["/robots.txt", "/p"]
    assert proxy.connections >= 2, "a connection whose grant ran out while it was made carries nothing"
    ((used, successes, sealed),) = await rows("SELECT id, success_count, proxy_password FROM proxies")
    assert successes == 2
    assert await rows("SELECT decision->'proxy' FROM pages") == [used]
    assert b"opensesame" not in bytes(sealed)
    assert "opensesame" not in str(logged)


async def test_s112_a_domain_waits_for_its_proxy_to_cool_down(http_proxy, site: Site, watch, start, work, rows):
    """One proxy and two pages: the ledger would allow them at once."""
    await start(await watch([site.says(f"/p{n}", product(sku=str(n))) for n in range(2)]))
    await work(fetch=by(http_proxy, SCRAPER_PROXY_DOMAIN_COOLDOWN_SECONDS=1.5))
    assert await rows(ENDED) == [("done", "accepted", None)] * 2
    times = site.times()
    assert len(times) == 3
    assert min(b - a for a, b in pairwise(times)) > 1.3
    assert await rows("SELECT max(attempts) FROM tasks") == [1], "waiting is not the task's fault"


async def test_the_ledger_holds_for_proxied_requests_too(site: Site, watch, start, work):
    """Three proxies make a site no faster."""
    proxies = [await HttpProxy(login=("winnow", "opensesame")).start() for _ in range(3)]
    source = await watch([site.says(f"/p{n}", product(sku=str(n))) for n in range(3)], rate=1, concurrent=8)
    await start(source)
    await work(fetch=by(*proxies, SCRAPER_PROXY_DOMAIN_RATE=5))
    times = site.times()
    assert len(times) == 4
    assert min(b - a for a, b in pairwise(times)) > 0.9
    assert sum(p.connections for p in proxies) >= 4
    assert all(p.connections for p in proxies)
    for p in proxies:
        await p.stop()


async def test_s067_without_a_healthy_proxy_nothing_is_sent(http_proxy, site: Site, watch, start, work, rows):
    await http_proxy.stop()
    await start(await watch([site.says("/p", product())]))
    await rows("UPDATE tasks SET max_attempts = 1")
    await work(fetch=by(http_proxy))
    assert site.log == []
    ((status, outcome, reason),) = await rows(ENDED)
    assert (status, outcome, reason) == ("failed", "error", "no_healthy_proxies")
    assert await rows("SELECT is_healthy, total_failure_count FROM proxies") == [(False, 1)]


async def test_a_proxy_that_fails_says_nothing_about_robots(http_proxy, site: Site, watch, start, work, rows):
    """The site was not asked: nothing of it is blocked for an hour."""
    await http_proxy.stop()
    spare = await HttpProxy(login=("winnow", "opensesame")).start()
    await start(await watch([site.says("/p", product())]))
    await work(fetch=by(http_proxy, spare, SCRAPER_PROXY_DOMAIN_RATE=5))
    await spare.stop()
    assert await rows("SELECT state, failures FROM robots") == [("rules", 0)]
    assert await rows(ENDED) == [("done", "accepted", None)]
    assert await rows("SELECT is_healthy FROM proxies ORDER BY id") == [False, True]


async def test_direct_is_taken_only_where_it_is_named(http_proxy, site: Site, watch, start, work, rows):
    await http_proxy.stop()
    await start(await watch([site.says("/p", product())]))
    await work(fetch=by(http_proxy, "direct"))
    assert (await rows(ENDED))[0][:2] == ("done", "accepted")
    assert await rows("SELECT count(*) FROM pages WHERE decision ? 'proxy'") == [0]


async def test_a_source_may_want_no_proxy(http_proxy, site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product())])
    await rows('UPDATE sources SET scrape_config = \'{"proxy": "direct"}\' WHERE id = %s', source)
    await start(source)
    await work(fetch=by(http_proxy))
    assert (http_proxy.connections, site.asked("/p")) == (0, 1)


async def test_a_region_nobody_serves_fails(http_proxy, site: Site, watch, start, work, rows):
    source = await watch([site.says("/p", product())])
    await rows('UPDATE sources SET scrape_config = \'{"proxyRegion": "de"}\' WHERE id = %s', source)
    await start(source)
    await rows("UPDATE tasks SET max_attempts = 1")
    await work(fetch=by(http_proxy))
    assert (site.log, (await rows(ENDED))[0][2]) == ([], "no_healthy_proxies")


async def test_s066_a_check_restores_a_proxy_that_is_back(http_proxy, database, settings, rows):
    from winnow.fetch.egress.allow import AllowList
    from winnow.fetch.egress.guard import EgressGuard

    exits = Exits(database, settings.db, by(http_proxy), EgressGuard(AllowList(["127.0.0.0/8"])))
    await exits.open()
    await rows("UPDATE proxies SET is_healthy = false")
    port = http_proxy.port
    await http_proxy.stop()
    assert await exits.check_unhealthy() == 0
    await http_proxy.start(port)
    assert await exits.check_unhealthy() == 1
    assert await rows("SELECT is_healthy, failure_count, success_count FROM proxies") == [(True, 0, 0)]
    assert (await exits.choose("shop.example")).url == f"http://127.0.0.1:{port}"
    await exits.tidy()


@pytest.mark.parametrize(
    ("config", "wish"),
    [
        ({}, ProxyWish()),
        ({"proxy": "direct"}, ProxyWish(direct=True)),
        ({"proxyRegion": "us"}, ProxyWish(region="us")),
        ({"proxy": 7, "proxyRegion": 8}, ProxyWish()),
    ],
)
def test_what_a_source_wants(config, wish):
    assert wish_of(config) == wish
