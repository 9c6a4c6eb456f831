"""A misbehaving server on loopback, a canary nobody may reach, and fetchers."""

from __future__ import annotations

import datetime
import ipaddress
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.fetch.fault_server import FaultServer
from tests.fetch.faults import MEGABYTE
from tests.fetch.fetching import LONG_MS, SHORT_MS, Canary, Fetch, Open, loopback, settings
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard, Resolve
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, FetchResult


@pytest.fixture
async def faults() -> AsyncIterator[FaultServer]:
    server = await FaultServer().start()
    yield server
    await server.stop()


@pytest.fixture
async def canary() -> AsyncIterator[Canary]:
    listener = await Canary().start()
    yield listener
    listener.stop()


@pytest.fixture
async def open_fetcher() -> AsyncIterator[Open]:
    """Opens fetchers and closes them after the test: `allow` entries, a `resolve`, anything HttpFetcher takes."""
    async with AsyncExitStack() as stack:

        async def opened(
            *allow: str, resolve: Resolve | None = None, limits: dict[str, object] | None = None, **more: object
        ) -> HttpFetcher:
            fetcher = HttpFetcher(settings(**limits or {}), EgressGuard(AllowList(allow), resolve), **more)  # type: ignore[arg-type]
            await fetcher.open()
            stack.push_async_callback(fetcher.close)
            return fetcher

        yield opened


@pytest.fixture
async def fetch(faults: FaultServer, open_fetcher: Open) -> Fetch:
    """Fetches a path of the fault server (or a whole URL), which alone may be reached."""
    return await fetch_from(faults, open_fetcher)


@pytest.fixture
async def fetch_in_haste(faults: FaultServer, open_fetcher: Open) -> Fetch:
    """The same, with little patience for a server that is silent."""
    return await fetch_from(faults, open_fetcher, fetch_idle_timeout_ms=SHORT_MS)


async def fetch_from(faults: FaultServer, open_fetcher: Open, **limits: object) -> Fetch:
    fetcher = await open_fetcher(f"127.0.0.1:{faults.port}", resolve=loopback, limits=limits)

    async def fetched(path: str, on_hop: object = None, **request: object) -> FetchResult:
        url = faults.url(path) if path.startswith("/") else path
        wanted = {"timeout_ms": LONG_MS, "max_bytes": 2 * MEGABYTE, **request}
        return await fetcher.fetch(FetchRequest(url=url, **wanted), on_hop=on_hop)  # type: ignore[arg-type]

    return fetched


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Self-signed for 127.0.0.1, made on the spot: key and certificate in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    at = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(at - datetime.timedelta(days=1))
        .not_valid_after(at + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return path
