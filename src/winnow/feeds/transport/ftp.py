"""FTP, passive only (F-092): over TLS (FTPS, explicit, RFC 4217), or plain where that was switched on (F-093).

The address in a PASV answer is not used: the data connection goes to the address of the control connection, so a
server cannot send us elsewhere. Nor may it send us to a port below 1024 of its own machine.
"""

from __future__ import annotations

import asyncio
import re
import ssl as tls
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aioftp
from aioftp.common import SSLSessionBoundContext

from winnow.feeds.failures import (
    FeedFailure,
    FeedLoginRefused,
    FileForbidden,
    FileMissing,
    Misconfigured,
    Permanent,
    Transient,
)
from winnow.feeds.transport.dial import admit, connect, greeting, network_failure
from winnow.feeds.transport.pattern import folder_of, is_pattern, newest
from winnow.feeds.transport.remote import Downloaded, FileStat, Reach, Remote
from winnow.feeds.transport.spool import Spool
from winnow.fetch.egress.guard import Admitted

STEP = 256 << 10
FIRST_PASSIVE_PORT = 1024
_FORBIDDEN = re.compile(r"permission|privilege|denied|not allowed|authori|access|forbidden", re.IGNORECASE)
_WANTS_TLS = re.compile(r"\b(?:SSL|TLS)\b.{0,20}\brequired\b|\brequires?\b.{0,20}\b(?:SSL|TLS)\b", re.IGNORECASE)
_MOMENT = re.compile(r"(\d{14})(?:\.\d+)?")
_SWITCH = "AFFILIATE_FEED_ALLOW_PLAIN_FTP"


class _GuardedClient(aioftp.Client):
    """aioftp that dials admitted addresses only, for the data connection too."""

    def __init__(self, admitted: Admitted, port: int, reach: Reach) -> None:
        super().__init__(socket_timeout=reach.idle_seconds, connection_timeout=reach.connect_seconds)
        self.admitted, self.control_port, self.reach = admitted, port, reach
        self.trust_server_pasv_ipv4_address = False
        self.greeted = False

    async def parse_line(self) -> tuple[aioftp.Code, str]:
        """A first line without a reply code is no FTP: aioftp would wait for more of it until its time is over."""
        code, rest = await super().parse_line()
        if not self.greeted and not code.isdigit():
            raise ValueError(f"the server greets with {(code + rest)[:40]!r}")
        self.greeted = True
        return code, rest

    async def secure(self) -> None:
        """Encrypts the control connection, and the data connections that follow. The certificate has to be the one of
        the host's name."""
        context = self.reach.ssl if isinstance(self.reach.ssl, tls.SSLContext) else tls.create_default_context()
        try:
            await self.command("AUTH TLS", "234")
        except aioftp.StatusCodeError as refused:
            raise _without_tls(refused) from None
        await self.stream.start_tls(sslcontext=context, server_hostname=self.admitted.host)
        await self.command("PBSZ 0", "200")
        await self.command("PROT P", "200")

    def _data_context(self) -> tls.SSLContext | None:
        """Servers want the session of the control connection on the data connection."""
        stream = self._stream
        control = None if stream is None else stream.writer.transport.get_extra_info("ssl_object")
        if control is None:
            return None
        return SSLSessionBoundContext(tls.PROTOCOL_TLS_CLIENT, context=control.context, session=control.session)

    async def _open_connection(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if host not in self.admitted.addresses or (port != self.control_port and port < FIRST_PASSIVE_PORT):
            raise Misconfigured(f"the server points its data connection at port {port}", code="PASSIVE_REFUSED")
        only = Admitted(self.admitted.host, port, (host,))
        sock = await connect(only, port, self.reach.connect_seconds)
        context = self._data_context()
        if context is None:
            return await asyncio.open_connection(sock=sock)
        return await asyncio.open_connection(sock=sock, ssl=context, server_hostname=self.admitted.host)


class FtpSession:
    def __init__(self, remote: Remote, reach: Reach, client: _GuardedClient) -> None:
        self.remote, self.reach, self.client = remote, reach, client
        self.path = "" if is_pattern(remote.path) else remote.path

    async def stat(self) -> FileStat:
        try:
            self.path = self.path or newest(self.remote.path, await self._listed())
            await self.client.command("TYPE I", "200")
            size, mtime = await self._ask("SIZE"), await self._ask("MDTM")
        except (OSError, EOFError, aioftp.AIOFTPException) as wrong:
            raise failure_of(wrong) from None
        return FileStat(_moment(mtime), int(size) if size and size.isdecimal() else None)

    async def _listed(self) -> list[tuple[str, datetime | None]]:
        found = await self.client.list(folder_of(self.remote.path))
        return [(path.name, _moment(str(info.get("modify", "")))) for path, info in found if info.get("type") == "file"]

    async def _ask(self, command: str) -> str | None:
        """213 and the answer; None where the server does not know the command, or will not say."""
        try:
            _, info = await self.client.command(f"{command} {self.path}", "213")
        except aioftp.StatusCodeError as refused:
            if _code(refused).startswith("5"):
                return None  # whether it is there shows when it is fetched
            raise
        return info[-1].strip()

    async def fetch(self, spool: Spool) -> Downloaded:
        try:
            await self._retrieve(spool)
            return spool.finish(await self.stat())
        except (OSError, EOFError, aioftp.AIOFTPException) as wrong:
            raise failure_of(wrong) from None

    async def _retrieve(self, spool: Spool) -> None:
        try:
            stream = await self.client.download_stream(self.path, offset=spool.offset)
        except aioftp.StatusCodeError as refused:
            if not spool.offset or _code(refused) not in ("500", "501", "502", "504", "554"):
                raise
            spool.restart()  # the server cannot go on in the middle
            stream = await self.client.download_stream(self.path)
        try:
            while chunk := await stream.read(STEP):
                await asyncio.to_thread(spool.write, chunk)
            await stream.finish()
        finally:
            stream.close()


@asynccontextmanager
async def open_ftp(remote: Remote, reach: Reach) -> AsyncIterator[FtpSession]:
    if remote.transport == "FTP" and not reach.allow_plain_ftp:
        hint = f"use SFTP, or set {_SWITCH}=true to accept that the password travels in clear text"
        raise Misconfigured("plain FTP is switched off", code="PLAIN_FTP_OFF", hint=hint)
    admitted = await admit(reach, remote.host, remote.dial_port)
    client = _GuardedClient(admitted, remote.dial_port, reach)
    try:
        await _log_in(client, admitted, remote)
        yield FtpSession(remote, reach, client)
    except (OSError, EOFError, aioftp.AIOFTPException) as wrong:
        raise failure_of(wrong) from None
    finally:
        client.close()


async def _log_in(client: _GuardedClient, admitted: Admitted, remote: Remote) -> None:
    try:
        async with asyncio.timeout(client.reach.connect_seconds):
            await client.connect(admitted.addresses[0], remote.dial_port)
    except (ValueError, aioftp.AIOFTPException, OSError) as wrong:
        answer = await greeting(admitted, remote.dial_port, client.reach.connect_seconds)
        if answer and not answer[:3].isdigit():
            hint = "check transport and port"
            raise Misconfigured("this port does not speak FTP", code="PROTOCOL_MISMATCH", hint=hint) from None
        raise failure_of(wrong) from None
    if remote.transport == "FTPS":
        async with asyncio.timeout(client.reach.connect_seconds):
            await client.secure()
    await client.login(remote.username or "anonymous", remote.secret or "")


def _without_tls(refused: aioftp.StatusCodeError) -> FeedFailure:
    """What a server means that does not accept AUTH TLS; the password is not sent."""
    if not _code(refused).startswith("5"):
        return failure_of(refused)
    hint = "ask for the address of its encrypted service, or use SFTP"
    return Misconfigured("the server offers no encrypted connection", code="TLS_UNAVAILABLE", hint=hint)


def _moment(text: str | None) -> datetime | None:
    found = _MOMENT.match(text or "")
    return datetime.strptime(found[1], "%Y%m%d%H%M%S").replace(tzinfo=UTC) if found else None


def _code(refused: aioftp.StatusCodeError) -> str:
    return str(refused.received_codes[-1])


def failure_of(wrong: BaseException) -> FeedFailure:
    """F-116, F-117: by the reply code; 550 means missing unless it says otherwise."""
    if not isinstance(wrong, aioftp.StatusCodeError):
        return network_failure(wrong)
    code, answer = _code(wrong), " ".join(wrong.info)[:200]
    if code in ("530", "532", "331", "332"):
        return FeedLoginRefused("the server refused the user name or password", code="AUTH_FAILED")
    if code in ("522", "534", "536", "431") or (code.startswith("5") and _WANTS_TLS.search(answer)):
        hint = "use the transport FTPS, or SFTP"
        return Misconfigured("the server wants an encrypted connection", code="TLS_REQUIRED", hint=hint)
    if code in ("550", "553"):
        kind = FileForbidden if _FORBIDDEN.search(answer) else FileMissing
        return kind(
            "the server does not allow this file to be read" if kind is FileForbidden else "the file is not there"
        )
    if code == "501":
        return Permanent("the server does not accept the path", code="PATH_REFUSED")
    return Transient(f"the server answered {code}", code=f"FTP_{code}")
