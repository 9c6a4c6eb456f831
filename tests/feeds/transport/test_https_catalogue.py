"""Catalogues behind a URL: a real TLS server on loopback."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from aiohttp import encode_basic_auth, web
from structlog.testing import capture_logs

from tests.feeds.transport.certificates import write_certificate
from tests.feeds.transport.servers import reach
from winnow.feeds.failures import (
    FeedLoginRefused,
    FileForbidden,
    FileMissing,
    FileSizeLimitExceeded,
    Misconfigured,
    Permanent,
    Retry,
    Transient,
)
from winnow.feeds.transport.transport import Remote, download, stat

CONTENT = os.urandom(1_500_000)
HOUR = 3_600.0
MODIFIED = "Tue, 14 Nov 2023 22:13:20 GMT"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_certificate(tmp_path_factory.mktemp("tls") / "server.pem")


class Site:
    def __init__(self) -> None:
        self.port = 0
        self.cut_after: int | None = None
        self.part_from: int | None = None  # where the parts it sends begin, whatever was asked for
        self.logins: list[str | None] = []

    async def catalogue(self, request: web.Request) -> web.StreamResponse:
        self.logins.append(request.headers.get("Authorization"))
        span = request.http_range
        start = span.start or 0
        if self.part_from is not None and request.method == "GET":
            start = self.part_from
        headers = {"Last-Modified": MODIFIED, "Content-Length": str(len(CONTENT) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
        response = web.StreamResponse(status=206 if start else 200, headers=headers)
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        if self.cut_after is not None:
            await response.write(CONTENT[start : start + self.cut_after])
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(CONTENT[start:])
        return response

    async def locked(self, request: web.Request) -> web.Response:
        good = request.headers.get("Authorization") == encode_basic_auth("u", "p")
        return web.Response(body=b"ok") if good else web.Response(status=401)


def answer(status: int, **headers: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    async def respond(_: web.Request) -> web.Response:
        return web.Response(status=status, headers=headers)

    return respond


@pytest.fixture
async def site(certificate: Path) -> AsyncIterator[Site]:
    box = Site()
    app = web.Application()
    app.router.add_get("/catalog.csv", box.catalogue)
    app.router.add_get("/locked.csv", box.locked)
    for status in (403, 404, 429, 500, 418):
        app.router.add_get(f"/{status}", answer(status))
    app.router.add_get("/moved", answer(302, Location="/catalog.csv"))
    app.router.add_get("/loop", answer(302, Location="/loop"))
    app.router.add_get("/inside", answer(302, Location="https://169.254.169.254/latest"))
    app.router.add_get("/downgrade", answer(302, Location="http://127.0.0.1/x"))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    runner = web.AppRunner(app)
    await runner.setup()
    server = web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context)
    await server.start()
    box.port = runner.addresses[0][1]
    yield box
    await runner.cleanup()


def remote(site: Site, path: str, **changes: object) -> Remote:
    given: dict[str, object] = {"transport": "HTTPS", "path": f"https://127.0.0.1:{site.port}{path}"}
    return Remote(**(given | changes))  # type: ignore[arg-type]


@pytest.fixture
def trusting(certificate: Path) -> object:
    return reach(ssl=ssl.create_default_context(cafile=str(certificate)))


async def test_the_file_comes_whole_also_after_a_redirect(site: Site, trusting: object, tmp_path: Path) -> None:
    for n, path in enumerate(("/catalog.csv", "/moved")):
        got = await download(remote(site, path), trusting, tmp_path / str(n))  # type: ignore[arg-type]
        assert got.path.read_bytes() == CONTENT
    found = await stat(remote(site, "/catalog.csv"), trusting)  # type: ignore[arg-type]
    assert found.size == len(CONTENT)
    assert found.mtime is not None


async def test_a_cut_connection_is_transient_and_resumed_by_range(site: Site, trusting: object, tmp_path: Path) -> None:
    site.cut_after = 700_000
    with pytest.raises(Transient):
        await download(remote(site, "/catalog.csv"), trusting, tmp_path / "got")  # type: ignore[arg-type]
    site.cut_after = None
    got = await download(remote(site, "/catalog.csv"), trusting, tmp_path / "got")  # type: ignore[arg-type]
    assert got.path.read_bytes() == CONTENT
    assert got.resumed_at > 0


async def test_a_part_that_begins_elsewhere_is_not_put_behind_what_is_there(
    site: Site, trusting: object, tmp_path: Path
) -> None:
    site.cut_after = 700_000
    with pytest.raises(Transient):
        await download(remote(site, "/catalog.csv"), trusting, tmp_path / "got")  # type: ignore[arg-type]
    site.cut_after, site.part_from = None, 10
    for _ in range(2):  # the second asks for all of it, and gets a part
        with pytest.raises(Transient) as caught:
            await download(remote(site, "/catalog.csv"), trusting, tmp_path / "got")  # type: ignore[arg-type]
        assert caught.value.code == "CHANGED_WHILE_READ"
    site.part_from = None
    got = await download(remote(site, "/catalog.csv"), trusting, tmp_path / "got")  # type: ignore[arg-type]
    assert (got.path.read_bytes() == CONTENT, got.resumed_at) == (True, 0)


async def test_f101_the_query_of_an_address_is_in_no_log(site: Site, trusting: object, tmp_path: Path) -> None:
    with capture_logs() as said:
        await download(remote(site, "/catalog.csv?k=4711"), trusting, tmp_path / "got")  # type: ignore[arg-type]
    [began] = [line for line in said if line["event"] == "DOWNLOAD_START"]
    assert began["path"].endswith("/catalog.csv")
    assert "4711" not in str(said)


async def test_login_goes_along_and_its_refusal_is_permanent(site: Site, trusting: object, tmp_path: Path) -> None:
    right = remote(site, "/locked.csv", username="u", secret="p")
    got = await download(right, trusting, tmp_path / "got")  # type: ignore[arg-type]
    assert got.path.read_bytes() == b"ok"
    with pytest.raises(FeedLoginRefused):
        await stat(remote(site, "/locked.csv", username="u", secret="wrong"), trusting)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("path", "kind", "retry"),
    [
        ("/403", FileForbidden, Retry.PERMANENT),
        ("/404", FileMissing, Retry.PERMANENT),
        ("/418", Permanent, Retry.PERMANENT),
        ("/429", Transient, Retry.TRANSIENT),
        ("/500", Transient, Retry.TRANSIENT),
        ("/loop", Permanent, Retry.PERMANENT),
        ("/inside", Misconfigured, Retry.CONFIG),
        ("/downgrade", Misconfigured, Retry.CONFIG),
    ],
)
async def test_every_answer_has_its_class(
    site: Site, trusting: object, tmp_path: Path, path: str, kind: type[Exception], retry: Retry
) -> None:
    with pytest.raises(kind) as caught:
        await download(remote(site, path), trusting, tmp_path / "got")  # type: ignore[arg-type]
    assert caught.value.retry is retry  # type: ignore[attr-defined]


async def test_f118_an_unknown_certificate_is_a_config_error(site: Site, tmp_path: Path) -> None:
    with pytest.raises(Misconfigured) as caught:
        await download(remote(site, "/catalog.csv"), reach(), tmp_path / "got")
    assert caught.value.code == "TLS_ERROR"
    assert site.logins == []


async def test_f072_the_limit_holds_here_too(site: Site, trusting: object, tmp_path: Path) -> None:
    with pytest.raises(FileSizeLimitExceeded):
        await download(remote(site, "/catalog.csv", max_bytes=1_000_000), trusting, tmp_path / "got")  # type: ignore[arg-type]


async def test_f116_a_server_that_is_never_done_is_given_up_as_well(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It sends a byte now and then, so that it is never silent; what it sent is there for the next attempt."""
    loop, part = asyncio.get_running_loop(), tmp_path / "got.part"
    clock = loop.time

    async def drip(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            if asked.startswith(b"GET"):
                writer.write(b"x" * 200_000)  # more than is kept in memory before it is written
            while asked.startswith(b"GET"):
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0.02)
                if part.exists() and part.stat().st_size > 0:
                    monkeypatch.setattr(loop, "time", lambda: clock() + 2 * HOUR)
        writer.close()

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    known = ssl.create_default_context(cafile=str(certificate))
    async with await asyncio.start_server(drip, "127.0.0.1", 0, ssl=context) as server:
        address = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/catalogue.csv"
        with pytest.raises(Transient) as caught:
            patient = reach(ssl=known, connect_seconds=9 * HOUR, idle_seconds=9 * HOUR, whole_seconds=HOUR)
            await download(Remote(transport="HTTPS", path=address), patient, tmp_path / "got")
    assert caught.value.code == "DOWNLOAD_TOO_SLOW"
    assert part.stat().st_size > 0
