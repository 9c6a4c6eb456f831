"""What a language model said of the text of a day that the rules cannot read (E-061), as it is kept on the source."""

from __future__ import annotations

import msgspec

MAX_TEXT = 300  # characters: a longer text names more than one day


class AnsweredDay(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`day` and `hour` in ISO 8601; None where it does not know. `asked_on` is the day it was asked."""

    text: str
    day: str | None = None
    hour: str | None = None
    model: str = ""
    asked_on: str = ""
