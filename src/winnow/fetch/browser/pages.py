"""Actions on an open page: wait for its content, scroll to load more of it, pause between actions."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable

import orjson

from winnow.fetch.browser.tab import Tab
from winnow.fetch.page_actions import MAX_DELAY_MS, MIN_DELAY_MS, WAIT_SECONDS

MIN_TEXT = 200  # characters; a page with less is a shell that has still to be filled
SCROLLS = 5  # S-051

Pause = Callable[[], Awaitable[None]]

_WAIT = """new Promise(done => {
  const [selector, length, limit] = %s;
  const text = () => document.body ? document.body.innerText.trim().length : 0;
  const there = () => selector ? document.querySelector(selector) !== null : text() >= length;
  if (there()) return done(true);
  const watch = new MutationObserver(() => { if (there()) end(true) });
  const timer = setTimeout(() => end(there()), limit);
  const end = found => { watch.disconnect(); clearTimeout(timer); done(found) };
  watch.observe(document, {childList: true, subtree: true, characterData: true, attributes: true});
})"""
_SCROLL = """(() => {
  const all = document.scrollingElement || document.documentElement;
  window.scrollTo(0, all.scrollHeight);
  return all.scrollHeight;
})()"""


async def wait_for_content(
    tab: Tab, selector: str | None = None, *, timeout_s: float = WAIT_SECONDS, min_text: int = MIN_TEXT
) -> bool:
    """Whether the element is there, or without one enough text, before the time is over."""
    wanted = orjson.dumps([selector, min_text, int(timeout_s * 1000)]).decode()
    return bool(await tab.evaluate(_WAIT % wanted, wait=True))


async def scroll_for_content(tab: Tab, pause: Pause, scrolls: int = SCROLLS) -> int:
    """To the end, again and again while the page grows, with a pause before each look. Returns how often it grew."""
    height, grown = int(await tab.evaluate(_SCROLL) or 0), 0
    for _ in range(scrolls):
        await pause()
        now = int(await tab.evaluate(_SCROLL) or 0)
        if now <= height:
            break
        height, grown = now, grown + 1
    return grown


def action_delay_ms(rng: random.Random, min_ms: int = MIN_DELAY_MS, max_ms: int = MAX_DELAY_MS) -> int:
    """Between two actions on a page, in [min_ms, max_ms] (property 17)."""
    if not 0 <= min_ms <= max_ms:
        raise ValueError("the shortest delay is longer than the longest")
    return rng.randint(min_ms, max_ms)
