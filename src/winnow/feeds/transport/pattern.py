"""Paths that name a pattern, `out/acme-*.csv.gz` (F-135): the newest file of that name in its folder is meant."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from fnmatch import fnmatchcase

from winnow.feeds.failures import FileMissing


def is_pattern(path: str) -> bool:
    return any(mark in path.rpartition("/")[2] for mark in "*?")


def folder_of(path: str) -> str:
    folder, mark, _ = path.rpartition("/")
    return folder or mark or "."


def newest(path: str, found: Iterable[tuple[str, datetime | None]]) -> str:
    """Of files and when they were changed; of two as new as each other the one whose name is last: that is how dates in
    names sort."""
    head, mark, pattern = path.rpartition("/")
    fitting = [
        (changed.timestamp() if changed else 0.0, name)
        for name, changed in found
        if "/" not in name and fnmatchcase(name, pattern)
    ]
    if not fitting:
        raise FileMissing("no file there has such a name")
    return head + mark + max(fitting)[1]
