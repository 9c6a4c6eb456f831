"""Logs kept in files, as long as their class says (F-129): details for two days, what happened for a month, what went
wrong for a quarter.

    debug-2026-03-01T14.jsonl   info-2026-03-01.jsonl   warning-2026-03-01.jsonl

Several processes write the same files: a line is one write at the end of the file. Whoever begins a new file deletes
those whose time is over.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

NAMED = re.compile(r"(debug|info|warning)-(\d{4}-\d\d-\d\d)(?:T(\d\d))?\.jsonl")


def class_of(level: str) -> str:
    """Errors are kept with the warnings."""
    return level if level in ("debug", "info") else "warning"


def name_of(kind: str, now: datetime) -> str:
    """Details come in files of an hour, or two days would be three."""
    return f"{kind}-{now:%Y-%m-%dT%H}.jsonl" if kind == "debug" else f"{kind}-{now:%Y-%m-%d}.jsonl"


def is_expired(name: str, keep: Mapping[str, timedelta], now: datetime) -> bool:
    """Whether the oldest line a file may hold is older than its class is kept. Files with other names are left
    alone."""
    found = NAMED.fullmatch(name)
    if found is None:
        return False
    began = datetime.fromisoformat(f"{found[2]}T{found[3] or '00'}:00:00+00:00")
    return began + keep[found[1]] < now


class LogFiles:
    def __init__(
        self, folder: Path, keep: Mapping[str, timedelta], now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._folder, self._keep, self._now = folder, keep, now
        self._open: dict[str, tuple[str, int]] = {}

    def write(self, level: str, line: str) -> None:
        """A disk that is full loses lines, not the work they are about."""
        kind = class_of(level)
        with suppress(OSError):
            os.write(self._file(kind), line.encode("utf-8", "replace") + b"\n")

    def _file(self, kind: str) -> int:
        name = name_of(kind, self._now())
        opened = self._open.get(kind)
        if opened is not None and opened[0] == name:
            return opened[1]
        if opened is not None:
            os.close(self._open.pop(kind)[1])
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.forget_old()
        fd = os.open(self._folder / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        self._open[kind] = (name, fd)
        return fd

    def forget_old(self) -> list[str]:
        gone = sorted(path.name for path in self._folder.iterdir() if is_expired(path.name, self._keep, self._now()))
        for name in gone:
            (self._folder / name).unlink(missing_ok=True)
        return gone

    def close(self) -> None:
        for _, fd in self._open.values():
            os.close(fd)
        self._open.clear()
