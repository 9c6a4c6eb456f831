"""Finding the database and getting a connection to it, now or as soon as it is back.

The first connection of a process is strict: what is wrong there is for the operator to correct, and is
reason in one sentence (ConfigError). Every later one waits: the database was there, so it will be again.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
import select
import time
from collections.abc import Mapping
from typing import Any

import orjson
import psycopg
import structlog
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.json import set_json_dumps, set_json_loads

from winnow.db import arrays
from winnow.db.embedded import EmbeddedServer
from winnow.errors import ConfigError, DatabaseUnavailable

# For every connection: rows of the pipeline carry several JSON values each.
set_json_dumps(orjson.dumps)
set_json_loads(orjson.loads)
arrays.register()

log = structlog.get_logger(__name__)

OLDEST_VERSION = 15  # DESIGN §9
FIRST_PAUSE, LONGEST_PAUSE = 0.05, 1.0  # a restart of the private server takes about 0.3 s
STARTING = ("the database system is starting up", "the database system is in recovery", "is shutting down")
# A server that vanished without a word (power, network) is noticed in about a minute, not in hours.
DEFAULTS = {
    "application_name": "winnow",
    "connect_timeout": "10",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}
# SQLSTATE: connection exceptions, shutdowns and crashes, no room for another client, no disk or memory,
# sessions ended by a server-side limit. https://www.postgresql.org/docs/current/errcodes-appendix.html
AWAY = ("08", "57P01", "57P02", "57P03", "57P05", "53", "25P03")
ROLLED_BACK = ("40001", "40P01")  # serialization failure, deadlock: nothing was written


def is_away(error: BaseException, connection: AsyncConnection[Any] | None = None) -> bool:
    """Whether this says the database went away, rather than that it disliked the statement."""
    if not isinstance(error, psycopg.OperationalError):
        return False
    if error.sqlstate is None:
        return connection is None or connection.closed
    return error.sqlstate.startswith(AWAY)


def went_away(error: psycopg.Error) -> DatabaseUnavailable:
    """What is reason once `is_away` has said so."""
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, psycopg.errors.DiskFull):
        return DatabaseUnavailable(f"the disk of the database is full, free some space: {said}")
    return DatabaseUnavailable(f"the database went away: {said}")


def is_broken(connection: AsyncConnection[Any]) -> bool:
    """Whether an idle connection was cut, without a round trip: there is only something to read if so,
    or if the server had news, which are then read."""
    waiting = select.poll()
    try:
        waiting.register(connection.fileno(), select.POLLIN)
        while waiting.poll(0):
            connection.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return connection.closed


def parse(url: str) -> str:
    """Any form libpq knows, and SQLAlchemy's `postgresql+psycopg://`; completed with our defaults."""
    plain = re.sub(r"^(postgres(?:ql)?)\+\w+://", r"\1://", url.strip())
    try:
        given = conninfo_to_dict(plain)
    except psycopg.ProgrammingError as error:
        _refuse_option(str(error), plain)
        given = {}
    if not _plausible(given):  # the text may hold the password, so it is not repeated
        raise ConfigError(
            "WINNOW_DATABASE_URL is not a PostgreSQL address: write postgresql://user:password@host:5432/database, "
            "with @ : / # ? % in the password as %40 %3A %2F %23 %3F %25"
        )
    return make_conninfo(plain, **{name: value for name, value in DEFAULTS.items() if name not in given})


def _refuse_option(said: str, url: str) -> None:
    """Options of poolers and other drivers (`pgbouncer=true`, `schema=public`). Named only where no password can
    reach: the `?` stands after the `@`."""
    option = re.search(r'invalid URI query parameter: "(\w+)"', said)
    if option and "@" in url.partition("?")[0]:
        raise ConfigError(f"WINNOW_DATABASE_URL has an option PostgreSQL does not know, {option[1]}: take it out")


def _plausible(given: Mapping[str, object]) -> bool:
    """A raw @ or / in a password moves the rest of it into host, port or database, and so into messages."""
    port, names = str(given.get("port") or ""), f"{given.get('host')}{given.get('dbname')}"
    return bool(given) and re.fullmatch(r"[\d,]*", port) is not None and "@" not in names


def place(conninfo: str) -> str:
    """For messages: everything but the password."""
    known = conninfo_to_dict(conninfo)
    host, port = known.get("host") or "localhost", known.get("port") or 5432
    return f"{known.get('user') or 'the current user'}@{host}:{port}/{known.get('dbname') or ''}"


def explain(error: psycopg.Error, conninfo: str) -> str:
    """One sentence for the operator. libpq gives connection failures no code, so their text decides."""
    text, where = str(error), place(conninfo)
    for pattern, reason in _EXPLAINED:
        if re.search(pattern, text):
            return f"{reason.format(where=where)} (WINNOW_DATABASE_URL)"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    last = lines[-1].rpartition("FATAL:")[2].strip() if lines else type(error).__name__
    return f"cannot connect to PostgreSQL at {where}: {last} (WINNOW_DATABASE_URL)"


_EXPLAINED = (
    (
        r"password authentication failed|no password supplied",
        "wrong user or password for {where}: correct it",
    ),
    (r"no pg_hba\.conf entry", "the server does not let {where} in from here: allow it in its pg_hba.conf"),
    (r'role ".*" does not exist', "there is no such user on the server: create it or correct {where}"),
    (
        r'database ".*" does not exist',
        "there is no such database on the server: create it or correct {where}",
    ),
    (
        r"Connection refused|No such file or directory",
        "nothing is listening at {where}: start PostgreSQL there or correct the address",
    ),
    (
        r"resolve host|translate host name|Name or service|nodename nor servname|failure in name resolution",
        "the host of {where} is not known: correct the address",
    ),
    (
        r"timeout expired|timed out|No route to host|Network is unreachable",
        "no answer from {where}: check the address and the firewall",
    ),
    (
        r"too many clients|connection slots",
        "{where} has no free connection: raise its max_connections or lower WINNOW_DATABASE_POOL_SIZE",
    ),
    (
        r"received invalid response to (SSL|GSSAPI) negotiation|expected authentication request",
        "another program than PostgreSQL is listening at {where}: correct the address",
    ),
)


def check_version(version: int) -> None:
    """`version` as the server tells it: 150004 is 15.4."""
    if version < OLDEST_VERSION * 10000:
        raise ConfigError(
            f"the PostgreSQL server is version {version // 10000}, Winnow needs {OLDEST_VERSION} or newer: "
            "upgrade it, or unset WINNOW_DATABASE_URL to use the private one"
        )


async def _opened(conninfo: str, *, autocommit: bool) -> AsyncConnection[Any]:
    """psycopg leaves behind what it was opening when it is cancelled: the server would hold that place for a minute,
    and nobody could drop its database. So an opening that nobody waits for any more is finished, and closed."""
    opening = asyncio.ensure_future(AsyncConnection.connect(conninfo, autocommit=autocommit))
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        with contextlib.suppress(psycopg.Error, OSError):
            (await opening).pgconn.finish()
        raise


class Connector:
    """Where the database is, and how long to wait for it. One per process and database."""

    def __init__(self, url: str | None, server: EmbeddedServer | None, wait_seconds: float) -> None:
        self._conninfo = parse(url) if url else None
        self._server = server
        self.wait_seconds = wait_seconds
        self.trouble: str | None = None
        self.closing = False

    def conninfo(self) -> str:
        """Looked up again for every connection: a restarted private server may have another port."""
        if self._conninfo:
            return self._conninfo
        assert self._server is not None
        return parse(self._server.url)

    async def check(self) -> None:
        """The first connection: says what the operator has to correct."""
        first = self.connect(autocommit=True) if self._server else self._connect_strictly()
        async with await first as connection:
            check_version(connection.info.server_version)

    async def _connect_strictly(self) -> AsyncConnection[Any]:
        """Waits for a server that is starting, and for nothing else."""
        until = time.monotonic() + self.wait_seconds
        while True:
            try:
                return await _opened(self.conninfo(), autocommit=True)
            except psycopg.OperationalError as error:
                starting = any(word in str(error) for word in STARTING)
                if not starting or time.monotonic() > until:
                    raise ConfigError(explain(error, self.conninfo())) from None
            await asyncio.sleep(FIRST_PAUSE)

    async def connect(self, *, autocommit: bool) -> AsyncConnection[Any]:
        """A connection, as soon as there is a database again."""
        until, pause = time.monotonic() + self.wait_seconds, FIRST_PAUSE
        while True:
            try:
                connection = await _opened(self.conninfo(), autocommit=autocommit)
            except (psycopg.OperationalError, DatabaseUnavailable, OSError) as error:
                self._trouble(self._describe_error(error))
            else:
                self._trouble(None)
                return connection
            if self.closing or time.monotonic() >= until:
                raise DatabaseUnavailable(self.trouble)
            await self._revive(until - time.monotonic())
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(pause * 2, LONGEST_PAUSE)

    def _trouble(self, reason: str | None) -> None:
        """Logs the outage once when it begins and once when it ends, however many connections wait."""
        if reason is not None and self.trouble is None:
            log.warning("database_away", reason=reason)
        elif reason is None and self.trouble is not None:
            log.warning("database_back")
        self.trouble = reason

    def _describe_error(self, error: Exception) -> str:
        if self._conninfo and isinstance(error, psycopg.Error):
            return explain(error, self._conninfo)
        return f"the private database is away: {str(error).splitlines()[0]}"

    async def _revive(self, seconds: float) -> None:
        if self._server is None:
            return
        try:
            await self._server.revive(seconds)
        except (ConfigError, DatabaseUnavailable, OSError) as error:
            self.trouble = str(error)
