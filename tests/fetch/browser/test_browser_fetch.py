"""A page in a browser: rendered, bounded, polite, and ended by the same outcomes as plain HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from tests.fetch.browser.conftest import Fetch, Pool, Site, page, settings
from tests.fetch.fault_server import FaultServer
from tests.fetch.faults import BEHAVIOURS, MEGABYTE
from tests.fetch.faulty_bodies import bomb
from winnow.fetch.browser.fetcher import BrowserFetcher
from winnow.fetch.browser.instance import TabOptions
from winnow.fetch.browser.pages import WAIT_SECONDS, scroll_for_content, wait_for_content
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchRequest, Outcome, Refusal
from winnow.fetch.page_actions import PageActions
from winnow.fetch.url import CheckedUrl

pytestmark = pytest.mark.browser

SPA = """<div id=app></div><script>
fetch('/data').then(r => r.json()).then(d => fetch('/data?second').then(r => r.json()).then(() => {
  app.innerHTML = '<h1>' + d.name + '</h1>' + '<p>With a handle that stays cool.</p>'.repeat(20) })) </script>"""


async def _data(_: web.Request) -> web.Response:
    await asyncio.sleep(0.15)
    return web.json_response({"name": "Kettle"})


async def test_content_made_by_scripts_is_in_the_body(fetch: Fetch, site: Site) -> None:
    site.answers |= {"/": page(SPA), "/data": _data}
    result = await fetch("/")
    assert (result.outcome, result.status_code, result.content_type) == (Outcome.OK, 200, "text/html")
    assert b"<h1>Kettle</h1>" in (result.body or b"")
    assert (result.body or b"").startswith(b"<!DOCTYPE html><html>")


async def test_an_empty_shell_gets_time_to_be_filled(fetch: Fetch, site: Site) -> None:
    late = "setTimeout(() => root.innerHTML = '<h1>' + 'Late</h1><p>Some words about it.</p>'.repeat(30), 700)"
    site.answers["/"] = page(f"<div id=root></div><script>{late}</script>")
    assert b"<h1>Late</h1>" in ((await fetch("/")).body or b"")


async def test_a_shell_that_is_filled_with_little_is_read_as_it_is_then(fetch: Fetch, site: Site) -> None:
    late = "setTimeout(() => root.innerHTML = '<h1>' + 'Jumbo Ltd</h1><p>We build elephants.</p>', 700)"
    site.answers["/"] = page(f"<div id=root></div><script>{late}</script>")
    assert b"<h1>Jumbo Ltd</h1>" in ((await fetch("/")).body or b"")


async def test_a_challenge_that_wants_a_browser_is_passed_politely(fetch: Fetch, site: Site) -> None:
    async def answer(request: web.Request) -> web.Response:
        if "passed=1" in request.headers.get("Cookie", ""):
            return web.Response(text="<h1>The shop</h1>", content_type="text/html")
        script = "setTimeout(() => { document.cookie = 'passed=1'; location.reload() }, 400)"
        text = f"<title>Just a moment...</title><p>Checking your browser</p><script>{script}</script>"
        return web.Response(status=403, text=text, content_type="text/html", headers={"CF-Mitigated": "challenge"})

    asked: list[str] = []

    async def on_hop(url: CheckedUrl) -> None:
        asked.append(url.url)

    site.answers["/"] = answer
    result = await fetch("/", on_hop=on_hop)
    assert (result.outcome, result.status_code, asked) == (Outcome.OK, 200, [site.url("/")])
    assert b"The shop" in (result.body or b"")


async def test_the_profile_is_what_the_page_and_the_server_see(open_pool: Pool, site: Site, guard: EgressGuard) -> None:
    site.answers["/"] = page(
        "<p id=a></p><script>a.textContent = [Intl.DateTimeFormat().resolvedOptions().timeZone, navigator.language,"
        " navigator.userAgent, screen.width, innerWidth, navigator.webdriver].join('|')</script>"
    )
    fetcher = BrowserFetcher(settings(), guard, records=Path(), pool=await open_pool())
    result = await fetcher.fetch(FetchRequest(url=site.url()), region="DE")
    seen = (result.body or b"").partition(b'id="a">')[2].partition(b"</p>")[0].decode().split("|")
    assert seen[:2] == ["Europe/Berlin", "de-DE"]
    assert "Headless" not in seen[2]
    assert seen[2] == site.heard[0].headers["User-Agent"]
    assert site.heard[0].headers["Accept-Language"].startswith("de-DE,de;q=0.9")
    assert 1280 <= int(seen[4]) <= 1920


async def test_redirects_ask_before_the_request_goes_out(fetch: Fetch, site: Site) -> None:
    site.answers |= {
        "/": page("", status=302, headers={"Location": f"http://localhost:{site.port}/other"}),
        "/other": page("<script>location = '/last'</script>"),
        "/last": page("here we are"),
    }
    asked: list[tuple[str, list[str]]] = []

    async def on_hop(url: CheckedUrl) -> None:
        asked.append((url.url, site.paths()))

    result = await fetch("/", on_hop=on_hop)
    assert (result.outcome, b"here we are" in (result.body or b"")) == (Outcome.OK, True)
    assert result.redirects == [url for url, _ in asked]
    assert result.final_url == f"http://localhost:{site.port}/last"
    assert asked[0] == (f"http://localhost:{site.port}/other", ["/"])
    assert "/last" not in asked[1][1]


@pytest.mark.parametrize("how", ["302", "script"])
async def test_a_refused_hop_is_never_sent_and_its_refusal_is_the_result(fetch: Fetch, site: Site, how: str) -> None:
    to = f"http://localhost:{site.port}/other"
    sent_on = (
        page("", status=302, headers={"Location": to}) if how == "302" else page(f"<script>location='{to}'</script>")
    )
    site.answers["/"] = sent_on

    async def on_hop(_: CheckedUrl) -> Refusal:
        return Refusal(error_class=FailureCode.ROBOTS, error="no", retry_after_s=7.0)

    result = await fetch("/", on_hop=on_hop)
    assert (result.outcome, result.error_class, result.retry_after_s) == (Outcome.ROBOTS_BLOCKED, "robots", 7.0)
    assert (result.body, "/other" in site.paths()) == (None, False)


async def test_headers_of_the_source_do_not_follow_to_another_place(fetch: Fetch, site: Site) -> None:
    site.answers |= {
        "/": page("", status=302, headers={"Location": f"http://localhost:{site.port}/other"}),
        "/other": page("here"),
    }
    await fetch("/", headers={"X-Key": "secret", "User-Agent": "other"})
    assert [request.headers.get("X-Key") for request in site.heard[:2]] == ["secret", None]
    assert "other" not in site.heard[0].headers["User-Agent"]


async def test_conditional_requests_can_end_unchanged(fetch: Fetch, site: Site) -> None:
    async def answer(request: web.Request) -> web.Response:
        known = request.headers.get("If-None-Match") == '"v1"'
        return web.Response(
            status=304 if known else 200, text="<p>x", content_type="text/html", headers={"ETag": '"v1"'}
        )

    site.answers["/"] = answer
    first = await fetch("/")
    again = await fetch("/", etag=first.etag)
    assert (first.etag, first.not_modified) == ('"v1"', False)
    assert (again.outcome, again.not_modified, again.etag, again.body) == (Outcome.OK, True, '"v1"', None)


@pytest.mark.parametrize(
    ("status", "outcome"), [(403, "blocked"), (401, "blocked"), (404, "error"), (429, "error"), (503, "error")]
)
async def test_bad_statuses_end_typed_with_a_screenshot(fetch: Fetch, site: Site, status: int, outcome: str) -> None:
    site.answers["/"] = page("no", status=status, headers={"Retry-After": "9"})
    result = await fetch("/")
    assert (result.outcome, result.error_class, result.status_code) == (outcome, f"http_{status}", status)
    assert (result.retry_after_s, result.body) == (9.0, None)
    assert (result.screenshot or b"").startswith(b"\xff\xd8")


async def test_documents_that_are_no_pages_come_as_they_were_sent(fetch: Fetch, site: Site) -> None:
    async def feed(_: web.Request) -> web.Response:
        return web.Response(body="<rss>Caf\xe9</rss>".encode(), content_type="application/rss+xml", charset="utf-8")

    site.answers |= {"/data": _data, "/feed": feed}
    assert (await fetch("/data")).body == b'{"name": "Kettle"}'
    assert ((await fetch("/feed")).body or b"").decode() == "<rss>Caf\xe9</rss>"


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "application/pdf"},
        {"Content-Type": "text/html", "Content-Disposition": "attachment; filename=x"},
    ],
)
async def test_downloads_are_refused(fetch: Fetch, site: Site, headers: dict[str, str]) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=b"%PDF-1.4", headers=headers)

    site.answers["/"] = answer
    assert ((await fetch("/")).error_class) == "download"


async def test_a_page_that_grows_too_large_in_the_browser_is_too_large(fetch: Fetch, site: Site) -> None:
    site.answers["/"] = page("<script>document.body.append('x'.repeat(300000))</script>")
    result = await fetch("/", max_bytes=200_000)
    assert (result.outcome, result.body) == (Outcome.TOO_LARGE, None)


async def test_s052_a_script_that_never_ends_is_a_timeout(fetch: Fetch, site: Site) -> None:
    site.answers["/"] = page("<script>for (;;) {}</script>")
    site.answers["/fine"] = page("fine")
    result = await fetch("/", timeout_ms=1_000)
    assert (result.outcome, result.body) == (Outcome.TIMEOUT, None)
    assert (await fetch("/fine")).outcome is Outcome.OK


async def test_dialogs_and_a_hanging_image_do_not_hold_a_page_up(fetch: Fetch, site: Site) -> None:
    async def hang(_: web.Request) -> web.Response:
        await asyncio.sleep(3600)
        return web.Response()

    site.answers |= {"/": page("<script>alert(1); confirm(2); prompt(3)</script>text<img src=/hang>"), "/hang": hang}
    result = await fetch("/")
    assert (result.outcome, b"text" in (result.body or b"")) == (Outcome.OK, True)


async def test_blocked_resources_are_not_asked_for(open_pool: Pool, site: Site, guard: EgressGuard) -> None:
    site.answers["/"] = page(
        "<link rel=stylesheet href=/s.css><img src=/i.png><video src=/v.mp4></video><script src=/j.js></script>text"
    )
    fetched = {}
    for block in (True, False):
        site.heard.clear()
        wanted = settings(browser_block_resources=block)
        pool = await open_pool(browser_block_resources=block)
        fetcher = BrowserFetcher(wanted, guard, records=Path(), pool=pool)
        assert (await fetcher.fetch(FetchRequest(url=site.url()))).outcome is Outcome.OK
        fetched[block] = set(site.paths()) - {"/favicon.ico"}
    assert fetched == {True: {"/", "/s.css", "/j.js"}, False: {"/", "/s.css", "/j.js", "/i.png", "/v.mp4"}}


# The same words as plain HTTP gives (tests/fetch/http/test_http_fetch.py), but where Chromium reads what we would not:
# it forgives a wrong length, a gzip stream without its end and long heads, as it does for every visitor.
ENDINGS = {
    **dict.fromkeys(["ok", "chunked", "until_close", "gzip_page", "brotli_page", "zstd_page"], ("ok", None)),
    **dict.fromkeys(["double_gzip", "large_cookie", "cookie_gate", "chain?n=5"], ("ok", None)),
    **dict.fromkeys(["triple_gzip", "not_gzip", "unknown_encoding"], ("error", "encoding")),
    **dict.fromkeys(["gzip_bomb", "brotli_bomb", "zstd_bomb", "gzip_bomb_in_gzip"], ("too_large", "too_large")),
    **dict.fromkeys(["endless", "endless_chunked", "huge_length"], ("too_large", "too_large")),
    **dict.fromkeys(["truncated", "chunked_truncated", "reset_in_body", "part"], ("incomplete", "incomplete")),
    **dict.fromkeys(["silent", "stalls", "drip_head", "endless_hints"], ("timeout", "idle_timeout")),
    "drip": ("timeout", "total_timeout"),
    **dict.fromkeys(["reset", "hang_up"], ("error", "reset")),
    **dict.fromkeys(["garbage", "chunked_broken", "length_and_chunked", "endless_head"], ("error", "protocol")),
    **dict.fromkeys(["loop_a", "loop_self", "cookie_treadmill"], ("error", "redirect_loop")),
    "chain?n=6": ("error", "too_many_redirects"),
    "no_location": ("error", "http_302"),
    "split_location": ("refused", "refused"),
    "nowhere": ("error", "http_404"),
}


@pytest.fixture
async def faults() -> AsyncIterator[FaultServer]:
    for kind in ("gzip", "br", "zstd"):
        bomb(kind)  # packing 100 MB takes longer than the deadlines below
    server = await FaultServer().start()
    yield server
    await server.stop()


# How long a server may be silent, and the whole page take, in ms. Only what is to run into them has short ones: a busy
# machine is silent for a second, too.
PATIENT, IDLE_SOON, OVER_SOON = (30_000, 30_000), (1_500, 30_000), (30_000, 3_000)
DEADLINES = {
    **dict.fromkeys(["silent", "stalls", "drip_head", "endless_hints"], IDLE_SOON),
    "drip": OVER_SOON,
}


async def test_every_misbehaviour_ends_typed_and_in_time(faults: FaultServer, tmp_path: Path) -> None:
    guard = EgressGuard(AllowList([f"127.0.0.1:{faults.port}"]))
    found = {}
    for idle_ms, total_ms in (PATIENT, IDLE_SOON, OVER_SOON):
        fetcher = BrowserFetcher(settings(browser_idle_timeout_ms=idle_ms), guard, records=tmp_path / "browsers")
        await fetcher.open()
        for path in (p for p in ENDINGS if DEADLINES.get(p, PATIENT) == (idle_ms, total_ms)):
            wanted = FetchRequest(url=faults.url("/" + path), timeout_ms=total_ms, max_bytes=2 * MEGABYTE)
            async with asyncio.timeout(min(idle_ms, total_ms) / 1000 + 5):
                result = await fetcher.fetch(wanted)
            found[path] = (str(result.outcome), result.error_class)
            assert (result.body is not None) == (result.outcome is Outcome.OK)
        await fetcher.close()
    assert found == ENDINGS
    assert {"/" + path.partition("?")[0] for path in ENDINGS} - {"/nowhere"} <= set(BEHAVIOURS)


async def test_nobody_there_and_no_such_name(site: Site, tmp_path: Path) -> None:
    async def resolve(host: str, port: int) -> list[str]:
        if host == "gone.example":
            raise OSError
        return ["127.0.0.1"]

    allow = AllowList(["closed.example", "gone.example"])
    fetcher = BrowserFetcher(settings(), EgressGuard(allow, resolve), records=tmp_path / "browsers")
    await fetcher.open()
    closed = await fetcher.fetch(FetchRequest(url="http://closed.example:4/"))
    closed_tls = await fetcher.fetch(FetchRequest(url="https://closed.example:4/"))
    gone = await fetcher.fetch(FetchRequest(url="http://gone.example/"))
    plain = await fetcher.fetch(FetchRequest(url=f"https://closed.example:{site.port}/"))
    await fetcher.close()
    assert [closed.error_class, closed_tls.error_class, gone.error_class] == ["connect", "connect", "dns"]
    assert plain.error_class == "tls"


async def test_s051_waiting_and_scrolling(open_pool: Pool, site: Site) -> None:
    site.answers["/"] = page(
        "<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p class=late>now</p>'), 200);"
        "let n = 0; addEventListener('scroll', () => n++ < 2 && document.body.insertAdjacentHTML('beforeend',"
        " '<div style=height:3000px>more</div>'))</script><div style=height:3000px>start</div>"
    )
    pool = await open_pool()
    async with pool.open_tab(TabOptions()) as loan:
        await loan.tab.send("Page.navigate", url=site.url())
        assert await wait_for_content(loan.tab, ".late")
        assert not await wait_for_content(loan.tab, ".never", timeout_s=0.1)
        assert await scroll_for_content(loan.tab, lambda: asyncio.sleep(0.2)) == 2
    assert WAIT_SECONDS == 10


async def test_s051_a_page_without_an_end_is_scrolled_five_times(open_pool: Pool, site: Site) -> None:
    site.answers["/"] = page(GROWING)
    pool = await open_pool()
    async with pool.open_tab(TabOptions()) as loan:
        await loan.tab.send("Page.navigate", url=site.url())
        assert await wait_for_content(loan.tab)
        assert await scroll_for_content(loan.tab, lambda: asyncio.sleep(0.2)) == 5


GROWING = (
    "<script>let n = 0; addEventListener('scroll', () => n++ < 9 && document.body.insertAdjacentHTML('beforeend',"
    " '<div class=more style=height:3000px>more</div>'));"
    "setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p class=late>now</p>'), 700)</script>"
    "<div style=height:3000px>" + "start " * 100 + "</div>"
)


async def test_s051_s109_a_page_is_waited_for_and_scrolled_with_the_delays_it_was_given(
    site: Site, guard: EgressGuard, tmp_path: Path
) -> None:
    site.answers["/"] = page(GROWING)
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0.2)

    fetcher = BrowserFetcher(settings(), guard, records=tmp_path / "browsers", sleep=sleep)
    await fetcher.open()
    plain = await fetcher.fetch(FetchRequest(url=site.url()))
    assert slept == []
    assert b'class="more"' not in (plain.body or b"")
    wanted = PageActions(wait_for=".late", scrolls=3, min_delay_ms=40_000, max_delay_ms=60_000)
    result = await fetcher.fetch(FetchRequest(url=site.url(), actions=wanted))
    await fetcher.close()
    assert result.outcome is Outcome.OK
    assert b'class="late"' in (result.body or b"")
    assert 1 <= (result.body or b"").count(b'class="more"') <= 4
    assert len(slept) == 4  # before the first scroll and after each
    assert all(40 <= seconds <= 60 for seconds in slept)
