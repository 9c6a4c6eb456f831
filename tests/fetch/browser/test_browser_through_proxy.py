"""A browser that leaves through a proxy: every request of the page, and still only to what the guard admits."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fetch.browser.conftest import Canary, Site, page, settings
from tests.proxy_servers import HttpProxy, ProxyServer, SocksProxy
from winnow.fetch.browser.fetcher import BrowserFetcher
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.outcome import FetchRequest, Outcome
from winnow.fetch.proxies.endpoint import ProxyEndpoint
from winnow.fetch.proxies.tunnel import Tunnel

pytestmark = pytest.mark.browser

WORDS = "<h1>Kettle</h1>" + "<p>With a handle that stays cool.</p>" * 20


@pytest.fixture
async def proxy(request: pytest.FixtureRequest) -> AsyncIterator[ProxyServer]:
    opened = await request.param(login=("user", "secret")).start()
    yield opened
    await opened.stop()


def tunnel(proxy: ProxyServer) -> Tunnel:
    endpoint = ProxyEndpoint(
        protocol=proxy.scheme, host="127.0.0.1", port=proxy.port, username="user", password="secret"
    )
    return Tunnel(endpoint, EgressGuard(AllowList(["127.0.0.0/8"])), seconds=5.0)


@pytest.mark.parametrize("proxy", [HttpProxy, SocksProxy], indirect=True)
async def test_every_request_of_a_page_takes_the_proxy_and_none_goes_inside(
    proxy: ProxyServer, site: Site, canary: Canary, tmp_path: Path
) -> None:
    inside = f"http://127.0.0.1:{canary.port}/x.png"
    site.answers |= {"/": page(f"{WORDS}<img src='{inside}'><script src='/s.js'></script>"), "/s.js": page("")}
    guard = EgressGuard(AllowList([f"127.0.0.1:{site.port}"]))
    fetcher = BrowserFetcher(settings(), guard, records=tmp_path)
    try:
        direct = await fetcher.fetch(FetchRequest(url=site.url()), dial=tunnel(proxy))
        await proxy.stop()
        dead = await fetcher.fetch(FetchRequest(url=site.url()), dial=tunnel(proxy))
    finally:
        await fetcher.close()
    assert (direct.outcome, b"Kettle" in (direct.body or b"")) == (Outcome.OK, True)
    assert {"/", "/s.js"} <= set(site.paths())
    assert {asked.removeprefix("CONNECT ") for asked in proxy.asked} == {f"127.0.0.1:{site.port}"}
    assert canary.met == []
    assert (dead.outcome, dead.error_class, dead.body) == (Outcome.ERROR, "proxy", None)
