"""Through real proxies on loopback, HTTP and SOCKS5 (R-10: what was admitted is what the proxy is asked for)."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from tests.fetch.fault_server import FaultServer
from tests.fetch.faults import PAGE
from tests.fetch.fetching import LONG_MS, Canary, Open, loopback
from tests.proxy_servers import HttpProxy, ProxyServer, SocksProxy
from tests.waiting import LIMIT
from winnow.errors import InvalidInput, ProxyFailed, ProxySilent
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult, Outcome
from winnow.fetch.proxies.endpoint import ProxyEndpoint, parse_endpoint, parse_endpoints
from winnow.fetch.proxies.tunnel import Handshake, Tunnel

LOOPBACK = AllowList(["127.0.0.0/8"])
KINDS = pytest.mark.parametrize("kind", [HttpProxy, SocksProxy])
SECRET = "open sesame/:@%"


@pytest.fixture
async def started() -> AsyncIterator[object]:
    async with AsyncExitStack() as stack:

        async def start(proxy: ProxyServer) -> ProxyServer:
            await proxy.start()
            stack.push_async_callback(proxy.stop)
            return proxy

        yield start


def tunnel(proxy: ProxyServer, *, seconds: float = LIMIT, **more: object) -> Tunnel:
    user, password = proxy.login or (None, None)
    endpoint = ProxyEndpoint(protocol=proxy.scheme, host="127.0.0.1", port=proxy.port, username=user, password=password)
    return Tunnel(endpoint, EgressGuard(LOOPBACK, loopback), seconds=seconds, **more)


async def through(fetcher: HttpFetcher, url: str, exit: Tunnel) -> FetchResult:
    return await fetcher.fetch(FetchRequest(url=url, timeout_ms=LONG_MS), through=exit)


@KINDS
@pytest.mark.parametrize("login", [None, ("user", SECRET)])
async def test_a_page_comes_through_the_proxy(kind, login, started, faults: FaultServer, open_fetcher: Open):
    proxy = await started(kind(login=login))
    fetcher = await open_fetcher("shop.test", resolve=loopback)
    result = await through(fetcher, faults.url("/ok", "shop.test"), tunnel(proxy))
    assert (result.outcome, result.body) == (Outcome.OK, PAGE)
    assert faults.connections == proxy.connections == 1


@KINDS
async def test_r10_the_proxy_is_told_the_address_and_not_the_name(
    kind, started, faults: FaultServer, open_fetcher: Open
):
    proxy = await started(kind())
    fetcher = await open_fetcher("shop.test", resolve=loopback)
    await through(fetcher, faults.url("/ok", "shop.test"), tunnel(proxy))
    assert proxy.asked == [f"{'CONNECT ' if kind is HttpProxy else ''}127.0.0.1:{faults.port}"]
    assert faults.requests[0].headers["host"] == f"shop.test:{faults.port}"


@KINDS
async def test_r10_a_forbidden_target_is_refused_before_the_proxy_is_asked(
    kind, started, canary: Canary, open_fetcher: Open
):
    proxy = await started(kind())
    fetcher = await open_fetcher(resolve=loopback)
    for url in (f"http://127.0.0.1:{canary.port}/", "http://shop.test/", "http://169.254.169.254/"):
        result = await through(fetcher, url, tunnel(proxy))
        assert result.outcome is Outcome.REFUSED
    assert (proxy.connections, canary.connections) == (0, 0)


@KINDS
async def test_r13_a_redirect_inside_is_refused_through_a_proxy_too(
    kind, started, faults: FaultServer, open_fetcher: Open, canary: Canary
):
    proxy = await started(kind())
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    result = await through(fetcher, faults.url(f"/to?url=http://127.0.0.1:{canary.port}/"), tunnel(proxy))
    assert (result.outcome, canary.connections) == (Outcome.REFUSED, 0)


async def test_r10_a_proxy_inside_the_network_has_to_be_opened(canary: Canary, faults: FaultServer, open_fetcher: Open):
    """ssrf vector 203: proxy_url -> internal."""
    endpoint = ProxyEndpoint(protocol="http", host="127.0.0.1", port=canary.port)
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    result = await through(fetcher, faults.url("/ok"), Tunnel(endpoint, EgressGuard()))
    assert (result.outcome, result.error_class, canary.connections) == (Outcome.ERROR, "proxy", 0)


@KINDS
async def test_two_requests_of_two_exits_never_share_a_connection(
    kind, started, faults: FaultServer, open_fetcher: Open
):
    first, second = await started(kind()), await started(kind())
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    for proxy in (first, second, first):
        assert (await through(fetcher, faults.url("/ok"), tunnel(proxy))).outcome is Outcome.OK
    assert (await fetcher.fetch(FetchRequest(url=faults.url("/ok")))).outcome is Outcome.OK
    assert (first.connections, second.connections, faults.connections) == (2, 1, 4)


@pytest.mark.parametrize(
    ("kind", "over_tls"),
    [(HttpProxy, False), (HttpProxy, True), (SocksProxy, False)],
    ids=["http", "https", "socks5"],
)
async def test_https_through_a_proxy_is_checked_against_the_name(
    kind, over_tls, certificate: Path, started, open_fetcher: Open
):
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    trust = ssl.create_default_context(cafile=str(certificate))
    proxy = await started(kind(tls=context if over_tls else None))
    proxy.scheme = "https" if over_tls else kind.scheme
    server = await FaultServer(tls=context).start()
    allow = f"127.0.0.1:{server.port}"
    good = await through(await open_fetcher(allow, ssl=trust), server.url("/ok"), tunnel(proxy, tls=trust))
    bad = await through(await open_fetcher(allow), server.url("/ok"), tunnel(proxy, tls=trust))
    await server.stop()
    assert (good.outcome, good.body) == (Outcome.OK, PAGE)
    assert (bad.outcome, bad.error_class) == (Outcome.ERROR, "tls")


async def test_a_proxy_that_makes_no_tunnels_gets_plain_pages_in_absolute_form(
    started, faults: FaultServer, open_fetcher: Open
):
    proxy = await started(HttpProxy(login=("user", SECRET), tunnels=False, names={"shop.test": "127.0.0.1"}))
    fetcher = await open_fetcher("shop.test", resolve=loopback)
    result = await through(fetcher, faults.url("/ok", "shop.test"), tunnel(proxy))
    assert (result.outcome, result.body) == (Outcome.OK, PAGE)
    assert proxy.asked[-1] == f"GET {faults.url('/ok', 'shop.test')}"
    assert "proxy-authorization" not in faults.requests[0].headers


@pytest.mark.parametrize(
    ("proxy", "word"),
    [
        (HttpProxy(answer=b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"), "proxy"),
        (HttpProxy(answer=b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "proxy"),
        (HttpProxy(answer=b""), "proxy"),
        (HttpProxy(answer=b"x" * 40_000), "proxy"),
        (HttpProxy(answer=b"HTTP/1.1 502 Bad Gateway\r\n\r\n"), "connect"),
        (HttpProxy(silent=True), "proxy_silent"),
        (SocksProxy(answer=b"\x05\xff"), "proxy"),
        (SocksProxy(answer=b"\x04\x00"), "proxy"),
        (SocksProxy(answer=b""), "proxy"),
        (SocksProxy(silent=True), "proxy_silent"),
    ],
    ids=str,
)
async def test_every_fault_of_a_proxy_is_typed(
    proxy: ProxyServer, word: str, started, faults: FaultServer, open_fetcher: Open
):
    await started(proxy)
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}", limits={"fetch_connect_timeout_ms": 30_000})
    result = await through(fetcher, faults.url("/ok"), tunnel(proxy, seconds=0.2 if proxy.silent else LIMIT))
    assert (result.outcome, result.error_class) == (Outcome.ERROR, word)
    assert result.may_pass
    assert "127.0.0.1" not in (result.error or "")
    assert faults.requests == []


@KINDS
async def test_a_proxy_that_is_not_there(kind, started, faults: FaultServer, open_fetcher: Open):
    proxy = await kind().start()
    await proxy.stop()
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    assert (await through(fetcher, faults.url("/ok"), tunnel(proxy))).error_class == "proxy"


@KINDS
async def test_a_site_that_is_not_there_is_not_the_proxys_fault(kind, started, open_fetcher: Open):
    gone = await FaultServer().start()
    await gone.stop()
    proxy = await started(kind())
    fetcher = await open_fetcher(f"127.0.0.1:{gone.port}")
    assert (await through(fetcher, gone.url("/ok"), tunnel(proxy))).error_class == "connect"


@KINDS
async def test_a_wrong_password_is_the_proxys_refusal(kind, started, faults: FaultServer, open_fetcher: Open):
    proxy = await started(kind(login=("user", SECRET)))
    wrong = tunnel(proxy)
    wrong.endpoint = ProxyEndpoint(
        protocol=proxy.scheme, host="127.0.0.1", port=proxy.port, username="user", password="no"
    )
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}")
    result = await through(fetcher, faults.url("/ok"), wrong)
    assert (result.error_class, faults.requests) == ("proxy", [])
    with pytest.raises(ProxyFailed):
        await wrong.check()


@KINDS
async def test_s066_a_check_says_whether_a_proxy_is_there(kind, started):
    proxy = await started(kind(login=("user", SECRET)))
    await tunnel(proxy).check()
    proxy.silent = True
    with pytest.raises(ProxySilent):
        await tunnel(proxy, seconds=0.2).check()
    await proxy.stop()
    with pytest.raises(ProxyFailed):
        await tunnel(proxy).check()


def test_s065_an_endpoint_as_people_write_it():
    made = parse_endpoint("SOCKS5H://us%40er:p%3Aw%20d@Proxy.Example.com:9050/?region=US")
    assert made == ProxyEndpoint(
        protocol="socks5", host="proxy.example.com", port=9050, username="us@er", password="p:w d", region="us"
    )
    assert parse_endpoint("http://proxy.example.com:3128").port == 3128
    assert parse_endpoint("https://[2606:4700:4700::1111]").url == "https://[2606:4700:4700::1111]:443"
    assert parse_endpoints(("direct", "http://proxy.example.com:80"))[1] is True


@pytest.mark.parametrize(
    "text",
    [
        "", "proxy.example.com", "proxy.example.com:80", "ftp://proxy.example.com:80", "socks4://proxy.example.com:80",
        "http://", "http://proxy.example.com:0", "http://proxy.example.com:99999", "http://proxy.example.com:80/path",
        "http://proxy.example.com:80?x=1", "http://127.0.0.1:80", "http://localhost:80", "http://10.0.0.1:3128",
        "http://0x7f.1:80", "http://[::1]:80", "http://metadata.google.internal:80", "http://169.254.169.254:80",
        "http://user:pa ss@proxy.example.com:80", "http://:secret@proxy.example.com:80", "http://a%0ab:c@proxy.example.com:1",
        "http://a%3Ab:c@proxy.example.com:1", f"http://{'u' * 300}:x@proxy.example.com:1",
    ],
)  # fmt: skip
def test_a_wrong_endpoint_is_refused_without_being_repeated(text: str):
    with pytest.raises(InvalidInput) as told:
        parse_endpoint(text)
    assert "secret" not in str(told.value)


def test_r26_an_endpoint_does_not_show_its_password():
    made = parse_endpoint("http://user:hunter2@proxy.example.com:80")
    assert "hunter2" not in f"{made!r} {made} {made.url}"


@pytest.mark.parametrize(
    "pieces", [[b"HTTP/1.1 20", b"0 OK\r\n\r\n"], [b"HTTP/1.1 200 OK\r\n", b"Via: x\r\n\r", b"\n"]]
)
async def test_the_answer_of_a_proxy_may_come_in_pieces(pieces: list[bytes]) -> None:
    """Nothing of it is left over for whoever speaks to the target afterwards."""
    talk = Handshake()
    head = asyncio.create_task(talk.read_head())
    for piece in [*pieces[:-1], pieces[-1] + b"from the target"]:
        await asyncio.sleep(0)
        talk.data_received(piece)
    assert await head == b"".join(pieces)
    assert await talk.read(15) == b"from the target"
