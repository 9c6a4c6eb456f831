"""Which day and hour does this text name? Asked of days that the rules cannot read (E-061). Whoever asks believes an
answer only as far as the text itself confirms it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from winnow.errors import Trouble
from winnow.services.llm.questions import Llm, Question

PURPOSE = "event_days"
_INSTRUCTIONS = """
Each text is what the agenda of a venue shows as the date of one event, after it the title of the event, the language
of the page and the day on which the page was read. Give the day on which the event takes place, and its hour in local
time. Only read what the text says: leave an item out when the text does not name one certain day, and never work out a
day from what you know of holidays, moons or habits. Leave the hour out when the text names none.
"""
_FIELDS = '"day": "YYYY-MM-DD", "hour": "HH:MM"'


class StatedMoment(msgspec.Struct, frozen=True, kw_only=True):
    day: Annotated[str, msgspec.Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    hour: Annotated[str, msgspec.Meta(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")] | None = None


class DayText(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    title: str
    language: str
    read_on: str


class DayAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """`was_asked`: the model saw the text, so that it is not asked again soon."""

    moment: StatedMoment | None
    was_asked: bool
    model: str = ""


async def read_days(llm: Llm, texts: Sequence[DayText]) -> list[DayAnswer]:
    """In the order of the texts. What the service fails at is asked again with the next batch (E-064)."""
    answers = await llm.ask([_question(text) for text in texts])
    return [
        DayAnswer(
            moment=answer.value if isinstance(answer.value, StatedMoment) else None,
            was_asked=answer.trouble in (None, Trouble.NONSENSE),
            model=answer.model,
        )
        for answer in answers
    ]


def _question(of: DayText) -> Question:
    text = f"date: {of.text}\ntitle: {of.title}\nlanguage: {of.language or 'unknown'}\nread on: {of.read_on}"
    return Question(purpose=PURPOSE, instructions=_INSTRUCTIONS, fields=_FIELDS, text=text, shape=StatedMoment)
