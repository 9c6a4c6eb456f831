"""The one guard every outgoing connection passes (R-10): resolve once, refuse if any record is forbidden,
dial exactly those addresses.

    guard = EgressGuard(AllowList(settings.egress_allow))
    admitted = await guard.admit(url)            # or admit_host(host, port) for FTP and SFTP
    with Dial(admitted): …                       # aiohttp on guard.connector() can reach nothing else

The connector hands aiohttp our resolver, which only knows the addresses admitted for the request being
made, and our socket factory, which refuses every other address: IP literals, for which aiohttp asks no
resolver, and anything a later change might add. A kept-alive connection was dialled to an admitted
address; every request that reuses one is admitted again first, so a name that starts to point inside
is refused although the pool still knows it.
"""

from __future__ import annotations

import asyncio
import errno
import socket
import ssl as tls
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from time import monotonic
from typing import Any, Protocol

import aiohttp
import msgspec
from aiohttp.abc import AbstractResolver, ResolveResult

from winnow.errors import HostUnresolved, NoTunnel, UrlRefused
from winnow.fetch.egress.addresses import is_forbidden, parse_address
from winnow.fetch.egress.allow import NOTHING, AllowList
from winnow.fetch.outcome import BeforeSending, Refusal
from winnow.fetch.url import CheckedUrl, check_host, parse_url

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

RESOLVE_SECONDS = 5.0  # half the connect deadline; a CNAME chain or a dead name server ends here
ADMITTED_SECONDS = 10.0  # as long as aiohttp itself would trust an answer; the answer was checked whole
MAX_ADMITTED = 4_096
MAX_DIALLED = 8  # addresses tried for one connection
_KEEPALIVE_SECONDS = 15.0


class Admitted(msgspec.Struct, frozen=True, gc=False):
    host: str
    port: int
    addresses: tuple[str, ...]


class Exit(Protocol):
    """A proxy to go through (fetch/proxies/tunnel.py): to an admitted address, or as far as the proxy itself."""

    async def open(self, address: str, port: int) -> asyncio.Transport: ...

    async def plain(self) -> asyncio.Transport: ...

    @property
    def authorization(self) -> str | None: ...


class Dial:
    """What the request made inside `with Dial(…)` may dial, whether it dialled at all (or reused a connection),
    whom to tell once it is connected, the proxy to go through, and who is asked last before anything is sent."""

    __slots__ = ("_token", "admitted", "before", "connected", "dialled", "through")

    def __init__(
        self,
        admitted: Admitted,
        connected: Callable[[], None] = lambda: None,
        through: Exit | None = None,
        before: BeforeSending | None = None,
    ) -> None:
        self.admitted = admitted
        self.connected = connected
        self.dialled = False
        self.through = through
        self.before = before

    def __enter__(self) -> Dial:
        self._token = _dial.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        _dial.reset(self._token)


_dial: ContextVar[Dial | None] = ContextVar("winnow_dial", default=None)


class EgressGuard:
    def __init__(self, allow: AllowList = NOTHING, resolve: Resolve | None = None) -> None:
        self.allow = allow
        self._resolve = resolve or resolve_by_system
        self._admitted: dict[tuple[str, int], tuple[float, Admitted]] = {}
        self._lookups: dict[tuple[str, int], asyncio.Task[Admitted]] = {}

    def check(self, url: str) -> CheckedUrl:
        return parse_url(url, self.allow)

    async def admit(self, url: str | CheckedUrl) -> Admitted:
        """The addresses this URL may be fetched from. UrlRefused or HostUnresolved, never a guess."""
        checked = self.check(url) if isinstance(url, str) else url
        return await self._admit(checked.host, checked.port, checked.literal)

    async def admit_host(self, host: str, port: int) -> Admitted:
        """For protocols without a URL (FTP, SFTP). Their ports are their own, so no port is forbidden."""
        name, literal = check_host(host, port, self.allow)
        return await self._admit(name, port, literal)

    async def _admit(self, host: str, port: int, literal: bool) -> Admitted:
        known = self._admitted.get((host, port))
        if known is not None and known[0] > monotonic():
            return known[1]
        if literal:
            return self._keep(self._judge(host, port, [host]))
        return await self._look_up(host, port)

    async def _look_up(self, host: str, port: int) -> Admitted:
        """One lookup for all who ask at the same time; one caller's cancellation does not end it."""
        key = (host, port)
        task = self._lookups.get(key)
        if task is None:
            task = self._lookups[key] = asyncio.create_task(self._answer(host, port))
            task.add_done_callback(lambda done: self._answered(key, done))
        return await asyncio.shield(task)

    def _answered(self, key: tuple[str, int], task: asyncio.Task[Admitted]) -> None:
        self._lookups.pop(key, None)
        if not task.cancelled():
            task.exception()  # seen, should everybody who asked have gone

    async def _answer(self, host: str, port: int) -> Admitted:
        try:
            async with asyncio.timeout(RESOLVE_SECONDS):
                addresses = await self._resolve(host, port)
        except (OSError, UnicodeError):  # TimeoutError is an OSError
            raise HostUnresolved("the host name could not be resolved") from None
        return self._keep(self._judge(host, port, addresses))

    def _keep(self, admitted: Admitted) -> Admitted:
        if len(self._admitted) >= MAX_ADMITTED:
            self._admitted.clear()
        self._admitted[admitted.host, admitted.port] = (monotonic() + ADMITTED_SECONDS, admitted)
        return admitted

    def _judge(self, host: str, port: int, addresses: Sequence[str]) -> Admitted:
        if not addresses:
            raise HostUnresolved("the host name could not be resolved")
        open_host = self.allow.host(host, port)
        for ip in addresses:
            if parse_address(ip) is None or not (open_host or self._may_dial(ip, port)):
                raise UrlRefused("the host is not a public one")
        unique = dict.fromkeys(str(parse_address(ip)) for ip in addresses)
        return Admitted(host, port, tuple(unique)[:MAX_DIALLED])

    def _may_dial(self, ip: str, port: int) -> bool:
        return is_forbidden(ip) is None or self.allow.address(ip, port)

    def connector(self, ssl: tls.SSLContext | bool = True) -> aiohttp.TCPConnector:
        """No connection limit: how many requests run at once is the ledger's decision."""
        return _GuardedConnector(keepalive_timeout=_KEEPALIVE_SECONDS, **_guarded(ssl))

    def exit_connector(self, ssl: tls.SSLContext | bool = True) -> aiohttp.TCPConnector:
        """For requests through a proxy. Its connections are never used twice: the next request of a site takes
        another exit (S-112)."""
        return _ExitConnector(force_close=True, **_guarded(ssl))


def _guarded(ssl: tls.SSLContext | bool) -> dict[str, Any]:
    return {
        "resolver": _AdmittedOnly(),
        "use_dns_cache": False,
        "socket_factory": _admitted_socket,
        "limit": 0,
        "ssl": ssl,
    }


class NotSent(Exception):
    """The request stood ready, and may not be sent after all."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.error)
        self.refusal = refusal


class _GuardedConnector(aiohttp.TCPConnector):
    async def connect(self, req: Any, traces: Any, timeout: Any) -> Any:
        connection = await super().connect(req, traces, timeout)
        if (dial := _dial.get()) is not None:
            if dial.before is not None and (refusal := await dial.before()) is not None:
                connection.release()
                raise NotSent(refusal)
            dial.connected()
        return connection


class _ExitConnector(_GuardedConnector):
    """Dials through the proxy of the request being made, and nowhere without one."""

    async def _wrap_create_connection(
        self,
        *args: Any,
        addr_infos: list[Any],
        req: Any,
        timeout: Any,
        client_error: type[Exception] = aiohttp.ClientConnectorError,
        **kwargs: Any,
    ) -> Any:
        dial, address = _dial.get(), str(addr_infos[0][4][0])
        if dial is None or dial.through is None or address not in dial.admitted.addresses:
            raise client_error(req.connection_key, OSError(errno.EACCES, "not admitted"))
        dial.dialled = True
        try:
            transport = await self._through(dial.through, address, dial.admitted.port, req)
            return await self._handed_over(transport, kwargs.get("ssl"), kwargs.get("server_hostname"))
        except tls.CertificateError as error:
            raise aiohttp.ClientConnectorCertificateError(req.connection_key, error) from error
        except tls.SSLError as error:
            raise aiohttp.ClientConnectorSSLError(req.connection_key, error) from error
        except TimeoutError:
            raise
        except OSError as error:
            raise client_error(req.connection_key, error) from error

    async def _through(self, through: Exit, address: str, port: int, req: Any) -> asyncio.Transport:
        try:
            return await through.open(address, port)
        except NoTunnel:
            if req.is_ssl():
                raise
        # The proxy resolves the name itself, in its own network: all this protocol offers (RFC 9112 §3.2.2).
        req.proxy = req.url  # makes aiohttp send the request in absolute form
        if through.authorization is not None:
            req.headers[aiohttp.hdrs.PROXY_AUTHORIZATION] = through.authorization
        return await through.plain()

    async def _handed_over(self, transport: asyncio.Transport, ssl: Any, server_hostname: str | None) -> Any:
        handler = self._factory()
        over: asyncio.BaseTransport | None = transport
        try:
            if ssl:
                over = await self._loop.start_tls(transport, handler, ssl, server_hostname=server_hostname)
            else:
                transport.set_protocol(handler)
        except BaseException as error:
            transport.abort()
            if isinstance(error, TypeError):  # how Python 3.11 ends a failed handshake inside another TLS connection
                raise tls.SSLError("the handshake failed") from error
            raise
        if over is None:
            raise ConnectionResetError("the connection broke")
        handler.connection_made(over)
        return over, handler


class _AdmittedOnly(AbstractResolver):
    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        dial = _dial.get()
        if dial is None or (dial.admitted.host, dial.admitted.port) != (host, port):
            raise OSError(errno.EACCES, "not admitted")
        return [_resolved(host, ip, port) for ip in dial.admitted.addresses]

    async def close(self) -> None:
        return None


def _resolved(host: str, ip: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in ip else socket.AF_INET
    flags = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV
    return ResolveResult(hostname=host, host=ip, port=port, family=family, proto=0, flags=flags)


def _admitted_socket(addr_info: tuple[Any, ...]) -> socket.socket:
    family, kind, proto, _, address = addr_info
    dial = _dial.get()
    if dial is None or address[0] not in dial.admitted.addresses or address[1] != dial.admitted.port:
        raise OSError(errno.EACCES, "not admitted")
    dial.dialled = True
    return socket.socket(family, kind, proto)


# Its own threads: a name server that does not answer must not hold up the rest of the process.
_threads = ThreadPoolExecutor(max_workers=32, thread_name_prefix="resolve")


async def resolve_by_system(host: str, port: int) -> list[str]:
    found = await asyncio.get_running_loop().run_in_executor(_threads, _getaddrinfo, host, port)
    return [str(info[4][0]) for info in found]


def _getaddrinfo(host: str, port: int) -> list[Any]:
    # No AI_ADDRCONFIG: it would hide the records of a family this machine lacks, and all are to be checked.
    return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
