"""Patterns of the words on walls, compiled from `vocabulary/data/walls.json`.

They are searched in titles and headings of pages without content of their own.
"""

from __future__ import annotations

import re

from winnow.vocabulary.lazy_pattern import lazy_pattern
from winnow.vocabulary.walls import expressions


def _compile(key: str) -> re.Pattern[str]:
    return lazy_pattern("|".join(f"(?:{expression})" for expression in expressions(key)), re.I | re.M)


CHALLENGE = _compile("challenge")
CAPTCHA = _compile("captcha")
DENIED = _compile("denied")
LOGIN = _compile("login")
CONSENT = _compile("consent")
NEEDS_SCRIPT = _compile("needs_script")
