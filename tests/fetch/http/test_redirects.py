"""Redirects: every hop is checked, followed as browsers do, and takes no secrets along (R-13)."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from tests.fetch.fault_server import FaultServer
from tests.fetch.faults import PAGE
from tests.fetch.fetching import Canary, Fetch, Open, loopback
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchRequest, Outcome, Refusal
from winnow.fetch.url import CheckedUrl

# --- redirects ------------------------------------------------------------------------------------------

INWARD = [
    "http://169.254.169.254/", "http://127.0.0.1:{canary}/", "http://localhost:{canary}/", "//127.0.0.1:{canary}/",
    "http://[::1]:{canary}/", "http://0x7f.1:{canary}/", "http://user@127.0.0.1:{canary}/", "file:///etc/passwd",
    "gopher://127.0.0.1:{canary}/", "javascript:alert(1)", "data:text/html,x", "http://127.0.0.1:6379/", "http://[::1/",
    "\\\\127.0.0.1:{canary}\\x", "http:\\\\127.0.0.1:{canary}", "/ok%0d%0aX-Injected: 1", "/ok%0A", "http:///x", "",
]  # fmt: skip


@pytest.mark.parametrize("target", INWARD)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_r13_every_hop_passes_the_guard(
    fetch: Fetch, faults: FaultServer, canary: Canary, target: str, status: int
) -> None:
    location = target.format(canary=canary.port)
    result = await fetch(f"/to?status={status}&url={quote(quote(location, safe=':/?=[]@ '))}")
    assert (result.outcome, result.body) == (Outcome.REFUSED, None)
    assert canary.connections == 0
    assert faults.paths() == ["/to"]


@pytest.mark.parametrize(
    "location", ["ok", "./ok", "/x/../ok", "/ok?a b", "/ok?caf\u00e9", " /ok\t", "//shop.test:{port}/ok"]
)
async def test_redirects_are_followed_as_browsers_read_them(fetch: Fetch, faults: FaultServer, location: str) -> None:
    result = await fetch(f"/to?url={quote(quote(location.format(port=faults.port), safe=':/?= '))}")
    assert (result.outcome, result.body) == (Outcome.OK, PAGE)
    assert result.redirects == [result.final_url]


async def test_r13_five_redirects_are_enough_and_six_too_many(fetch: Fetch, faults: FaultServer) -> None:
    result = await fetch("/chain?n=5")
    assert (result.outcome, len(result.redirects), result.final_url) == (Outcome.OK, 5, faults.url("/ok"))
    faults.requests.clear()
    assert (await fetch("/chain?n=6")).error_class == "too_many_redirects"
    assert len(faults.requests) == 6, "the seventh request is not made"


async def test_on_hop_is_asked_before_every_hop_and_can_end_the_trip(fetch: Fetch, faults: FaultServer) -> None:
    asked: list[str] = []

    async def on_hop(url: CheckedUrl) -> Refusal | None:
        asked.append(url.target)
        if url.target == "/ok":
            return Refusal(error_class=FailureCode.ROBOTS, error="robots.txt says no", retry_after_s=3)
        return None

    result = await fetch("/chain?n=2", on_hop=on_hop)
    assert asked == ["/chain?n=1", "/ok"]
    assert (result.outcome, result.error_class, result.retry_after_s) == (Outcome.ROBOTS_BLOCKED, "robots", 3)
    assert result.final_url == faults.url("/ok")
    assert faults.paths() == ["/chain", "/chain"]


SECRETS = {"Authorization": "Bearer s3cret", "Cookie": "session=s3cret", "X-Service-Key": "s3cret"}


async def test_r13_custom_headers_stay_within_the_origin(fetch: Fetch) -> None:
    echoed = (await fetch("/to?url=/echo", headers=SECRETS)).body or b""
    assert echoed.count(b"s3cret") == 3


@pytest.mark.parametrize("change", ["host", "port"])
async def test_r13_credentials_drop_when_the_host_or_the_port_changes(
    faults: FaultServer, open_fetcher: Open, change: str
) -> None:
    other = await FaultServer().start()
    fetcher = await open_fetcher("127.0.0.0/8", resolve=loopback)
    away = faults.url("/echo", "other.test") if change == "host" else other.url("/echo", "shop.test")
    request = FetchRequest(url=faults.url(f"/to?url={away}", "shop.test"), headers=SECRETS)
    result = await fetcher.fetch(request)
    await other.stop()
    assert result.outcome is Outcome.OK
    assert b"s3cret" not in (result.body or b"")
    assert b"user-agent: Winnow/1.0" in (result.body or b"")


async def test_r13_credentials_do_not_come_back_on_the_way_home(faults: FaultServer, open_fetcher: Open) -> None:
    fetcher = await open_fetcher("127.0.0.0/8", resolve=loopback)
    home = faults.url("/echo", "a.test")
    there = faults.url(f"/to?url={home}", "b.test").replace("?", "%3F")
    result = await fetcher.fetch(FetchRequest(url=faults.url(f"/to?url={there}", "a.test"), headers=SECRETS))
    assert (result.final_url, b"s3cret" in (result.body or b"")) == (home, False)


async def test_cookies_live_for_one_chain_only(fetch: Fetch, faults: FaultServer) -> None:
    assert (await fetch("/cookie_gate")).outcome is Outcome.OK
    assert b"cookie" not in ((await fetch("/echo")).body or b"")
    assert faults.requests[1].headers["cookie"] == "pass=yes"
