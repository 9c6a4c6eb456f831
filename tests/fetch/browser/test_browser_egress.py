"""R-10, R-14: whatever a page tries, nothing leaves the browser but through the guard."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import web

from tests.fetch.browser.conftest import Canary, Fetch, Pool, Site, page, settings
from winnow.fetch.browser.instance import TabOptions
from winnow.fetch.browser.pinning_proxy import PinningProxy
from winnow.fetch.browser.pool import BrowserPool
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.outcome import Outcome

pytestmark = pytest.mark.browser

# Every way a page can make a request. FORBIDDEN is the canary's origin; `tell` says that one is through.
ATTEMPTS = {
    "img": "const i = new Image(); i.onload = i.onerror = tell; i.src = FORBIDDEN + '/img'",
    "script": "add('script', 'src', FORBIDDEN + '/script')",
    "stylesheet": "add('link', 'href', FORBIDDEN + '/css', {rel: 'stylesheet'})",
    "css_import": "const s = document.createElement('style'); s.textContent = `@import url(${FORBIDDEN}/import);`;"
    "s.onload = s.onerror = tell; document.head.append(s)",
    "font": "new FontFace('x', `url(${FORBIDDEN}/font)`).load().then(tell, tell)",
    "iframe": "add('iframe', 'src', FORBIDDEN + '/frame')",
    "object": "add('object', 'data', FORBIDDEN + '/object')",
    "video": "add('video', 'src', FORBIDDEN + '/video')",
    "prefetch": "add('link', 'href', FORBIDDEN + '/prefetch', {rel: 'prefetch'})",
    "preconnect": "add('link', 'href', FORBIDDEN, {rel: 'preconnect'}); tell()",
    "fetch": "fetch(FORBIDDEN + '/fetch', {mode: 'no-cors'}).then(tell, tell)",
    "fetch_post": "fetch(FORBIDDEN + '/post', {method: 'POST', body: 'x', mode: 'no-cors'}).then(tell, tell)",
    "xhr": "const x = new XMLHttpRequest(); x.onloadend = tell; x.open('GET', FORBIDDEN + '/xhr'); x.send()",
    "event_source": "const e = new EventSource(FORBIDDEN + '/events'); e.onerror = tell",
    "websocket": "const w = new WebSocket(FORBIDDEN.replace('http', 'ws')); w.onerror = w.onclose = tell",
    "beacon": "navigator.sendBeacon(FORBIDDEN + '/beacon', 'x'); tell()",
    "ping": "const a = document.createElement('a'); a.ping = FORBIDDEN + '/ping'; a.href = '#'; "
    "document.body.append(a); a.click(); tell()",
    "window_open": "window.open(FORBIDDEN + '/open'); tell()",
    "form": "const t = document.createElement('iframe'); t.name = 'box'; document.body.append(t);"
    "const f = document.createElement('form'); f.target = 'box'; f.action = FORBIDDEN + '/form'; f.method = 'POST';"
    "document.body.append(f); f.submit(); tell()",
    "redirect": "fetch('/to-canary', {mode: 'no-cors'}).then(tell, tell)",
    "redirect_img": "const r = new Image(); r.onload = r.onerror = tell; r.src = '/to-canary'",
    "redirect_frame": "add('iframe', 'src', '/to-canary')",
    "worker": "new Worker(URL.createObjectURL(new Blob([`try { importScripts('${FORBIDDEN}/w') } catch (e) {} "
    "fetch('${FORBIDDEN}/wf', {mode: 'no-cors'}).catch(() => 0).then(() => postMessage(1))`]))).onmessage = tell",
    "service_worker": "navigator.serviceWorker.register('/sw.js').then(tell, tell)",
    "webrtc": "try { const p = new RTCPeerConnection({iceServers: [{urls: ['stun:HOST', 'turn:HOST?transport=tcp'],"
    "username: 'u', credential: 'c'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o));"
    "p.onicegatheringstatechange = () => p.iceGatheringState == 'complete' && tell() } catch (e) { tell() }",
    "webrtc_frame": "try { const f = document.createElement('iframe'); document.body.append(f);"
    "const p = new f.contentWindow.RTCPeerConnection({iceServers: [{urls: 'stun:HOST'}]}); p.createDataChannel('x');"
    "p.createOffer().then(o => p.setLocalDescription(o)); p.onicegatheringstatechange = () => "
    "p.iceGatheringState == 'complete' && tell() } catch (e) { tell() }",
    "webtransport": "try { new WebTransport(FORBIDDEN.replace('http:', 'https:')).ready.then(tell, tell) }"
    "catch (e) { tell() }",
}
SPELLINGS = ("127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "0.0.0.0", "[::ffff:127.0.0.1]", "[::1]")


def _attack(script: str, port: int, host: str) -> str:
    return f"""<script>
    const FORBIDDEN = 'http://{host}:{port}', seen = new Set();
    const tell = () => fetch('/told');
    setTimeout(tell, 8000);  // an attempt that never ends has had its time
    const add = (tag, name, value, more) => {{ const e = document.createElement(tag); Object.assign(e, more);
        e.onload = e.onerror = tell; e.setAttribute(name, value); document.body.append(e); }};
    {script.replace("HOST", f"{host}:{port}")}
    </script>"""


async def _tried(pool: BrowserPool, site: Site, script: str, canary: Canary, host: str = "127.0.0.1") -> None:
    """Shows a page that makes the attempt, until the attempt has ended."""
    to = f"http://127.0.0.1:{canary.port}/redirected"
    site.answers["/to-canary"] = page("", status=302, headers={"Location": to})
    site.answers["/told"] = page("told")
    site.answers["/attack"] = page(_attack(script, canary.port, host))
    site.heard.clear()
    async with pool.open_tab(TabOptions()) as loan:
        await loan.tab.send("Page.navigate", url=site.url("/attack"))
        await site.until("/told")


async def test_r14_no_request_of_a_page_reaches_a_forbidden_host(open_pool: Pool, site: Site, canary: Canary) -> None:
    pool = await open_pool()
    for name, script in ATTEMPTS.items():
        await _tried(pool, site, script, canary)
        assert canary.met == [], name


async def test_the_attempts_would_arrive_if_they_were_allowed(site: Site, canary: Canary, tmp_path: Path) -> None:
    """Or the test above would prove nothing. What goes around proxies has no way at all, allowed or not."""
    guard = EgressGuard(AllowList([f"127.0.0.1:{site.port}", f"127.0.0.1:{canary.port}"]))
    silent = []
    async with BrowserPool(settings(), guard, tmp_path / "browsers") as pool:
        for name, script in ATTEMPTS.items():
            canary.met.clear()
            await _tried(pool, site, script, canary)
            silent += [] if canary.met else [name]
    at_the_end = {"preconnect", "beacon", "ping", "form"}  # under way when the page is closed; they may arrive or not
    assert set(silent) - at_the_end <= {"service_worker", "webrtc", "webrtc_frame", "webtransport", "window_open"}


@pytest.mark.parametrize("host", SPELLINGS)
async def test_r14_no_spelling_of_loopback_passes(open_pool: Pool, site: Site, canary: Canary, host: str) -> None:
    pool = await open_pool()
    for attempt in ("fetch", "iframe", "websocket"):
        await _tried(pool, site, ATTEMPTS[attempt], canary, host)
    assert canary.met == []


@pytest.mark.parametrize(
    "how",
    [
        "http://127.0.0.1:{port}/",
        "http://localhost:{port}/",
        "http://2130706433:{port}/",
        "http://[::ffff:127.0.0.1]:{port}/",
        "file:///etc/passwd",
        "chrome://version",
        "view-source:http://127.0.0.1:{port}/",
        "http://u:p@127.0.0.1:{port}/",
    ],
)
async def test_r10_navigation_to_a_forbidden_place_is_refused(fetch: Fetch, canary: Canary, how: str) -> None:
    result = await fetch(how.format(port=canary.port))
    assert (result.outcome, result.error_class, result.body) == (Outcome.REFUSED, "refused", None)
    assert str(canary.port) not in (result.error or "")
    assert canary.met == []


@pytest.mark.parametrize(
    "sent_on",
    [
        page("", status=302, headers={"Location": "http://127.0.0.1:PORT/"}),
        page("", headers={"Refresh": "0; url=http://127.0.0.1:PORT/"}),
        page("<script>location = 'http://127.0.0.1:PORT/'</script>"),
        page("<meta http-equiv=refresh content='0;url=http://127.0.0.1:PORT/'>"),
        page("<form method=post action='http://127.0.0.1:PORT/'></form><script>document.forms[0].submit()</script>"),
    ],
    ids=["302", "refresh-header", "script", "meta", "form"],
)
async def test_r13_a_page_that_sends_us_to_a_forbidden_place_is_refused(
    fetch: Fetch, site: Site, canary: Canary, sent_on: object
) -> None:
    async def answer(request: web.Request) -> web.Response:
        made = await sent_on(request)  # type: ignore[operator]
        text = made.text.replace("PORT", str(canary.port))
        headers = {name: value.replace("PORT", str(canary.port)) for name, value in made.headers.items()}
        headers.pop("Content-Type")
        return web.Response(status=made.status, text=text, headers=headers, content_type="text/html")

    site.answers["/"] = answer
    result = await fetch("/")
    assert (result.outcome, result.error_class) == (Outcome.REFUSED, "refused")
    assert canary.met == []


async def test_r14_pages_fail_when_the_pinning_proxy_is_dead(open_pool: Pool, site: Site) -> None:
    site.answers["/"] = page("here")
    pool = await open_pool()
    async with pool.open_tab(TabOptions()) as loan:
        await loan.proxy.close()
        answer = await loan.tab.send("Page.navigate", url=site.url())
    assert answer["errorText"] == "net::ERR_PROXY_CONNECTION_FAILED"
    assert site.heard == []


async def test_r14_traffic_of_no_task_goes_nowhere(open_pool: Pool, site: Site) -> None:
    """The browser's own context has a proxy that refuses even what tasks may reach."""
    site.answers["/"] = page("here")
    pool = await open_pool()
    devtools = pool.instances[0].chromium.devtools
    target = await devtools.send("Target.createTarget", url="about:blank")
    session = (await devtools.send("Target.attachToTarget", targetId=target["targetId"], flatten=True))["sessionId"]
    answer = await devtools.send("Page.navigate", session, url=site.url())
    assert "errorText" in answer
    assert site.heard == []


async def test_r14_service_workers_are_blocked(fetch: Fetch, site: Site) -> None:
    site.answers["/sw.js"] = page("")
    site.answers["/"] = page(
        "<p id=a></p><script>navigator.serviceWorker.register('/sw.js')"
        ".then(() => a.textContent = 'registered', e => a.textContent = 'refused')</script>"
    )
    result = await fetch("/")
    assert b"refused" in (result.body or b"")
    assert "/sw.js" not in site.paths()


async def _exchange(proxy: PinningProxy, *requests: bytes) -> bytes:
    port = int(proxy.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"".join(requests))
    answer = await reader.read()
    writer.close()
    return answer


@pytest.mark.parametrize(
    "request_head",
    [
        "GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET http://u@127.0.0.1:{port}/ HTTP/1.1\r\n\r\n",
        "GET http://127.0.0.1:{port}\\@example.org/ HTTP/1.1\r\n\r\n",
        "CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n",
        "CONNECT localhost:{port} HTTP/1.1\r\n\r\n",
        "CONNECT 127.1:{port} HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n",
        "GET ftp://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n",
        "nonsense\r\n\r\n",
    ],
)
async def test_r10_the_proxy_refuses_without_a_reason(guard: EgressGuard, canary: Canary, request_head: str) -> None:
    proxy = await PinningProxy(guard).open()
    answer = await _exchange(proxy, request_head.format(port=canary.port).encode())
    await proxy.close()
    assert answer in (b"", b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    assert canary.met == []


async def test_r10_one_connection_serves_one_host(guard: EgressGuard, site: Site, canary: Canary) -> None:
    """A second request to another host, hidden behind an allowed first one, goes nowhere."""
    site.answers["/"] = page("here")
    proxy = await PinningProxy(guard).open()
    first = f"GET {site.url()} HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode()
    second = f"GET http://127.0.0.1:{canary.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    await _exchange(proxy, first, second)
    await proxy.close()
    assert canary.met == []


async def test_r10_a_name_is_dialled_at_the_address_that_was_admitted(site: Site, canary: Canary) -> None:
    """The second look-up would lead inside; there is none."""
    answers = iter([["127.0.0.1"]])

    async def resolve(host: str, port: int) -> list[str]:
        return next(answers, ["10.0.0.1"])

    site.answers["/"] = page("here")
    guard = EgressGuard(AllowList([f"shop.example:{site.port}"]), resolve)
    proxy = await PinningProxy(guard).open()
    line = f"GET {site.url(host='shop.example')} HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
    assert b"here" in await _exchange(proxy, line.encode())
    await proxy.close()


async def test_the_proxy_counts_and_cuts(guard: EgressGuard, site: Site) -> None:
    async def large(_: web.Request) -> web.Response:
        return web.Response(body=b"x" * 3_000_000)

    site.answers["/large"] = large
    proxy = await PinningProxy(guard, byte_limit=1_000_000).open()
    answer = await _exchange(proxy, f"GET {site.url('/large')} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    await proxy.close()
    assert proxy.overflowed
    assert len(answer) <= 1_000_000
