"""The process that reads: `python -m winnow.feeds.read.reading_child`. Gives frames, says no more.

Takes an Assignment and then, while it reads what is remembered, the offers that were changed since. A frame is a
pickle: it comes from our own code over a pipe of our own.
"""

from __future__ import annotations

import contextlib
import gc
import os
import pickle
import signal
import sys
from collections.abc import Iterator

from winnow.errors import WinnowError
from winnow.feeds.read.heap import keep_memory
from winnow.feeds.read.reading import Assignment, Dirty, Reader

# It is a few chunks ahead of the loading, which takes half as long again: where both want a processor, the load comes
# first. One step of niceness is a tenth of it.
NICE = 2


def main() -> None:
    gc.disable()  # a row is dozens of objects and never part of a cycle: looking for one took a quarter of the time
    os.nice(NICE)
    keep_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it, or is gone, which the pipes tell
    try:
        assignment: Assignment = pickle.load(sys.stdin.buffer)
    except EOFError:  # gone while the file was fetched
        return
    out = sys.stdout.buffer
    with contextlib.suppress(BrokenPipeError):  # whoever asked is gone
        for frame in frames(assignment, lambda: pickle.load(sys.stdin.buffer)):
            pickle.dump(frame, out, protocol=5)  # texts of a megabyte go straight into the pipe
            out.flush()


def frames(assignment: Assignment, dirty: Dirty) -> Iterator[object]:
    try:
        yield from Reader(assignment, dirty).chunks()
    except WinnowError as failure:
        yield failure


if __name__ == "__main__":
    main()
