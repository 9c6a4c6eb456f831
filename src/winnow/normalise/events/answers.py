"""Days of events that the rules cannot read, as a language model read them (E-061)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from winnow.extract.answered_day import AnsweredDay
from winnow.extract.draft import Draft, Value
from winnow.normalise.dates.answered import confirmed
from winnow.normalise.doubts import Doubt, Unread
from winnow.normalise.events.times import read_start
from winnow.normalise.fields import Around

ANSWERED = "model"  # of a provenance: "dom:day, read by model"


def unreadable_day(draft: Draft, near: Around) -> str | None:
    """The text of its day, where it states one and the rules read none of its candidates. Days that contradict
    themselves or have two readings are left out: no text could confirm an answer."""
    starts = draft.values.get("start", [])
    found = [read_start(value.raw, near) for value in starts]
    if "recurrence" in draft.values or not found or not all(map(_is_unreadable, found)):
        return None
    return starts[0].raw or None


def _is_unreadable(found: object) -> bool:
    return isinstance(found, Unread) and found.why is Doubt.UNREADABLE


def with_answered_day(draft: Draft, answers: Sequence[AnsweredDay], near: Around) -> Draft:
    """The draft itself where no answer is confirmed by the text."""
    text = unreadable_day(draft, near) if answers else None
    answer = next((answer for answer in answers if answer.text == text), None)
    moment = None if answer is None else confirmed(answer, near.now.date())
    if moment is None or answer is None:
        return draft
    first = draft.values["start"][0]
    read = Value(moment, first.strategy, f"{first.path}, read by {answer.model or ANSWERED}")
    return msgspec.structs.replace(draft, values={**draft.values, "start": [read, *draft.values["start"]]})
