"""The process that reads: `python -m winnow.feeds.reading_child`. Takes an Assignment, gives frames, says no more.

A frame is a length (8 bytes) and a pickle: it comes from our own code over a pipe of our own.
"""

from __future__ import annotations

import contextlib
import gc
import pickle
import sys
from collections.abc import Iterator

from winnow.errors import WinnowError
from winnow.feeds.reading import Assignment, Reader

LENGTH = 8


def main() -> None:
    gc.disable()  # a row is dozens of objects and never part of a cycle: looking for one took a quarter of the time
    assignment: Assignment = pickle.loads(sys.stdin.buffer.read())
    out = sys.stdout.buffer
    with contextlib.suppress(BrokenPipeError):  # whoever asked is gone
        for frame in frames(assignment):
            told = pickle.dumps(frame, protocol=5)
            out.write(len(told).to_bytes(LENGTH, "big"))
            out.write(told)
            out.flush()


def frames(assignment: Assignment) -> Iterator[object]:
    try:
        yield from Reader(assignment).chunks()
    except WinnowError as failure:
        yield failure


if __name__ == "__main__":
    main()
