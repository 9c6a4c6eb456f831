"""Real file servers on loopback, with the faults real ones have."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import ClassVar

import asyncssh
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import DTPHandler, FTPHandler, TLS_DTPHandler, TLS_FTPHandler
from pyftpdlib.servers import FTPServer

from tests.waiting import LIMIT
from winnow.feeds.transport.transport import Reach, Remote
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard

USER, PASSWORD = "feeds", "correct horse battery"
logging.getLogger("pyftpdlib").setLevel(logging.CRITICAL)


def reach(**changes: object) -> Reach:
    given = {"guard": EgressGuard(AllowList(["127.0.0.1"])), "allow_plain_ftp": True, "connect_seconds": LIMIT}
    return Reach(**(given | changes))  # type: ignore[arg-type]


class _Login(asyncssh.SSHServer):
    def __init__(self, logins: list[str]) -> None:
        self.logins = logins

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        self.logins.append(password)
        return (username, password) == (USER, PASSWORD)


class SftpBox:
    """An SFTP server over a folder. `die_after`: bytes served in all before the connection is cut. `silent_at`: the
    request it takes and never answers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.die_after: int | None = None
        self.served = 0
        self.silent_at: str | None = None
        self.logins: list[str] = []
        self.key = asyncssh.generate_private_key("ssh-ed25519")

    @property
    def fingerprint(self) -> str:
        return self.key.get_fingerprint()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[SftpBox]:
        box = self

        class Files(asyncssh.SFTPServer):
            def __init__(self, chan: asyncssh.SSHServerChannel) -> None:
                self.wire = chan.get_connection()
                super().__init__(chan, chroot=str(box.folder).encode())

            async def _silent_at(self, request: str) -> None:
                if box.silent_at == request:
                    await asyncio.Event().wait()

            async def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> object:
                await self._silent_at("open")
                return super().open(path, pflags, attrs)

            async def close(self, file_obj: object) -> None:
                await self._silent_at("close")
                super().close(file_obj)

            def read(self, file_obj: object, offset: int, size: int) -> bytes:
                if box.die_after is not None and box.served >= box.die_after:
                    self.wire.abort()
                    raise asyncssh.SFTPConnectionLost("cut")
                data = super().read(file_obj, offset, size)
                box.served += len(data)
                return bytes(data)

        server = await asyncssh.listen(
            "127.0.0.1",
            self.port,
            server_host_keys=[self.key],
            server_factory=lambda: _Login(self.logins),
            sftp_factory=Files,
        )
        self.port = server.sockets[0].getsockname()[1]
        try:
            yield self
        finally:
            server.close()
            await server.wait_closed()

    def remote(self, path: str = "/catalog.csv", **changes: object) -> Remote:
        given = {"transport": "SFTP", "host": "127.0.0.1", "port": self.port, "path": path}
        return Remote(**(given | {"username": USER, "secret": PASSWORD} | changes))  # type: ignore[arg-type]


class FtpBox:
    """An FTP server over a folder, in its own thread. `die_after` cuts the data connection. With a certificate it takes
    nothing but encrypted connections (explicit TLS, RFC 4217)."""

    def __init__(self, folder: Path, certificate: Path | None = None) -> None:
        self.folder, self.certificate = folder, certificate
        self.commands: list[str] = []
        self.port = 0
        self.die_after: int | None = None
        self.masquerade: str | None = None
        self.perm = "elr"
        self.refused: tuple[str, ...] = ()  # commands this server does not know

    @contextlib.contextmanager
    def running(self) -> Iterator[FtpBox]:
        box = self

        data_handler = DTPHandler if box.certificate is None else TLS_DTPHandler
        control_handler = FTPHandler if box.certificate is None else TLS_FTPHandler

        class Data(data_handler):  # type: ignore[misc,valid-type]
            sent = 0

            def send(self, data: bytes) -> int:
                if box.die_after is not None and self.sent >= box.die_after:
                    self.cmd_channel.close()
                    self.close()
                    return 0
                count = super().send(data)
                self.sent += count
                return count

        class Control(control_handler):  # type: ignore[misc,valid-type]
            authorizer = DummyAuthorizer()
            dtp_handler = Data
            masquerade_address = box.masquerade
            auth_failed_timeout = 0
            use_sendfile = False  # so that the data goes through `send` above
            proto_cmds: ClassVar = {n: c for n, c in control_handler.proto_cmds.items() if n not in box.refused}
            certfile = None if box.certificate is None else str(box.certificate)
            tls_control_required = tls_data_required = True

            def pre_process_command(self, line: str, cmd: str, arg: str) -> None:
                box.commands.append(cmd)
                super().pre_process_command(line, cmd, arg)

        Control.authorizer.add_user(USER, PASSWORD, str(self.folder), perm=self.perm)
        server = FTPServer(("127.0.0.1", 0), Control)
        self.port = server.address[1]
        stop = threading.Event()

        def serve() -> None:
            while not stop.is_set():
                server.serve_forever(timeout=0.02, blocking=False)
            server.close_all()

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            stop.set()
            thread.join(LIMIT)

    def remote(self, path: str = "/catalog.csv", **changes: object) -> Remote:
        transport = "FTP" if self.certificate is None else "FTPS"
        given = {"transport": transport, "host": "127.0.0.1", "port": self.port, "path": path}
        return Remote(**(given | {"username": USER, "secret": PASSWORD} | changes))  # type: ignore[arg-type]


@contextlib.asynccontextmanager
async def talking(says: bytes) -> AsyncIterator[int]:
    """Something that is no file server: it says its line and waits."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(says)
        with contextlib.suppress(OSError):
            await reader.read(100)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
