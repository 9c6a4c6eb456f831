"""One real PostgreSQL for the whole test session, one fresh database for every test that asks for it.

`WINNOW_TEST_SERVER_URL` (a superuser's address) uses a server that is already running instead.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import hypothesis
import psycopg
import pytest
import structlog
from psycopg import sql
from psycopg.conninfo import make_conninfo

from winnow.db import migrate
from winnow.db.embedded import start_or_join
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings

MEMORY_WANTED = 3 << 30  # bytes free in /dev/shm: the server, its log and a few databases at a time

# How long an example takes says something about the machine, not about the property.
hypothesis.settings.register_profile("winnow", deadline=None)
hypothesis.settings.load_profile("winnow")


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """Superuser address of the server all tests share."""
    if given := os.environ.get("WINNOW_TEST_SERVER_URL"):
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="winnow-tests-", dir=_in_memory()))
    folder.chmod(0o711)  # ours; as root the server has a user of its own who must pass through
    server = asyncio.run(start_or_join(folder))
    _forget_durability(server.url)
    yield server.url
    asyncio.run(server.release())
    shutil.rmtree(folder)


def _in_memory() -> str | None:
    """Every test copies a database of 20 MB: in memory, where there is room, that costs no disk."""
    shared = Path("/dev/shm")
    roomy = shared.is_dir() and os.access(shared, os.W_OK) and shutil.disk_usage(shared).free > MEMORY_WANTED
    return str(shared) if roomy else None


def _forget_durability(url: str) -> None:
    """Its databases are thrown away after each test; what a crash leaves is tested on servers of their own."""
    with psycopg.connect(url, autocommit=True) as connection:
        for name in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(sql.SQL("ALTER SYSTEM SET {} = off").format(sql.Identifier(name)))
        connection.execute("SELECT pg_reload_conf()")


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """Name of a database with the newest schema, to be copied: migrating anew would take seconds."""
    with made(server_url, f"winnow_template_{secrets.token_hex(4)}") as name:
        asyncio.run(migrate.upgrade(make_conninfo(server_url, dbname=name)))
        yield name


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """Address of a fresh database with the newest schema; it is dropped after the test."""
    with made(server_url, f"winnow_test_{secrets.token_hex(6)}", template_database) as name:
        yield make_conninfo(server_url, dbname=name)


@pytest.fixture
def database_settings(database_url: str, tmp_path: Path) -> DatabaseSettings:
    return DatabaseSettings(database_url=database_url, data_dir=tmp_path / "data", database_wait_seconds=60)


@pytest.fixture
async def database(database_settings: DatabaseSettings) -> AsyncIterator[Database]:
    opened = await Database.open(database_settings)
    yield opened
    await opened.close()


class made:
    """A database that exists as long as the block runs."""

    def __init__(self, server_url: str, name: str, template: str = "template1") -> None:
        self.server_url, self.name, self.template = server_url, name, template

    def __enter__(self) -> str:
        # Copying files takes a third of the time that writing every page into the log does: nothing here is synced.
        self._run("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY", self.name, self.template)
        return self.name

    def __exit__(self, *_: object) -> None:
        self._run("DROP DATABASE {} WITH (FORCE)", self.name)

    def _run(self, statement: str, *names: str) -> None:
        with psycopg.connect(self.server_url, autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))


LONG = (
    "tests/test_readme.py", "tests/demo/", "tests/console/", "tests/feeds/test_feed_chaos.py",
    "tests/run/test_database_away.py", "tests/api/test_contract.py", "tests/fetch/browser/", "tests/quality/",
    "tests/service/", "tests/cli/", "tests/bench/", "tests/run/", "tests/feeds/", "tests/db/",
)  # fmt: skip


SLOW_FIXTURES = frozenset({"server_url", "browser"})  # a database of its own costs a test 0.1 s of processor time
SLOW = ("tests/quality/", "tests/bench/", "tests/chaos/", "tests/test_child_process.py")


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what `make check` leaves out, and sort the longest first: begun last, one process would still be at them
    when the others have nothing left to take."""
    for item in items:
        if item.nodeid.startswith(SLOW) or not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: next((n for n, long in enumerate(LONG) if item.nodeid.startswith(long)), len(LONG)))


@pytest.fixture
def own_logs() -> Iterator[None]:
    """For tests of commands: what they configure about logs ends with them."""
    configured, root = structlog.get_config(), logging.getLogger()
    handlers, level = root.handlers, root.level
    yield
    structlog.configure(**configured)
    root.handlers, root.level = handlers, level
