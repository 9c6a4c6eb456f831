"""The private PostgreSQL: started by whoever comes first, shared by all, stopped after the last one.

Everything about it is in one folder, its home:

    clients.lock     shared flock of every process that uses the server
    start.lock       exclusive flock of the one that starts it
    supervisor.lock  exclusive flock of the supervisor (see supervisor.py) while it lives
    server.json      port and processes, while it runs
    password         of the superuser, readable by the owner only
    data/            the cluster    server.log  what it said

The home is `<data folder>/postgres`. Run by root, the server has a user of its own; when that user cannot
reach the data folder the home is made under /var/lib/winnow and `<data folder>/postgres/location` names it.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import psycopg

import winnow
from winnow.db import program
from winnow.db.cluster import SUPERUSER, ServerPlan, explain
from winnow.db.kernel import private, try_lock
from winnow.errors import ConfigError, DatabaseUnavailable

DATABASE = "winnow"
ELSEWHERE = Path("/var/lib/winnow")
START_SECONDS = 300.0  # recovery of max_wal_size (2 GB) on a slow disk is minutes, not seconds
STOP_SECONDS = 70.0  # the supervisor's own limits for stopping, and a little
POLL_SECONDS = 0.03
# Only the real server knows the password's verifier; whoever else listens there learns nothing from us.
CONNECT_OPTIONS = "sslmode=disable&gssencmode=disable"
if psycopg.pq.version() >= 160000:  # older libpq does not know it
    CONNECT_OPTIONS += "&require_auth=scram-sha-256"


class EmbeddedServer:
    """One client's share in the server. The lock file stays open, and so locked, until `release`."""

    def __init__(self, home: Path, lock: IO[Any]) -> None:
        self.home = home
        self._lock = lock

    @property
    def url(self) -> str:
        """Where the server is now: the port can change when it was restarted."""
        return self._url(DATABASE)

    def _url(self, database: str) -> str:
        running = self._running()
        if running is None:
            raise DatabaseUnavailable(f"the private database in {self.home} is not running")
        password = (self.home / "password").read_text().strip()
        return f"postgresql://{SUPERUSER}:{password}@127.0.0.1:{running['port']}/{database}?{CONNECT_OPTIONS}"

    def _running(self) -> dict[str, int] | None:
        try:
            state: dict[str, int] = json.loads((self.home / "server.json").read_text())
        except FileNotFoundError:
            return None
        return state

    async def revive(self, seconds: float = START_SECONDS) -> None:
        """Starts the server again if it is gone; waits for whoever is already doing that."""
        await asyncio.to_thread(self.ensure, seconds)

    def ensure(self, seconds: float = START_SECONDS) -> None:
        until = time.monotonic() + seconds
        with _held(self.home / "start.lock", fcntl.LOCK_EX, until):
            while time.monotonic() < until:
                if not supervised(self.home):
                    self._spawn()
                elif self._answers():
                    return
                time.sleep(POLL_SECONDS)
        raise DatabaseUnavailable(f"the private database does not answer; see {self.home / 'server.log'}")

    def _spawn(self) -> None:
        said = _supervise(_plan(self.home))
        if said not in ("ready", "busy"):
            raise ConfigError(said)

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self._url("postgres"), autocommit=True, connect_timeout=10) as connection:
                known = "SELECT 1 FROM pg_database WHERE datname = %s"
                if not connection.execute(known, [DATABASE]).fetchone():
                    connection.execute(f"CREATE DATABASE {DATABASE}")
        except DatabaseUnavailable:
            return False
        except psycopg.OperationalError as error:
            if "authentication" in str(error):
                raise ConfigError(
                    f"the private database refuses the password in {self.home / 'password'}: "
                    "restore that file from a backup"
                ) from None
            return False
        return True

    async def release(self) -> None:
        await asyncio.to_thread(self._release)

    def _release(self) -> None:
        """The last one out asks the supervisor to stop and waits for it; newcomers wait meanwhile."""
        if self._lock.closed:
            return
        with self._lock:
            if try_lock(self._lock, fcntl.LOCK_EX) and (running := self._running()) and supervised(self.home):
                os.kill(running["supervisor"], signal.SIGUSR1)
                _wait_until_gone(self.home)


async def start_or_join(folder: Path) -> EmbeddedServer:
    """Uses the server of this data folder; ConfigError says in one sentence why there can be none."""
    return await asyncio.to_thread(_start_or_join, folder)


def _start_or_join(folder: Path) -> EmbeddedServer:
    try:
        home = _home(folder.expanduser().resolve())
        lock = _lock(home / "clients.lock", fcntl.LOCK_SH, time.monotonic() + STOP_SECONDS)
        return _use(EmbeddedServer(home, lock))
    except OSError as error:
        raise ConfigError(explain(f"error: {error}", error.filename or str(folder))) from None


def _use(server: EmbeddedServer) -> EmbeddedServer:
    try:
        server.ensure()
    except BaseException:
        server._release()
        raise
    return server


def supervised(home: Path) -> bool:
    with private(home / "supervisor.lock", "a") as file:
        return not try_lock(file, fcntl.LOCK_SH)


def _wait_until_gone(home: Path) -> None:
    until = time.monotonic() + STOP_SECONDS
    while supervised(home) and time.monotonic() < until:
        time.sleep(POLL_SECONDS)


def _lock(path: Path, kind: int, until: float) -> IO[Any]:
    """Polls rather than blocks: a thread that blocks in flock could not be given up."""
    file = private(path, "a")
    while not try_lock(file, kind):
        if time.monotonic() > until:
            file.close()
            raise DatabaseUnavailable(f"another process has held {path} for too long")
        time.sleep(POLL_SECONDS)
    return file


@contextlib.contextmanager
def _held(path: Path, kind: int, until: float) -> Iterator[None]:
    with _lock(path, kind, until):
        yield


def _plan(home: Path) -> ServerPlan:
    data = home / "data"
    account = program.account_for(data)
    programs = program.within_reach(program.find(data), account, home)
    _password(home, data)
    uid, gid = (account.uid, account.gid) if account else (None, None)
    return ServerPlan(str(home), str(programs.folder), programs.major, uid, gid)


def _password(home: Path, data: Path) -> None:
    path = home / "password"
    if path.exists() and path.read_text().strip():
        return
    if data.exists():
        raise ConfigError(f"{path} is missing: restore it from a backup, the database cannot be opened without it")
    with private(path, "w") as file:
        file.write(secrets.token_urlsafe(32))


def _supervise(plan: ServerPlan) -> str:
    """Starts the supervisor, free of our terminal and our process group, and hears its one line."""
    package = str(Path(winnow.__file__).parents[1])
    path = os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")]))
    with private(Path(plan.home) / "server.log", "ab") as log:
        started = subprocess.Popen(
            [sys.executable, "-m", "winnow.db.supervisor", plan.dumps()],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd="/",
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
    assert started.stdout is not None
    with started.stdout:
        line = started.stdout.readline().decode(errors="replace").strip()
    # Bury it when it ends, whenever that is.
    threading.Thread(target=started.wait, daemon=True).start()
    return line or f"the supervisor of the private database died; see {Path(plan.home) / 'server.log'}"


def _home(folder: Path) -> Path:
    inside = folder / "postgres"
    account = program.account_for(inside / "data")
    _make_folder(folder, account)
    _make_folder(inside, account)
    named = inside / "location"
    if inside.stat().st_uid != os.geteuid():
        raise ConfigError(f"{inside} belongs to {_owner(inside)}: run Winnow as that user")
    if not named.exists() and not (inside / "data").exists() and not program.reaches(account, inside):
        _move_out(folder, named)
    return Path(named.read_text()) if named.exists() else inside


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:  # a number without a name
        return f"user {path.stat().st_uid}"


def _make_folder(path: Path, account: program.Account | None) -> None:
    """Open to no one; where the server has its own user, others may pass through but not look."""
    if not path.exists():
        path.mkdir(parents=True, mode=0o700, exist_ok=True)
        path.chmod(0o700 if account is None else 0o711)


def _move_out(folder: Path, named: Path) -> None:
    """Under a name of its own: a data folder that was deleted and made again gets a new database."""
    if not ELSEWHERE.exists():
        ELSEWHERE.mkdir(mode=0o711, parents=True)
        ELSEWHERE.chmod(0o711)
    short = hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]
    home = Path(tempfile.mkdtemp(prefix=f"{short}-", dir=ELSEWHERE))
    home.chmod(0o711)
    (home / "belongs-to").write_text(f"{folder}\n")
    proposal = named.with_name(home.name)
    proposal.write_text(str(home))
    try:
        os.link(proposal, named)
    except FileExistsError:  # another process was faster
        (home / "belongs-to").unlink()
        home.rmdir()
    finally:
        proposal.unlink()
