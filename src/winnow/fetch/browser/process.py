"""One running Chromium: started, recorded while it lives, ended with everything it started."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import signal
import tempfile
from contextlib import suppress
from pathlib import Path

import psutil

from winnow.errors import WinnowError
from winnow.fetch.browser import chromium, orphans
from winnow.fetch.browser.devtools import BrowserGone, DevTools, connect

START_SECONDS = 30.0  # 0.15 s on an idle machine (DESIGN §9); a loaded one is not a broken one
CLOSE_SECONDS = 3.0  # killed processes are gone within a tenth of that
POLL_SECONDS = 0.02
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_PATH", "XDG_CACHE_HOME")


class LaunchFailed(WinnowError):
    """Chromium is there and does not start."""

    code = "browser_launch"


class Chromium:
    def __init__(self, pid: int, devtools: DevTools, folder: Path, record: Path) -> None:
        self.pid = pid
        self.devtools = devtools
        self.product = ""
        self._folder = folder
        self._record = record
        self._ended = False

    @property
    def major(self) -> int:
        """`HeadlessChrome/156.0.8078.79` -> 156."""
        return int(self.product.partition("/")[2].partition(".")[0] or 0)

    def private_memory(self) -> int:
        """Bytes held by its processes alone. What they share would count once for each otherwise."""
        total = 0
        for process in _family(self.pid):
            with suppress(psutil.Error):
                memory = process.memory_info()
                total += max(memory.rss - getattr(memory, "shared", 0), 0)
        return total

    async def close(self) -> None:
        """After it, nothing of this browser is left. Nothing in it is worth an orderly end: its profile goes too."""
        if self._ended:
            return
        self._ended = True
        self.devtools.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        await _reap(self.pid)
        await asyncio.to_thread(shutil.rmtree, self._folder, True)
        orphans.forget(self._record)


async def launch(program: Path, *, proxy: str, records: Path, pictures: bool = True) -> Chromium:
    folder = Path(tempfile.mkdtemp(prefix="winnow-chromium-"))
    root = os.geteuid() == 0
    command = [str(program), *chromium.flags(proxy=proxy, profile_folder=folder, root=root, pictures=pictures)]
    try:
        pid, write_fd, read_fd = _spawn(command)
    except LaunchFailed:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    record = orphans.remember(records, pid, folder)
    browser = Chromium(pid, await connect(write_fd, read_fd), folder, record)
    try:
        async with asyncio.timeout(START_SECONDS):
            browser.product = (await browser.devtools.send("Browser.getVersion"))["product"]
    except (BrowserGone, TimeoutError):
        await browser.close()
        raise LaunchFailed("Chromium did not start") from None
    except BaseException:
        await browser.close()
        raise
    return browser


def _spawn(command: list[str]) -> tuple[int, int, int]:
    """posix_spawn, because fork in a process with threads is not safe. Chromium reads from 3 and writes to 4."""
    theirs_in, ours_out = _high_pipe()
    ours_in, theirs_out = _high_pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, theirs_in, 3),
        (os.POSIX_SPAWN_DUP2, theirs_out, 4),
    ]
    environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    try:
        pid = os.posix_spawn(command[0], command, environment, file_actions=actions, setpgroup=0)
    except OSError as error:
        os.close(ours_out)
        os.close(ours_in)
        raise LaunchFailed(f"Chromium cannot be started: {error.strerror}") from None
    finally:
        os.close(theirs_in)
        os.close(theirs_out)
    return pid, ours_out, ours_in


def _high_pipe() -> tuple[int, int]:
    """Above the numbers they are copied to, or the second copy could overwrite the first one's source."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high[0], high[1]


async def _reap(pid: int) -> None:
    """Collects our child, so that no zombie stays, and waits until its whole group is gone."""
    for _ in range(int(CLOSE_SECONDS / POLL_SECONDS)):
        if _collected(pid) and not _group_alive(pid):
            return
        await asyncio.sleep(POLL_SECONDS)


def _collected(pid: int) -> bool:
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True


def _group_alive(pgid: int) -> bool:
    """Zombies do not count: they hold nothing, and init collects them when it likes."""
    try:
        os.killpg(pgid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return any(_runs_in(pid, pgid) for pid in psutil.pids())


def _runs_in(pid: int, pgid: int) -> bool:
    try:
        return os.getpgid(pid) == pgid and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except (OSError, psutil.Error):
        return False


def _family(pid: int) -> list[psutil.Process]:
    try:
        first = psutil.Process(pid)
        return [first, *first.children(recursive=True)]
    except psutil.Error:
        return []
