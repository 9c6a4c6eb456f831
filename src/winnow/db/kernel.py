"""What the embedded server asks of the operating system: locks, ports, and who dies with whom.

Standard library only: the supervisor imports this.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

LINUX = sys.platform.startswith("linux")
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>


def private(path: Path, mode: str) -> IO[Any]:
    """Opens a file nobody else can read; a link somebody put in its place is refused."""
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    return open(path, mode, opener=lambda name, asked: os.open(name, asked | flags, 0o600))


def sync_folder(path: Path) -> None:
    """A rename is on disk once its folder is."""
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def try_lock(file: IO[Any], kind: int) -> bool:
    """flock belongs to the open file: the kernel drops it when its holder dies, however it dies."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def free_port(wanted: int) -> int:
    """The wanted port when nobody has it (running clients then need not look again), else any. 0: none."""
    for port in (wanted, 0):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(("127.0.0.1", port))
            return int(probe.getsockname()[1])
    return 0


def ends_with_parent(sign: int) -> Callable[[], None] | None:
    """For `preexec_fn`: asks the kernel to send `sign` when this process dies, even by kill -9."""
    if not LINUX:
        return None
    libc, parent = ctypes.CDLL(None), os.getpid()

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, sign)
        if os.getppid() != parent:
            os._exit(1)

    return ask


def adopt_orphans() -> None:
    """Makes the backends of a killed server our children, so that they can be found and buried."""
    if LINUX:
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)


def children() -> Iterator[int]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if int(stat.read_text().rpartition(")")[2].split()[1]) == os.getpid():
                yield int(stat.parent.name)
