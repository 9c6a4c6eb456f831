"""Credentials of the backend: asked for over HTTPS or on this machine, kept for a while, shown to nobody (S-068 …)."""

from __future__ import annotations

import asyncio
import io
import json
import pickle
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import unquote

import pytest
from aiohttp import web
from pydantic import ValidationError

from winnow.errors import CredentialNotFound, CredentialsUnavailable, InvalidInput
from winnow.fetch.credentials import Credential, Credentials
from winnow.fetch.settings import CredentialSettings
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

KEY = "the-key-the-backend-gave"


class Backend:
    """Answers with `status` and `body`, and remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None]] = []
        self.answers: list[tuple[int, Any]] = []
        self.pieces = 1

    async def start(self) -> Backend:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.StreamResponse:
        self.asked.append((request.raw_path, request.headers.get("X-Service-Key")))
        status, body = self.answers.pop(0) if self.answers else (200, {"token": f"t{len(self.asked)}"})
        if self.pieces == 1:
            return web.json_response(body, status=status)
        return await self._in_pieces(request, json.dumps(body).encode())

    async def _in_pieces(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """Each is on its way before the next one is written."""
        answer = web.StreamResponse(headers={"Content-Type": "application/json"})
        await answer.prepare(request)
        size = -(-len(body) // self.pieces)
        for begin in range(0, len(body), size):
            await answer.write(body[begin : begin + size])
            await asyncio.sleep(0.05)
        return answer


@pytest.fixture
async def backend() -> AsyncIterator[Backend]:
    opened = await Backend().start()
    yield opened
    await opened.stop()


PAGE = "https://partners.example.com/account"
HOSTS = "; ".join(f"{name}=partners.example.com" for name in ("partner_portal", "portal", "p", "other", "q", "r"))


class Asking:
    """A client whose time and waits are ours."""

    def __init__(self, backend: Backend, **more: Any) -> None:
        self.time, self.waits = 0.0, []
        settings = CredentialSettings(
            _env_file=None, backend_api_url=backend.url, backend_service_key=KEY, credential_hosts=HOSTS, **more
        )
        self.client = Credentials(settings, clock=lambda: self.time, sleep=self._sleep)

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
async def asking(backend: Backend) -> AsyncIterator[Asking]:
    made = Asking(backend)
    yield made
    await made.client.close()


async def test_s068_the_address_and_the_key(backend: Backend, asking: Asking) -> None:
    found = await asking.client.of("ws/../1 ü", "partner_portal", PAGE)
    ((path, key),) = backend.asked
    assert unquote(path) == "/api/v1/workspaces/ws/../1 ü/credentials/partner_portal"
    assert path.count("/") == 6, "a workspace is one part of the path, whatever it is called"
    assert key == KEY
    assert found.headers() == {"Authorization": "Bearer t1"}


@pytest.mark.parametrize("end", ["", "/", "/api/v1", "/api/v1/"])
async def test_s068_the_backends_address_may_end_with_its_prefix(backend: Backend, end: str) -> None:
    settings = CredentialSettings(
        _env_file=None, backend_api_url=backend.url + end, backend_service_key=KEY, credential_hosts=HOSTS
    )
    client = Credentials(settings)
    try:
        await client.of("ws_1", "portal", PAGE)
    finally:
        await client.close()
    assert [path for path, _ in backend.asked] == ["/api/v1/workspaces/ws_1/credentials/portal"]


async def test_s068_an_answer_may_come_in_pieces(backend: Backend, asking: Asking) -> None:
    backend.answers = [(200, {"note": "x" * 40_000, "token": "whole"})]
    backend.pieces = 4
    assert (await asking.client.of("ws_1", "portal", PAGE)).headers() == {"Authorization": "Bearer whole"}


async def test_an_answer_that_is_too_large_is_no_credential(backend: Backend, asking: Asking) -> None:
    backend.answers = [(200, {"note": "x" * 100_000, "token": "whole"})]
    with pytest.raises(CredentialsUnavailable, match="too large"):
        await asking.client.of("ws_1", "portal", PAGE)


async def test_s069_kept_until_the_ttl_and_asked_again_when_told(backend: Backend, asking: Asking) -> None:
    first = await asking.client.of("w", "p", PAGE)
    asking.time = 299.9
    assert await asking.client.of("w", "p", PAGE) is first
    await asking.client.of("w", "other", PAGE)
    assert len(backend.asked) == 2
    asking.client.forget("w", "p")
    assert (await asking.client.of("w", "p", PAGE)).headers() == {"Authorization": "Bearer t3"}
    asking.time += 300.0
    assert (await asking.client.of("w", "p", PAGE)).headers() == {"Authorization": "Bearer t4"}


async def test_s070_a_backend_that_is_away_is_asked_three_times_more(backend: Backend, asking: Asking) -> None:
    backend.answers = [(503, {}), (500, {})]
    assert (await asking.client.of("w", "p", PAGE)).headers() == {"Authorization": "Bearer t3"}
    assert asking.waits == [1.0, 2.0]
    backend.answers = [(503, {})] * 4
    with pytest.raises(CredentialsUnavailable):
        await asking.client.of("w", "q", PAGE)
    assert asking.waits == [1.0, 2.0, 1.0, 2.0, 4.0]
    await backend.stop()
    with pytest.raises(CredentialsUnavailable):
        await asking.client.of("w", "r", PAGE)


async def test_s070_what_the_backend_does_not_have_fails_at_once(backend: Backend, asking: Asking) -> None:
    backend.answers = [(404, {}), (401, {}), (302, {}), (200, []), (200, {}), (200, {"data": {}})]
    with pytest.raises(CredentialNotFound):
        await asking.client.of("w", "p", PAGE)
    for _ in range(5):
        with pytest.raises(CredentialsUnavailable):
            await asking.client.of("w", "p", PAGE)
    assert asking.waits == []
    with pytest.raises(InvalidInput):
        await asking.client.of("w", "../p", PAGE)


@pytest.mark.parametrize(
    ("values", "sent"),
    [
        ({"token": "t"}, {"Authorization": "Bearer t"}),
        ({"api_key": "k"}, {"Authorization": "Bearer k"}),
        ({"username": "u", "password": "p"}, {"Authorization": "Basic dTpw"}),
        ({"cookie": "a=b"}, {"Cookie": "a=b"}),
        ({"headers": {"X-Api-Key": "k"}}, {"X-Api-Key": "k"}),
    ],
)
def test_what_a_request_carries(values: dict[str, Any], sent: dict[str, str]) -> None:
    assert Credential(values).headers() == sent


@pytest.mark.parametrize("values", [{"note": "x"}, {"token": "a\r\nHost: b"}, {"headers": {"X": 1}}, {"headers": {}}])
def test_what_cannot_be_sent_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(CredentialsUnavailable):
        Credential(values).headers()


async def test_s071_nothing_of_it_can_be_read_by_accident(backend: Backend, asking: Asking) -> None:
    out = io.StringIO()
    logs.configure(ObserveSettings(_env_file=None, log_level="DEBUG"), out)
    backend.answers = [(503, {"token": "hidden-one"}), (200, {"data": {"token": "hidden-two"}})]
    found = await asking.client.of("w", "p", PAGE)
    assert found.headers() == {"Authorization": "Bearer hidden-two"}
    assert "credentials_unreachable" in out.getvalue()
    for place in (out.getvalue(), repr(found), str(found), f"{asking.client!r}"):
        assert "hidden" not in place
        assert KEY not in place
    with pytest.raises(TypeError):
        pickle.dumps(found)


@pytest.mark.parametrize(
    "url", ["http://backend.example.com", "ftp://127.0.0.1", "https://u:p@b.example", "https://", "https://b/?a=1", "b"]
)
def test_s068_only_https_or_this_machine(url: str) -> None:
    with pytest.raises(ValidationError):
        CredentialSettings(_env_file=None, backend_api_url=url, backend_service_key=KEY)


@pytest.mark.parametrize("url", ["https://b.example", "http://localhost:3000", "http://127.0.0.1:1", "http://[::1]:1/"])
def test_s068_addresses_that_are_fine(url: str) -> None:
    CredentialSettings(_env_file=None, backend_api_url=url, backend_service_key=KEY)


def test_s003_an_address_without_a_key_stops_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCRAPER_BACKEND_API_URL", "https://b.example")
    with pytest.raises(ValidationError, match="SCRAPER_BACKEND_SERVICE_KEY"):
        CredentialSettings(_env_file=None)
