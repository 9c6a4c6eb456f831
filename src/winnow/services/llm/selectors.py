"""CSS selectors for a listing whose known ones find nothing any more (E-058). A proposal: whoever asks tries it on the
page and believes it only if what it finds are events."""

from __future__ import annotations

from typing import Annotated

import msgspec

from winnow.services.llm.questions import Llm, Question

PURPOSE = "selectors"
_INSTRUCTIONS = """
Each text is the simplified HTML of a web page that lists events. Give CSS selectors: "item" matches the element of each
event, the others match inside such an element. Use classes and elements that stand in the HTML, no :nth-child and no
:contains. Leave out what the page does not show.
"""
_FIELDS = '"item": "…", "title": "…", "date": "…", "time": "…", "venue": "…", "link": "…"'
Selector = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]


class ProposedSelectors(msgspec.Struct, frozen=True, kw_only=True):
    item: Selector
    title: Selector | None = None
    date: Selector | None = None
    time: Selector | None = None
    venue: Selector | None = None
    link: Selector | None = None


async def propose_selectors(llm: Llm, html: str) -> ProposedSelectors | None:
    """None where the model is off, away, or answers nothing that could be one."""
    asked = Question(purpose=PURPOSE, instructions=_INSTRUCTIONS, fields=_FIELDS, text=html, shape=ProposedSelectors)
    (answer,) = await llm.ask([asked])
    return answer.value if isinstance(answer.value, ProposedSelectors) else None
