"""What a browser does on a page before it is read (S-051), and how long it pauses between two actions (S-109)."""

from __future__ import annotations

import msgspec

MIN_DELAY_MS, MAX_DELAY_MS = 500, 2_000  # S-109
WAIT_SECONDS = 10.0  # for the element that is waited for (S-051)
MAX_SCROLLS = 50


class PageActions(msgspec.Struct, frozen=True, kw_only=True):
    """`wait_for` is a CSS selector; the page is scrolled to its end at most `scrolls` times, while it grows."""

    wait_for: str = ""
    scrolls: int = 0
    min_delay_ms: int = MIN_DELAY_MS
    max_delay_ms: int = MAX_DELAY_MS

    def __bool__(self) -> bool:
        return bool(self.wait_for) or self.scrolls > 0

    @property
    def longest_seconds(self) -> float:
        """The longest time all actions can take, without the page's own loading time."""
        waiting = WAIT_SECONDS if self.wait_for else 0.0
        return waiting + (self.scrolls + 1) * self.max_delay_ms / 1000


NO_ACTIONS = PageActions()


def actions_of(adapter: object) -> PageActions:
    """What an adapter wants done on its pages; most want nothing."""
    return PageActions(wait_for=getattr(adapter, "wait_for", ""), scrolls=getattr(adapter, "scrolls", 0))
