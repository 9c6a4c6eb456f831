"""Frames of a pipe between two processes: a length in 4 bytes, big-endian, and as many bytes."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Sequence

HEADER = struct.Struct(">I")
BUFFERS_AT_ONCE = 512  # of one writev; the system's limit is 1024

Bytes = bytes | bytearray | memoryview


def write(fd: int, frames: Sequence[Bytes]) -> None:
    for left in batches(frames):
        while left:
            left = after(left, os.writev(fd, left))


def batches(frames: Sequence[Bytes]) -> Iterator[list[memoryview]]:
    buffers = [memoryview(part) for frame in frames for part in (HEADER.pack(len(frame)), frame)]
    for n in range(0, len(buffers), BUFFERS_AT_ONCE):
        yield buffers[n : n + BUFFERS_AT_ONCE]


def after(buffers: list[memoryview], written: int) -> list[memoryview]:
    """What is left of them."""
    done = 0
    while done < len(buffers) and written >= len(buffers[done]):
        written -= len(buffers[done])
        done += 1
    left = buffers[done:]
    if written:
        left[0] = left[0][written:]
    return left
