"""Regular expressions that are compiled when they are first used.

The longest ones name every currency of the world several times and take 10 to 60 ms each to compile: half of a second
of processor time at the start of every process that can read a page, most of which never see a text that needs them.
"""

from __future__ import annotations

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int | re.RegexFlag = 0) -> re.Pattern[str]:
    """Like `re.compile`, but a mistake in the pattern is noticed at the first use: for patterns that tests use."""
    return cast("re.Pattern[str]", _LazyPattern(pattern, flags))


class _LazyPattern:
    """Every attribute is the compiled pattern's; each is looked up there once."""

    def __init__(self, pattern: str, flags: int | re.RegexFlag) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, found)
        return found
