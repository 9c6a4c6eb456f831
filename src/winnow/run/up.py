"""`winnow up`: one command that supervises everything. Each part is a process of its own (DESIGN §11.19).

A part that dies is started again, later each time it dies young. SIGTERM or Ctrl-C ends all of them,
gently first; when the supervisor itself is killed, the kernel ends its children.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO

import structlog

from winnow.db.engine import Database
from winnow.db.migrate import upgrade
from winnow.observe import metrics, users
from winnow.run import settings_check
from winnow.run.periodic import stop_on_signals
from winnow.settings import Settings

log = structlog.get_logger(__name__)

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds before a dead part is started again
MIN_UPTIME_SECONDS = 10.0  # a part that lived longer than this starts again without a longer pause
STOP_SECONDS = 10.0  # that a part may take besides the time running tasks are given (S-085)
POLL_SECONDS = 0.1  # seconds between looks at whether the API listens
PR_SET_PDEATHSIG = 1  # prctl(2)

Starting = Callable[[], None]
Ready = Callable[[str | None], None]


@dataclass(slots=True)
class SupervisedProcess:
    """One supervised process."""

    name: str
    command: list[str]
    process: asyncio.subprocess.Process | None = None
    pause: float = FIRST_PAUSE
    grace: float = 30.0
    started: float = field(default=0.0)


def parts_of(settings: Settings) -> list[SupervisedProcess]:
    grace = settings.browser.graceful_shutdown_seconds

    def part(name: str, command: str) -> SupervisedProcess:
        return SupervisedProcess(name, [sys.executable, "-m", "winnow", command], grace=grace)

    workers = [part(f"worker-{n + 1}", "worker") for n in range(settings.run.worker_processes)]
    return [part("scheduler", "scheduler"), part("upkeep", "upkeep"), *workers, part("api", "api")]


async def prepare(settings: Settings) -> Database:
    """The database, started or joined, at the newest schema. Held open for as long as `up` runs."""
    settings_check.check(settings)
    database = await Database.open(settings.db)
    try:
        await upgrade(database.url)
    except BaseException:
        await database.close()
        raise
    return database


async def supervise(parts: list[SupervisedProcess], stopping: asyncio.Event, log_to: IO[bytes] | None = None) -> None:
    """Run the parts until asked to stop; then stop each and wait for it. `log_to`: a file for the parts' logs."""
    keepers = [asyncio.create_task(_keep(part, stopping, log_to)) for part in parts]
    await stopping.wait()
    await asyncio.gather(*(_stop(part) for part in parts))
    await asyncio.gather(*keepers)


async def _keep(part: SupervisedProcess, stopping: asyncio.Event, log_to: IO[bytes] | None) -> None:
    while not stopping.is_set():
        part.started = time.monotonic()
        part.process = await asyncio.create_subprocess_exec(
            *part.command, preexec_fn=_die_with_parent(os.getpid()), stderr=log_to
        )
        if stopping.is_set():  # told while it was being started: whoever stops the others did not see it
            await _stop(part)
        code = await part.process.wait()
        metrics.forget_process(part.process.pid)
        if stopping.is_set():
            return
        lived = time.monotonic() - part.started
        part.pause = FIRST_PAUSE if lived > MIN_UPTIME_SECONDS else min(LONGEST_PAUSE, part.pause * 2)
        log.error("part_died", part=part.name, code=code, lived_seconds=round(lived, 1), again_in=part.pause)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stopping.wait(), part.pause)


async def _stop(part: SupervisedProcess) -> None:
    process = part.process
    if process is None or process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), part.grace + STOP_SECONDS)
    except TimeoutError:
        log.error("part_killed", part=part.name)
        process.kill()


def _die_with_parent(parent: int) -> Callable[[], None] | None:
    """Linux: the kernel sends SIGTERM when the supervisor is gone, however it went."""
    if not sys.platform.startswith("linux"):
        return None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def armed() -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != parent:  # it died before we were armed
            os.kill(os.getpid(), signal.SIGTERM)

    return armed


async def first_admin(database: Database, settings: Settings) -> str | None:
    """Who may open the console of a private database: an admin, made at the first start. Somebody's own server has
    `winnow users add`."""
    if settings.db.database_url is not None:
        return None
    async with database.connection() as conn:
        return await users.first_admin(conn, settings.db.folder)


async def serve(settings: Settings, starting: Starting, ready: Ready) -> None:
    """`starting` is called when the folder is there, before the first part; `ready` when the API answers, with the
    first admin's password at the first start."""
    database = await prepare(settings)
    try:
        stopping = stop_on_signals()
        password = await first_admin(database, settings)
        starting()
        telling = asyncio.create_task(_report_ready(settings, lambda: ready(password)))
        await supervise(parts_of(settings), stopping)
        telling.cancel()
    finally:
        await database.close()


async def _report_ready(settings: Settings, ready: Callable[[], None]) -> None:
    while not await _listens(settings.api.api_host, settings.api.api_port):  # noqa: ASYNC110 - it has no event for us
        await asyncio.sleep(POLL_SECONDS)
    ready()


async def _listens(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    return True


def main(settings: Settings, starting: Starting, ready: Ready) -> None:
    asyncio.run(serve(settings, starting, ready))
