"""A web server that misbehaves on purpose: one path per misbehaviour.

Raw sockets, because a proper HTTP library would not let it be this wrong. `requests` and `connections`
count what really arrived, which is what "nothing was sent" is proved with.

    python -m tests.fetch.fault_server      prints its address and every path it knows
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass, field
from urllib.parse import parse_qs

from tests.fetch import faulty_bodies, faulty_connections  # noqa: F401 - they register their paths
from tests.fetch.faults import BEHAVIOURS, Call, Request, not_found


class NotHttp(Exception):
    """Somebody speaks TLS to a server that does not."""


@dataclass
class FaultServer:
    tls: ssl.SSLContext | None = None
    requests: list[Request] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    _server: asyncio.Server | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def start(self) -> FaultServer:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def stop(self) -> None:
        assert self._server is not None
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{path}"

    def paths(self) -> list[str]:
        return [request.path for request in self.requests]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while request := await _read(reader):
                self.requests.append(request)
                await BEHAVIOURS.get(request.path, not_found)(Call(request, writer, self))
        except NotHttp:
            writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except (OSError, asyncio.CancelledError):
            pass  # the client has gone, or the test is over
        finally:
            self._tasks.discard(task)
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Request | None:
    first = await reader.read(1)
    if not first:
        return None
    if not first.isupper():
        raise NotHttp
    method, target, _ = (first + await reader.readline()).decode("latin-1").split(" ", 2)
    headers = {}
    while (raw := await reader.readline()) not in (b"\r\n", b""):
        name, _, value = raw.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    path, _, query = target.partition("?")
    return Request(method, path, {k: v[0] for k, v in parse_qs(query).items()}, headers)


async def _main() -> None:
    server = await FaultServer().start()
    print(server.url(""), *sorted(BEHAVIOURS), sep="\n  ", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_main())
