"""Texts of megabytes for each chunk: what glibc gives back to the system has to be had again, page by page, which was a
thirtieth of a first load. A process that has loaded a catalogue keeps this much for the next one."""

from __future__ import annotations

import contextlib
import ctypes
from functools import cache

KEPT_BYTES = 64 << 20
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # malloc.h


@cache
def keep_memory() -> None:
    with contextlib.suppress(AttributeError, OSError):  # another C library: it does as it thinks best
        mallopt = ctypes.CDLL(None).mallopt
        for threshold in (_TRIM_THRESHOLD, _MMAP_THRESHOLD):
            mallopt(threshold, KEPT_BYTES)
