"""The PostgreSQL a benchmark runs on: private, durable, thrown away afterwards."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from bench.harness import BenchFailed
from winnow.db import migrate
from winnow.db.embedded import EmbeddedServer, start_or_join

TEMPLATE = "winnow_bench_template"
SHOWN = ("server_version", "fsync", "synchronous_commit", "full_page_writes", "shared_buffers")
DURABLE = ("fsync", "synchronous_commit")


class Server:
    def __init__(self, embedded: EmbeddedServer) -> None:
        self._embedded = embedded

    def url(self, database: str = "postgres") -> str:
        """Without options: not every peer's driver understands those of libpq."""
        return self._embedded.url.partition("?")[0].rpartition("/")[0] + "/" + database

    async def settings(self) -> dict[str, str]:
        """What durability costs is part of every figure: a server without it is refused (DESIGN §11.24)."""
        async with await psycopg.AsyncConnection.connect(self.url()) as conn:
            cursor = await conn.execute("SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", (list(SHOWN),))
            found = dict(await cursor.fetchall())
        if any(found[name] != "on" for name in DURABLE):
            raise BenchFailed(f"{' and '.join(DURABLE)} must be on; this server says {found}")
        return {name: found[name] for name in SHOWN}

    @asynccontextmanager
    async def database(self, name: str, template: str = "template1") -> AsyncIterator[str]:
        """The address of a fresh database, dropped after use."""
        await self._run("CREATE DATABASE {} TEMPLATE {}", name, template)
        try:
            yield self.url(name)
        finally:
            await self._run("DROP DATABASE {} WITH (FORCE)", name)

    async def keep(self, name: str, template: str = "template1") -> str:
        """The address of a database that stays until the server ends, to be filled and copied."""
        await self._run("CREATE DATABASE {} TEMPLATE {}", name, template)
        return self.url(name)

    async def prepare_template(self) -> str:
        """A database with Winnow's schema, to be copied: migrating anew each time takes seconds."""
        await self._run("CREATE DATABASE {}", TEMPLATE)
        await migrate.upgrade(self.url(TEMPLATE))
        return TEMPLATE

    def cpu_seconds(self) -> float:
        """Used so far by the server and everything it has started, ended backends included."""
        supervisor = psutil.Process((self._embedded._running() or {})["supervisor"])
        family = [supervisor, *supervisor.children(recursive=True)]
        spent = 0.0
        for process in family:
            with suppress(psutil.NoSuchProcess):  # ended meanwhile: counted with its parent's children
                spent += sum(process.cpu_times()[:4])
        return spent

    async def _run(self, statement: str, *names: str) -> None:
        async with await psycopg.AsyncConnection.connect(self.url(), autocommit=True) as conn:
            await conn.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


def passable_folder() -> Path:
    """Ours to write; as root the server has a user of its own, who must pass through."""
    folder = Path(tempfile.mkdtemp(prefix="winnow-bench-"))
    folder.chmod(0o711)
    return folder


@asynccontextmanager
async def private_server() -> AsyncIterator[Server]:
    folder = passable_folder()
    embedded = await start_or_join(folder)
    try:
        yield Server(embedded)
    finally:
        await embedded.release()
        shutil.rmtree(folder, ignore_errors=True)
