"""The way through a proxy to an address the guard admitted: HTTP CONNECT (RFC 9110 §9.3.6) or SOCKS5 (RFC 1928).

The proxy is told the address, not the name: what was checked is what is reached, whatever the proxy's own name
server would say. The proxy itself passes the guard like any host we dial. What goes wrong is either the proxy's
fault (ProxyFailed: somebody else may take over) or the target's (OSError: another proxy would not help).
"""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Awaitable, Callable
from ipaddress import ip_address

from winnow.errors import HostUnresolved, NoTunnel, ProxyFailed, ProxySilent, UrlRefused
from winnow.fetch.egress.guard import Admitted, EgressGuard
from winnow.fetch.proxies.endpoint import ProxyEndpoint

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]

HANDSHAKE_SECONDS = (
    9.0  # a little less than the fetcher's connect deadline, so that it is known whose fault it was
)
MAX_ANSWER = 16 * 1024
_UNREACHED = frozenset({1, 3, 4, 5, 6, 8})  # RFC 1928 §6: about the target; 8 is "no IPv6 here"


class Handshake(asyncio.Protocol):
    """The bytes exchanged with the proxy before the connection is handed over. Not usable afterwards."""

    transport: asyncio.Transport

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._news = asyncio.Event()
        self._over = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._news.set()

    def connection_lost(self, error: Exception | None) -> None:
        self._over = True
        self._news.set()

    eof_received = connection_lost  # type: ignore[assignment]

    async def read(self, size: int) -> bytes:
        return await self._take(lambda: size if len(self._buffer) >= size else 0)

    async def read_head(self) -> bytes:
        return await self._take(lambda: self._buffer.find(b"\r\n\r\n") + 4 if b"\r\n\r\n" in self._buffer else 0)

    async def first_bytes(self) -> bytes:
        """Whatever comes first; nothing when it hangs up."""
        await self._news.wait()
        return bytes(self._buffer)

    async def _take(self, enough: Callable[[], int]) -> bytes:
        while not (size := enough()):
            if self._over or len(self._buffer) > MAX_ANSWER:
                raise ProxyFailed("the proxy does not answer as a proxy does")
            self._news.clear()
            await self._news.wait()
        taken = bytes(self._buffer[:size])
        del self._buffer[:size]
        return taken


class Tunnel:
    """One proxy, ready to be dialled through. Usable as the browser's dialler."""

    def __init__(
        self,
        endpoint: ProxyEndpoint,
        guard: EgressGuard,
        *,
        seconds: float = HANDSHAKE_SECONDS,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._guard = guard
        self._seconds = seconds
        self._tls = tls

    async def __call__(self, admitted: Admitted) -> Streams:
        last: OSError = OSError("no address")
        for address in admitted.addresses:
            try:
                return _streams(await self.open(address, admitted.port))
            except OSError as error:
                last = error
        raise last

    async def open(self, address: str, port: int) -> asyncio.Transport:
        """A connection to that address on which nothing was sent yet."""
        ask = self._ask_socks if self.endpoint.protocol == "socks5" else self._ask_http
        return await self._connect_and(lambda handshake: ask(handshake, address, port))

    async def plain(self) -> asyncio.Transport:
        """A connection to the proxy itself, for requests in absolute form (RFC 9112 §3.2.2)."""
        return await self._connect_and(_send_nothing)

    async def check(self) -> None:
        """Whether it is there and lets us in (S-066); ProxyFailed says why not."""
        greet = self._greet_socks if self.endpoint.protocol == "socks5" else self._greet_http
        (await self._connect_and(greet)).close()

    async def _connect_and(self, greet: Callable[[Handshake], Awaitable[None]]) -> asyncio.Transport:
        handshake: Handshake | None = None
        try:
            async with asyncio.timeout(self._seconds):
                handshake = await self._reach()
                await greet(handshake)
                return handshake.transport
        except BaseException as error:
            if handshake is not None:
                handshake.transport.abort()
            if isinstance(error, TimeoutError):
                raise (ProxyFailed if handshake is None else ProxySilent)("the proxy did not answer in time") from None
            raise

    async def _reach(self) -> Handshake:
        try:
            admitted = await self._guard.admit_host(self.endpoint.host, self.endpoint.port)
        except (UrlRefused, HostUnresolved):
            raise ProxyFailed("the host of the proxy is unknown or not a public one") from None
        tls = (self._tls or ssl.create_default_context()) if self.endpoint.protocol == "https" else None
        for address in admitted.addresses:
            try:
                _, handshake = await asyncio.get_running_loop().create_connection(
                    Handshake, address, admitted.port, ssl=tls, server_hostname=self.endpoint.host if tls else None
                )
            except TimeoutError:
                raise
            except OSError:  # ssl.SSLError is one
                continue
            return handshake
        raise ProxyFailed("the proxy cannot be reached")

    @property
    def authorization(self) -> str | None:
        if self.endpoint.username is None:
            return None
        pair = f"{self.endpoint.username}:{self.endpoint.password or ''}"
        return f"Basic {b64encode(pair.encode()).decode()}"

    async def _ask_http(self, handshake: Handshake, address: str, port: int) -> None:
        status = await self._http(handshake, f"CONNECT {_at(address, port)}", _at(address, port))
        if status == 407:
            raise ProxyFailed("the proxy wants another user or password")
        if status >= 500 and status != 501:
            raise ConnectionRefusedError("the proxy could not reach the host")
        if not 200 <= status < 300:
            raise NoTunnel("the proxy makes no connection to this port")

    async def _greet_http(self, handshake: Handshake) -> None:
        """Any answer but "not you" will do, and so will hanging up on a question no client asks."""
        self._send_http(handshake, "GET /", self.endpoint.host)
        first = await handshake.first_bytes()
        if b" 407 " in first[:16]:
            raise ProxyFailed("the proxy wants another user or password")

    async def _http(self, handshake: Handshake, request: str, host: str) -> int:
        self._send_http(handshake, request, host)
        words = (await handshake.read_head()).split(None, 2)
        if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not (words[1].isdigit() and len(words[1]) == 3):
            raise ProxyFailed("the proxy does not answer as a proxy does")
        return int(words[1])

    def _send_http(self, handshake: Handshake, request: str, host: str) -> None:
        lines = [f"{request} HTTP/1.1", f"Host: {host}"]
        if self.authorization is not None:
            lines.append(f"Proxy-Authorization: {self.authorization}")
        handshake.transport.write(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def _ask_socks(self, handshake: Handshake, address: str, port: int) -> None:
        await self._greet_socks(handshake)
        ip = ip_address(address)
        kind = b"\x01" if ip.version == 4 else b"\x04"
        handshake.transport.write(b"\x05\x01\x00" + kind + ip.packed + port.to_bytes(2, "big"))
        version, reply, _, bound = await handshake.read(4)
        if version != 5:
            raise ProxyFailed("the proxy does not answer as a proxy does")
        if reply in _UNREACHED:
            raise ConnectionRefusedError("the proxy could not reach the host")
        if reply:
            raise ProxyFailed("the proxy refuses to connect")
        length = {1: 4, 4: 16}.get(bound) or (await handshake.read(1))[0]
        await handshake.read(length + 2)

    async def _greet_socks(self, handshake: Handshake) -> None:
        named = self.endpoint.username is not None
        handshake.transport.write(b"\x05\x02\x00\x02" if named else b"\x05\x01\x00")
        version, method = await handshake.read(2)
        if version != 5 or method not in ((0, 2) if named else (0,)):
            raise ProxyFailed("the proxy wants another way to log in")
        if method == 2:
            await self._log_in_socks(handshake)

    async def _log_in_socks(self, handshake: Handshake) -> None:
        """RFC 1929."""
        user, password = (self.endpoint.username or "").encode(), (self.endpoint.password or "").encode()
        handshake.transport.write(b"\x01" + bytes([len(user)]) + user + bytes([len(password)]) + password)
        if (await handshake.read(2))[1] != 0:
            raise ProxyFailed("the proxy wants another user or password")


async def _send_nothing(_: Handshake) -> None:
    return None


def _at(address: str, port: int) -> str:
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def _streams(transport: asyncio.Transport) -> Streams:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(loop=loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport.set_protocol(protocol)
    protocol.connection_made(transport)
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)
