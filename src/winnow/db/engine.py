"""`Database`: how every part of Winnow talks to PostgreSQL.

    async with db.connection() as conn:    one connection, autocommit, for single statements
    async with db.transaction() as conn:   the same in a transaction
    await db.retry(work)                   runs `work(conn)` again when the database goes away meanwhile
    db.listen(ring, rung)                  sets an event when another process rings (see bell.py)
    db.engine                              SQLAlchemy Core for the queries of API and console

Getting a connection waits for a database that is away, up to `database_wait_seconds`. Work that has begun
is different: when the connection breaks, nobody can say whether the last commit happened. `connection` and
`transaction` therefore raise DatabaseUnavailable and leave the decision to the caller. Calling `retry` *is*
that decision: it says that running `work` twice does no harm. Writes of the pipeline carry a fence or a key
that makes the second one change nothing (R-01, R-02), so they may use it; sending mail may not.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolTimeout

from winnow.db.bell import Bell, Ring
from winnow.db.connect import FIRST_PAUSE, LONGEST_PAUSE, ROLLED_BACK, Connector, is_away, is_broken, went_away
from winnow.db.embedded import EmbeddedServer, start_or_join
from winnow.db.settings import DatabaseSettings
from winnow.errors import DatabaseUnavailable

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncEngine

Connection = AsyncConnection[Any]
T = TypeVar("T")
SHORTEST_WAIT = 1.0  # also with database_wait_seconds=0 a connection may take this long to open


class _Waiting(AsyncConnection[Any]):
    """What the pool opens. Left alone, its pauses between attempts grow to minutes."""

    @classmethod
    async def connect(cls, conninfo: str = "", *, connector: Connector) -> Connection:  # type: ignore[override]
        return await connector.connect(autocommit=True)


class Database:
    def __init__(self, settings: DatabaseSettings, server: EmbeddedServer | None) -> None:
        self._server = server
        self._connector = Connector(settings.database_url, server, settings.database_wait_seconds)
        self._wait_seconds = max(settings.database_wait_seconds, SHORTEST_WAIT)
        self._pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
            connection_class=_Waiting,
            kwargs={"connector": self._connector},
            min_size=0,
            max_size=settings.database_pool_size,
            reconnect_timeout=0,  # the connector has waited already
            open=False,
        )
        self._bells: list[Bell] = []

    @classmethod
    async def open(cls, settings: DatabaseSettings) -> Database:
        """Starts or joins the private server, or uses WINNOW_DATABASE_URL; ConfigError says what is wrong."""
        server = None if settings.database_url else await start_or_join(settings.folder)
        try:
            database = cls(settings, server)
            await database._connector.check()
        except BaseException:
            if server is not None:
                await server.release()
            raise
        await database._pool.open()
        return database

    @property
    def url(self) -> str:
        """For programs of their own (migrations, pg_dump). Holds the password; may change on a restart."""
        return self._connector.conninfo()

    @cached_property
    def engine(self) -> AsyncEngine:
        from sqlalchemy.ext.asyncio import create_async_engine  # half a second; workers do without

        return create_async_engine(
            "postgresql+psycopg://",
            async_creator=lambda: self._connector.connect(autocommit=False),
            pool_size=self._pool.max_size,
            max_overflow=0,
            pool_pre_ping=True,
        )

    async def close(self) -> None:
        self._connector.closing = True
        for bell in self._bells:
            await bell.close()
        await self._pool.close()
        if "engine" in self.__dict__:  # it was used
            await self.engine.dispose()
        if self._server is not None:
            await self._server.release()

    async def __aenter__(self) -> Database:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        connection = await self._take()
        try:
            yield connection
        except psycopg.Error as error:
            if is_away(error, connection):
                raise went_away(error) from error
            raise
        finally:
            await self._pool.putconn(connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        async with self.connection() as connection, connection.transaction():
            yield connection

    @asynccontextmanager
    async def dedicated(self) -> AsyncIterator[Connection]:
        """A connection of its own, outside the pool: what the session holds (advisory locks, temporary tables)
        ends with it, however it ends."""
        connection = await self._connector.connect(autocommit=True)
        try:
            yield connection
        except psycopg.Error as error:
            if is_away(error, connection):
                raise went_away(error) from error
            raise
        finally:
            await connection.close()

    def listen(self, ring: Ring, rung: asyncio.Event) -> Bell:
        """Until it is closed, or the database is."""
        self._bells.append(bell := Bell(self, ring, rung))
        return bell

    async def retry(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Runs `work` until it gets through, or DatabaseUnavailable when `database_wait_seconds` are over.

        Only for work that may run twice (see above). It is also repeated after a deadlock or a
        serialization failure.
        """
        until, pause = time.monotonic() + self._wait_seconds, FIRST_PAUSE
        while True:
            try:
                async with self.connection() as connection:
                    return await work(connection)
            except (DatabaseUnavailable, psycopg.OperationalError) as error:
                if not _may_pass(error) or time.monotonic() >= until:
                    raise
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, LONGEST_PAUSE)

    async def _take(self) -> Connection:
        """After a restart of the server the pool is full of cut connections; those are thrown away here."""
        while True:
            try:
                connection = await self._pool.getconn(self._wait_seconds)
            except PoolTimeout:
                raise DatabaseUnavailable(self._connector.trouble or self._busy()) from None
            if not is_broken(connection):
                return connection
            await connection.close()
            await self._pool.putconn(connection)

    def _busy(self) -> str:
        return (
            f"all {self._pool.max_size} database connections of this process were in use for "
            f"{self._wait_seconds:g} s: raise WINNOW_DATABASE_POOL_SIZE"
        )


def _may_pass(error: Exception) -> bool:
    return isinstance(error, DatabaseUnavailable) or getattr(error, "sqlstate", None) in ROLLED_BACK
