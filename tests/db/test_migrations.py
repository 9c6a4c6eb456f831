"""Migrations: up, down, where we are; one process at a time."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from tests.db.schema_snapshot import tables
from winnow.cli.db import app
from winnow.db import baseline, migrate
from winnow.errors import ConfigError, DatabaseUnavailable

REVISION = """
from alembic import op

revision = "{name}"
down_revision = {below!r}


def upgrade():
    {up}


def downgrade():
    {down}
"""


@pytest.fixture
def revisions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of migrations of our own, with two in it; a space and a % in its name do no harm."""
    folder = tmp_path / "some 100% folder"
    shutil.copytree(migrate.FOLDER, folder, ignore=shutil.ignore_patterns("baseline", "versions", "__pycache__"))
    (folder / "versions").mkdir()
    monkeypatch.setattr(migrate, "FOLDER", folder)
    made = f'op.execute("CREATE TABLE one (n int)"); op.execute("{baseline.mark()}")'
    add(folder, "one", None, made, "op.execute('DROP TABLE one')")
    add(folder, "two", "one", "op.execute('CREATE TABLE two (n int)')", "op.execute('DROP TABLE two')")
    return folder


def add(folder: Path, name: str, below: str | None, up: str, down: str = "pass") -> None:
    (folder / "versions" / f"{name}.py").write_text(REVISION.format(name=name, below=below, up=up, down=down))


@pytest.mark.usefixtures("revisions")
async def test_up_and_down(empty_url: str) -> None:
    assert await migrate.status(empty_url) == (None, "two", ["one", "two"])
    await migrate.upgrade(empty_url, "one")
    assert await migrate.status(empty_url) == ("one", "two", ["two"])
    await migrate.upgrade(empty_url)
    assert await migrate.status(empty_url) == ("two", "two", [])
    assert tables(empty_url) == {"one", "two"}
    await migrate.downgrade(empty_url)
    assert tables(empty_url) == {"one"}
    await migrate.downgrade(empty_url, "base")
    assert await migrate.status(empty_url) == (None, "two", ["one", "two"])
    assert tables(empty_url) == set()


async def test_processes_that_upgrade_at_once_apply_each_revision_once(revisions: Path, empty_url: str) -> None:
    """CREATE INDEX CONCURRENTLY waits for every older snapshot: those who wait for their turn hold none."""
    slow = "op.execute('INSERT INTO one SELECT 1 FROM pg_sleep(0.3)')"
    add(revisions, "three", "two", slow)
    concurrently = "\n    with op.get_context().autocommit_block():\n        "
    add(revisions, "four", "three", f"{concurrently}op.execute('CREATE INDEX CONCURRENTLY ON one (n)')")
    await asyncio.gather(*(migrate.upgrade(empty_url) for _ in range(3)))
    assert (await migrate.status(empty_url)).current == "four"
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("SELECT count(*) FROM one").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)


async def test_a_migration_that_fails_leaves_the_ones_before_it(revisions: Path, empty_url: str) -> None:
    add(revisions, "three", "two", "op.execute('CREATE TABLE three (n int)'); op.execute('SELECT no_such_column')")
    with pytest.raises(DBAPIError):
        await migrate.upgrade(empty_url)
    assert (await migrate.status(empty_url)).current == "two"
    assert tables(empty_url) == {"one", "two"}


async def test_a_full_disk_is_one_sentence(revisions: Path, empty_url: str) -> None:
    """Issue 2, item 2: no disk. PostgreSQL's own word for it, raised by hand."""
    full = "DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$"
    add(revisions, "three", "two", f'op.execute("{full}")')
    with pytest.raises(DatabaseUnavailable, match=r"the disk of the database is full, free some space: could not"):
        await migrate.upgrade(empty_url)
    assert (await migrate.status(empty_url)).current == "two"


async def test_a_connection_that_breaks_meanwhile_is_one_sentence(revisions: Path, empty_url: str) -> None:
    add(revisions, "three", "two", "op.execute('SELECT pg_terminate_backend(pg_backend_pid())')")
    with pytest.raises(DatabaseUnavailable, match="the database went away"):
        await migrate.upgrade(empty_url)


async def test_a_database_of_a_newer_winnow_is_one_sentence(revisions: Path, empty_url: str) -> None:
    add(revisions, "three", "two", "pass")
    await migrate.upgrade(empty_url)
    (revisions / "versions" / "three.py").unlink()
    for asked in (migrate.upgrade(empty_url), migrate.status(empty_url)):
        with pytest.raises(ConfigError, match="three") as told:
            await asked
        assert "\n" not in str(told.value)


@pytest.mark.parametrize("older", ["'baseline 0123456789abcdef'", "NULL"])
async def test_a_database_of_an_unreleased_schema_is_refused_and_left_alone(empty_url: str, older: str) -> None:
    """DESIGN §11.36. NULL: from before there was one baseline, when the newest revision was 0030."""
    await migrate.upgrade(empty_url)
    with psycopg.connect(empty_url) as connection:
        connection.execute(f"COMMENT ON TABLE alembic_version IS {older}")
        connection.execute("UPDATE alembic_version SET version_num = '0030' WHERE %s", (older == "NULL",))
    before = tables(empty_url)
    for asked in (migrate.upgrade(empty_url), migrate.downgrade(empty_url), migrate.status(empty_url)):
        with pytest.raises(ConfigError, match=r"unreleased Winnow.*WINNOW_DATA_DIR") as refused:
            await asked
        assert "\n" not in str(refused.value)
    assert tables(empty_url) == before


async def test_after_a_downgrade_to_nothing_any_baseline_is_taken(empty_url: str) -> None:
    await migrate.upgrade(empty_url)
    await migrate.downgrade(empty_url, "base")
    with psycopg.connect(empty_url) as connection:
        connection.execute("COMMENT ON TABLE alembic_version IS 'baseline 0123456789abcdef'")
    await migrate.upgrade(empty_url)
    assert await migrate.status(empty_url) == ("0001", "0001", [])


async def test_a_user_without_the_right_is_told_so(revisions: Path, empty_url: str) -> None:
    add(revisions, "three", "two", "op.execute('CREATE EXTENSION file_fdw')")
    with psycopg.connect(empty_url, autocommit=True) as admin:
        admin.execute("CREATE ROLE humble LOGIN PASSWORD 'x'")
        admin.execute("GRANT CREATE ON SCHEMA public TO humble")
        try:
            with pytest.raises(ConfigError, match=r"the database refuses a migration: .*permission denied"):
                await migrate.upgrade(make_conninfo(empty_url, user="humble", password="x"))
        finally:
            admin.execute("DROP OWNED BY humble")
            admin.execute("DROP ROLE humble")


@pytest.mark.usefixtures("revisions")
def test_the_command_line(empty_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WINNOW_DATABASE_URL", empty_url)
    monkeypatch.setenv("WINNOW_DATA_DIR", str(tmp_path))
    asked = CliRunner().invoke
    assert asked(app, ["status"]).stdout.splitlines() == [
        "revision none, newest two",
        "  to apply: one",
        "  to apply: two",
    ]
    assert json.loads(asked(app, ["upgrade", "--json"]).stdout) == {"current": "two", "head": "two", "pending": []}
    assert asked(app, ["downgrade"]).stdout.splitlines()[0] == "revision one, newest two"
    assert asked(app, ["downgrade", "base"]).exit_code == 0
    wrong = asked(app, ["upgrade", "no-such-revision"])
    assert wrong.exit_code == 1
    assert len(wrong.stderr.splitlines()) == 1
