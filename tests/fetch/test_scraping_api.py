"""E-035, E-043: the scraping API, spoken to a local server that answers as the service does."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.fetch.fetching import loopback, settings
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult, Outcome, Refusal
from winnow.fetch.settings import BrowserSettings
from winnow.fetch.tiers import Way
from winnow.fetch.url import CheckedUrl
from winnow.fetch.ways import Ways, open_ways

KEY = "very-secret-key"
TEXT = "<html><body><h1>Kettle</h1><p>12.50 EUR, in stock</p></body></html>"


class Service:
    """`says` is the next answer; `asked` the questions as they came."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.says: Callable[[], web.Response] = lambda: page(TEXT)

    async def answer(self, request: web.Request) -> web.Response:
        self.asked.append(dict(request.query))
        return self.says()


def page(text: str, status: int = 200, url: str = "http://shop.example/p") -> web.Response:
    """About the page: the site's own status, and where it was found."""
    headers = {"Spb-Initial-Status-Code": str(status), "Spb-Resolved-Url": url, "Spb-Cost": "5", "ETag": '"x"'}
    return web.Response(text=text, status=status, content_type="text/html", headers=headers)


def account(status: int, message: str) -> web.Response:
    return web.json_response({"message": message}, status=status)


@pytest.fixture
async def service() -> AsyncIterator[tuple[Service, Ways]]:
    served, app = Service(), web.Application()
    app.router.add_get("/api/v1/", served.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port = runner.addresses[0][1]
    guard = EgressGuard(AllowList([f"127.0.0.1:{port}", "shop.example", "other.example"]), loopback)
    http = HttpFetcher(settings(fetch_idle_timeout_ms=20_000, fetch_connect_timeout_ms=20_000), guard)
    await http.open()
    mine = BrowserSettings(scrapingbee_api_key=KEY, scrapingbee_api_url=f"http://127.0.0.1:{port}/api/v1/")  # type: ignore[arg-type]
    yield served, open_ways(mine, http, guard, Path("/nonexistent"))
    await http.close()
    await runner.cleanup()


async def asked(ways: Ways, url: str = "http://shop.example/p", **more: Any) -> FetchResult:
    return await ways.fetch(Way.SCRAPINGBEE, FetchRequest(url=url, etag='"old"', timeout_ms=20_000), **more)


async def test_e035_the_page_comes_as_if_it_had_been_fetched(service: tuple[Service, Ways]) -> None:
    served, ways = service
    result = await asked(ways, "http://shop.example/p?a=1&b=2")
    assert (result.outcome, result.status_code, result.body) == (Outcome.OK, 200, TEXT.encode())
    assert result.url == "http://shop.example/p?a=1&b=2"
    assert result.etag is None, "it is not the site's"
    (question,) = served.asked
    assert question == {
        "api_key": KEY,
        "url": "http://shop.example/p?a=1&b=2",
        "render_js": "true",
        "transparent_status_code": "true",
        "timeout": "20000",
    }
    assert Way.SCRAPINGBEE in ways.available


ENDINGS: dict[str, tuple[Callable[[], web.Response], str, str]] = {
    "the site's 404": (lambda: page("gone", 404), "error", "http_404"),
    "the site's 403": (lambda: page("<h1>no</h1>", 403), "blocked", "http_403"),
    "the site's 429": (lambda: page("slow down", 429), "error", "http_429"),
    "a wall": (
        lambda: page("<title>Just a moment...</title><script>_cf_chl_opt</script>", 403),
        "blocked",
        "challenge",
    ),
    "e043 the quota": (lambda: account(401, "Monthly API calls limit reached: 1000"), "error", "api_quota"),
    "no credits": (lambda: account(401, "No more credits available"), "error", "api_quota"),
    "payment": (lambda: account(402, "x"), "error", "api_quota"),
    "a wrong key": (lambda: account(401, "Invalid api key"), "error", "api_key"),
    "too many at once": (lambda: account(429, "Too many concurrent requests"), "error", "api_busy"),
    "it broke": (lambda: account(500, "Error with your request"), "error", "api_error"),
    "a wrong question": (lambda: account(400, "Unknown argument"), "error", "api_error"),
    "a page that is none of its own": (lambda: web.Response(text=TEXT, content_type="text/html"), "error", "api_error"),
}


@pytest.mark.parametrize("name", ENDINGS)
async def test_every_ending_is_typed_and_names_no_key(service: tuple[Service, Ways], name: str) -> None:
    served, ways = service
    served.says, outcome, error = ENDINGS[name]
    result = await asked(ways)
    assert (result.outcome.value, result.error_class) == (outcome, error)
    assert KEY not in repr(result)
    assert result.body is None


async def test_r10_it_is_not_asked_for_what_the_guard_refuses(service: tuple[Service, Ways]) -> None:
    served, ways = service
    for url in ("http://10.0.0.1/", "http://169.254.169.254/latest", "file:///etc/passwd", "http://u:p@shop.example/"):
        assert (await asked(ways, url)).outcome is Outcome.REFUSED
    assert served.asked == []


async def test_it_is_asked_only_with_a_grant(service: tuple[Service, Ways]) -> None:
    served, ways = service

    async def no_slot() -> Refusal:
        return Refusal(error_class=FailureCode.HOP_BUSY, error="busy", retry_after_s=7.0)

    result = await asked(ways, before=no_slot)
    assert (result.error_class, result.retry_after_s, served.asked) == ("hop_busy", 7.0, [])


async def test_where_it_was_redirected_to_is_asked_for_afterwards(service: tuple[Service, Ways]) -> None:
    served, ways = service
    served.says = lambda: page(TEXT, url="http://other.example/secret")
    hops: list[str] = []

    async def forbid(url: CheckedUrl) -> Refusal:
        hops.append(url.url)
        return Refusal(error_class=FailureCode.ROBOTS, error="Disallow: /secret")

    result = await asked(ways, on_hop=forbid)
    assert (result.outcome, result.body, hops) == (Outcome.ROBOTS_BLOCKED, None, ["http://other.example/secret"])
    served.says = lambda: page(TEXT, url="http://10.0.0.1/inside")
    assert (await asked(ways, on_hop=forbid)).outcome is Outcome.REFUSED


async def test_without_a_key_there_is_none(tmp_path: Path) -> None:
    guard = EgressGuard()
    ways = open_ways(BrowserSettings(scrapingbee_api_key=None), HttpFetcher(settings(), guard), guard, tmp_path)
    assert Way.SCRAPINGBEE not in ways.available
    assert (await asked(ways)).error_class == "api_missing"
