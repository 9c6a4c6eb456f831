"""The process that reads: `python -m winnow.feeds.read.reading_child`. Gives frames, says no more.

Takes an Assignment and then, while it reads what is remembered, the offers that were changed since. A frame is a
pickle: it comes from our own code over a pipe of our own.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Iterator

from winnow.child_process.parent import Parent, serving
from winnow.errors import WinnowError
from winnow.feeds.read.heap import keep_memory
from winnow.feeds.read.reading import Assignment, CatalogueReader, Dirty

# It is a few chunks ahead of the loading, which takes half as long again: where both want a processor, the load comes
# first. One step of niceness is a tenth of it.
NICE = 2


def main(parent: Parent) -> None:
    gc.disable()  # a row is dozens of objects and never part of a cycle: looking for one took a quarter of the time
    keep_memory()
    first = parent.receive()
    if first is not None:  # else gone while the file was fetched
        assignment: Assignment = pickle.loads(first)
        for frame in frames(assignment, lambda: pickle.loads(parent.expect())):
            parent.send(pickle.dumps(frame, protocol=5))


def frames(assignment: Assignment, dirty: Dirty) -> Iterator[object]:
    try:
        yield from CatalogueReader(assignment, dirty).chunks()
    except WinnowError as failure:
        yield failure


if __name__ == "__main__":
    with serving(nice=NICE) as parent:
        main(parent)
