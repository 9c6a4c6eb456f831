"""Browsers whose owner was killed (kill -9): recorded while they run, ended at the next start.

A record says who owns the browser and which process group it is, each with its start time, because process
numbers are used again. Chromium ends by itself when its pipe breaks; this is for the one that hangs, and
for the profile folder it leaves.
"""

from __future__ import annotations

import os
import shutil
import signal
from contextlib import suppress
from pathlib import Path

import msgspec
import psutil

_SAME_START_S = 0.05  # psutil reads start times in clock ticks of 10 ms


class BrowserRecord(msgspec.Struct, frozen=True):
    owner: int
    owner_started: float
    browser: int
    browser_started: float
    folder: str


def remember(records: Path, pid: int, folder: Path) -> Path:
    records.mkdir(parents=True, exist_ok=True, mode=0o700)
    me = psutil.Process()
    record = BrowserRecord(me.pid, me.create_time(), pid, _started(pid) or 0.0, str(folder))
    path = records / f"{me.pid}-{pid}.json"
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.encode(record))
    part.rename(path)
    return path


def read(path: Path) -> BrowserRecord:
    return msgspec.json.decode(path.read_bytes(), type=BrowserRecord)


def forget(record: Path) -> None:
    record.unlink(missing_ok=True)


def reap(records: Path) -> int:
    """Ends what was left running. Returns how many browsers' owners were gone."""
    reaped = 0
    for path in sorted(records.glob("*.json")):
        try:
            record = read(path)
        except (OSError, msgspec.MsgspecError):
            path.unlink(missing_ok=True)
            continue
        if not _alive(record.owner, record.owner_started):
            _end(record)
            path.unlink(missing_ok=True)
            reaped += 1
    return reaped


def _end(record: BrowserRecord) -> None:
    if not _taken_over(record):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(record.browser, signal.SIGKILL)
    shutil.rmtree(record.folder, ignore_errors=True)


def _taken_over(record: BrowserRecord) -> bool:
    """Whether the number belongs to somebody else by now. A group without its leader is still the old one:
    the kernel gives out no number that is in use as a group."""
    started = _started(record.browser)
    return started is not None and abs(started - record.browser_started) > _SAME_START_S


def _alive(pid: int, started: float) -> bool:
    now = _started(pid)
    return now is not None and abs(now - started) <= _SAME_START_S


def _started(pid: int) -> float | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else process.create_time()
    except psutil.Error:
        return None
