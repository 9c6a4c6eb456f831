"""Patterns that read foreign bytes on the event loop take a time that grows with the length of the text and no faster.

What is read in the parser's process may be killed (R-17); these patterns run where every other domain waits for them.
"""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

from tests.fetch.hostile_texts import texts
from winnow.fetch import picture
from winnow.fetch.blocked import detect, marks, visible_text, words
from winnow.fetch.blocked.detect import recognise
from winnow.fetch.picture import read_picture

LENGTH = 60_000  # linear patterns take milliseconds for it, those that take its square many seconds
SECONDS = 3.0  # of processor time
READERS = (detect, marks, visible_text, words, picture)


def patterns(module: ModuleType) -> list[re.Pattern[Any]]:
    found: dict[int, re.Pattern[Any]] = {}

    def collect(value: Any, depth: int) -> None:
        if isinstance(value, re.Pattern):
            found[id(value)] = value
        elif depth < 4 and isinstance(value, (list, tuple, set, frozenset)):
            for item in value:
                collect(item, depth + 1)
        elif depth < 4 and hasattr(value, "__struct_fields__") and not isinstance(value, type):
            for name in value.__struct_fields__:
                collect(getattr(value, name), depth + 1)

    for value in vars(module).values():
        collect(value, 0)
    return list(found.values())


@contextmanager
def limited(what: str) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError(what)

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("module", READERS, ids=lambda module: module.__name__)
def test_r17_no_pattern_on_the_loop_takes_the_square_of_a_text(module: ModuleType) -> None:
    for pattern in patterns(module):
        for text in texts(pattern, LENGTH):
            with limited(f"{pattern.pattern!r:.200} on {text[:40]!r}"):
                pattern.search(text)


@pytest.mark.parametrize("unit", ["1", "1.", "1,", "9 ", "<h1 ", "<script", "<!--", "<div id=", "<title>a", "&#"])
def test_r17_a_page_of_half_a_megabyte_is_recognised_in_time(unit: str) -> None:
    page = f"<html><body>{unit * (500_000 // len(unit))}".encode()
    with limited(unit):
        recognise(200, {"content-type": "text/html"}, page)


def test_r17_a_picture_that_is_all_comments_is_read_in_time() -> None:
    with limited("comments"):
        assert read_picture(b"<!----> " * 20_000) is None
        found = read_picture(b"<!-- a --> <!-- b --> <svg width='10' height='20'></svg>")
    assert found is not None
    assert (found.width, found.height) == (10, 20)
