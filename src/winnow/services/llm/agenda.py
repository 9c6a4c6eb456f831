"""Is this page an agenda of events? Asked of candidates that discovery found (E-017); heuristics decide without it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from winnow.services.llm.questions import Llm, Question

PURPOSE = "agenda"
_INSTRUCTIONS = """
Each text is the address, the title and the beginning of the visible text of a web page. Decide whether the page is an
agenda: a list of upcoming public events, each with a date, kept by the venue, municipality or organiser itself. A page
about one event, a shop, a travel guide, or a news article is none.
"""
_FIELDS = '"is_agenda": true or false, "confidence": 0.0 to 1.0, "why": a few words'


class AgendaOpinion(msgspec.Struct, frozen=True, kw_only=True):
    is_agenda: bool
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)]
    why: Annotated[str, msgspec.Meta(max_length=1_000)] = ""


async def judge_agendas(llm: Llm, pages: Sequence[tuple[str, str]]) -> list[AgendaOpinion | None]:
    """Of (address, title and text) each, in their order; None where the model gave no opinion: heuristics decide, and
    the candidate is flagged for a person (E-021)."""
    asked = [
        Question(
            purpose=PURPOSE, instructions=_INSTRUCTIONS, fields=_FIELDS, text=f"{url}\n\n{text}", shape=AgendaOpinion
        )
        for url, text in pages
    ]
    return [answer.value for answer in await llm.ask(asked)]
