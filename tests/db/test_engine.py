"""Talking to the database, also when it goes away; and what the operator is told when it is not there."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from sqlalchemy import text
from typer.testing import CliRunner

from tests.waiting import LIMIT
from winnow.cli.db import app
from winnow.db import connect
from winnow.db.bell import Ring, wake_listeners
from winnow.db.engine import Connection, Database
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError, DatabaseUnavailable


def cut(server_url: str, database: Database) -> None:
    """What a restart of the server does to its clients."""
    name = conninfo_to_dict(database.url)["dbname"]
    with psycopg.connect(server_url, autocommit=True) as admin:
        admin.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", [name])


async def one(connection: Connection, question: str) -> object:
    row = await (await connection.execute(question)).fetchone()
    return row[0] if row else None


async def test_pool_and_engine_speak_to_the_same_database(database: Database) -> None:
    async with database.connection() as connection:
        await connection.execute("CREATE TABLE thing (name text)")
    async with database.transaction() as connection:
        await connection.execute("INSERT INTO thing VALUES ('a')")
    async with database.engine.begin() as core:
        assert (await core.execute(text("SELECT name FROM thing"))).scalar_one() == "a"


async def test_a_statement_outside_a_transaction_is_committed_at_once(database: Database) -> None:
    async with database.connection() as first, database.connection() as second:
        await first.execute("CREATE TABLE thing (name text)")
        assert await one(second, "SELECT count(*) FROM thing") == 0


async def test_a_connection_whose_taker_left_while_it_was_opened_is_closed(database: Database) -> None:
    """At any moment of its opening. Left to the garbage collector, it would hold the database for a minute."""
    gc.collect()
    gc.disable()
    try:
        async with database.connection() as watching:
            clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            before = await one(watching, clients)
            for hundredths in range(40):
                bell = database.listen(Ring.ENDED, asyncio.Event())
                await asyncio.sleep(hundredths / 2_000)
                await bell.close()
            async with asyncio.timeout(LIMIT):
                while await one(watching, clients) > before:
                    await asyncio.sleep(0.05)
    finally:
        gc.enable()


async def test_a_ring_is_heard_also_after_the_connection_was_cut(database: Database, server_url: str) -> None:
    rung = asyncio.Event()
    database.listen(Ring.ENDED, rung)
    async with asyncio.timeout(LIMIT):
        for _ in range(2):
            await rung.wait()  # it listens now, and says so once
            rung.clear()
            await wake_listeners(database, Ring.SUBMITTED)
            await wake_listeners(database, Ring.ENDED)
            await rung.wait()
            rung.clear()
            cut(server_url, database)


async def test_a_failed_transaction_leaves_nothing_and_the_connection_usable(database: Database) -> None:
    async def work() -> None:
        async with database.transaction() as connection:
            await connection.execute("CREATE TABLE thing (name text)")
            await connection.execute("SELECT 1/0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        await work()
    async with database.connection() as connection:
        assert await one(connection, "SELECT to_regclass('thing')") is None


async def test_connections_cut_while_idle_are_never_handed_out(database: Database, server_url: str) -> None:
    async def hold(connection: Connection) -> None:
        await connection.execute("SELECT pg_sleep(0.05)")

    await asyncio.gather(*(database.retry(hold) for _ in range(6)))
    cut(server_url, database)
    for _ in range(8):
        async with database.connection() as connection:
            assert await one(connection, "SELECT 1") == 1


async def test_the_engine_reconnects_after_a_cut(database: Database, server_url: str) -> None:
    for _ in range(3):
        async with database.engine.connect() as core:
            assert (await core.execute(text("SELECT 1"))).scalar_one() == 1
        cut(server_url, database)


async def test_retry_runs_the_work_again_when_the_connection_is_cut(database: Database, server_url: str) -> None:
    tries = 0

    async def work(connection: Connection) -> object:
        nonlocal tries
        tries += 1
        if tries < 3:
            await asyncio.to_thread(cut, server_url, database)
        return await one(connection, "SELECT 7")

    assert await database.retry(work) == 7
    assert tries == 3


async def test_retry_runs_the_work_again_after_a_serialization_failure(database: Database) -> None:
    tries = 0

    async def work(connection: Connection) -> str:
        nonlocal tries
        tries += 1
        if tries == 1:
            await connection.execute("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'serialization_failure'; END $$")
        return "done"

    assert (await database.retry(work), tries) == ("done", 2)


async def test_retry_does_not_repeat_what_the_database_refused(database: Database) -> None:
    tries = 0

    async def work(connection: Connection) -> None:
        nonlocal tries
        tries += 1
        await connection.execute("SELECT no_such_column")

    with pytest.raises(psycopg.errors.UndefinedColumn):
        await database.retry(work)
    assert tries == 1


async def test_a_transaction_of_unknown_outcome_is_not_repeated_but_told(database: Database, server_url: str) -> None:
    entered = 0

    async def work() -> None:
        nonlocal entered
        async with database.transaction() as connection:
            entered += 1
            await asyncio.to_thread(cut, server_url, database)
            await connection.execute("SELECT 1")

    with pytest.raises(DatabaseUnavailable, match="the database went away"):
        await work()
    assert entered == 1


async def test_a_pool_in_use_is_named_as_such(database_settings: DatabaseSettings) -> None:
    tight = database_settings.model_copy(update={"database_pool_size": 2, "database_wait_seconds": 0})
    async with await Database.open(tight) as database, database.connection(), database.connection():
        with pytest.raises(DatabaseUnavailable, match="raise WINNOW_DATABASE_POOL_SIZE"):
            async with database.connection():
                raise AssertionError("there were only two")


class Relay:
    """Stands between client and server, and can be away."""

    def __init__(self, server_url: str) -> None:
        known = conninfo_to_dict(server_url)
        self.target = str(known.get("host") or "127.0.0.1"), int(known.get("port") or 5432)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self.pipes: set[asyncio.Task[None]] = set()

    async def come(self) -> None:
        self.server = await asyncio.start_server(self._relay, "127.0.0.1", self.port)

    async def go(self) -> None:
        self.server.close()
        for pipe in self.pipes:
            pipe.cancel()
        await asyncio.gather(*self.pipes, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection(*self.target)
        for source, sink in ((reader, far_writer), (far_reader, writer)):
            pipe = asyncio.create_task(self._copy(source, sink))
            self.pipes.add(pipe)
            pipe.add_done_callback(self.pipes.discard)

    async def _copy(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(65536):
                sink.write(data)
                await sink.drain()
        finally:
            sink.close()


async def test_r28_a_database_that_is_away_is_waited_for(database_settings: DatabaseSettings) -> None:
    assert database_settings.database_url is not None
    relay = Relay(database_settings.database_url)
    await relay.come()
    url = make_conninfo(database_settings.database_url, host="127.0.0.1", port=relay.port)
    settings = database_settings.model_copy(update={"database_url": url, "database_wait_seconds": LIMIT})
    async with await Database.open(settings) as database:
        assert await database.retry(lambda connection: one(connection, "SELECT 1")) == 1
        await relay.go()
        with structlog.testing.capture_logs() as logged:
            waiting = asyncio.create_task(database.retry(lambda connection: one(connection, "SELECT 2")))
            done, _ = await asyncio.wait({waiting}, timeout=0.5)
            assert not done
            await relay.come()
            assert await asyncio.wait_for(waiting, LIMIT) == 2
        assert [line["event"] for line in logged] == ["database_away", "database_back"], "each is told once"
        await relay.go()


async def test_a_database_that_stays_away_is_told_when_the_wait_is_over(database_settings: DatabaseSettings) -> None:
    assert database_settings.database_url is not None
    relay = Relay(database_settings.database_url)
    await relay.come()
    url = make_conninfo(database_settings.database_url, host="127.0.0.1", port=relay.port)
    settings = database_settings.model_copy(update={"database_url": url, "database_wait_seconds": 1})
    async with await Database.open(settings) as database:
        await relay.go()
        with pytest.raises(DatabaseUnavailable, match="nothing is listening"):
            await database.retry(lambda connection: one(connection, "SELECT 1"))


# -- start-up: one line that says what to do, no traceback, no password -----------------------------------


@pytest.fixture
def unused_port() -> Iterator[int]:
    with socket.socket() as bound:  # bound but not listening: nobody else gets it meanwhile
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def told(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """What `winnow db status` says on its only line."""
    monkeypatch.setenv("WINNOW_DATABASE_URL", url)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path))
    result = CliRunner().invoke(app, ["status"])
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert "s3cret" not in line
    return line


def test_wrong_password(server_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = told(make_conninfo(server_url, password="s3cret"), monkeypatch, tmp_path)
    assert "wrong user or password" in line
    assert "WINNOW_DATABASE_URL" in line


def test_nothing_listening(unused_port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = told(f"postgresql://u:s3cret@127.0.0.1:{unused_port}/d", monkeypatch, tmp_path)
    assert f"nothing is listening at u@127.0.0.1:{unused_port}/d" in line


def test_a_database_that_does_not_exist(server_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = told(make_conninfo(server_url, dbname="no_such_database"), monkeypatch, tmp_path)
    assert "no such database" in line
    assert "no_such_database" in line


def test_a_server_that_is_too_old(database_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connect, "OLDEST_VERSION", 99)
    assert "Winnow needs 99 or newer: upgrade it" in told(database_url, monkeypatch, tmp_path)


@pytest.mark.parametrize(
    "url",
    [
        "mysql://u:s3cret@h/d",
        "s3cret",
        "postgresql://u:%s3cret@h/d",
        "postgresql://u:p@s3cret@h/d",
        "postgresql://u:p/s3cret@h/d",
        "port=s3cret",
    ],
)
def test_an_address_that_is_none(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "is not a PostgreSQL address" in told(url, monkeypatch, tmp_path)


@pytest.mark.parametrize("option", ["pgbouncer=true", "schema=public", "sslmode=disable&pool_timeout=3"])
def test_an_option_of_another_driver_is_named(option: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    line = told(f"postgresql://u:s3cret@h/d?{option}", monkeypatch, tmp_path)
    assert f"does not know, {option.rpartition('&')[2].partition('=')[0]}: take it out" in line


def test_a_password_that_looks_like_an_option_is_not_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert "is not a PostgreSQL address" in told("postgresql://u:p/x?s3cret=1@h/d", monkeypatch, tmp_path)


def _answer_as_http(listener: socket.socket) -> None:
    with contextlib.suppress(OSError):  # closed: the test is over
        while True:
            connection, _ = listener.accept()
            with connection:
                connection.recv(100)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")


def test_a_program_that_is_not_postgres(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        threading.Thread(target=_answer_as_http, args=[other], daemon=True).start()
        line = told(f"postgresql://u:s3cret@127.0.0.1:{other.getsockname()[1]}/d", monkeypatch, tmp_path)
    assert "another program than PostgreSQL" in line


async def test_sqlalchemy_style_addresses_are_understood(database_settings: DatabaseSettings) -> None:
    known = conninfo_to_dict(database_settings.database_url or "")
    url = f"postgresql+psycopg://{known['user']}:{known['password']}@{known['host']}:{known['port']}/{known['dbname']}"
    async with await Database.open(database_settings.model_copy(update={"database_url": url})) as database:
        assert await database.retry(lambda connection: one(connection, "SELECT 1")) == 1


def test_version_15_is_old_enough_and_14_is_not() -> None:
    connect.check_version(150000)
    with pytest.raises(ConfigError, match="is version 14"):
        connect.check_version(140012)
