"""Events of agendas and of their own pages."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.draft import Extraction
from winnow.extract.event.event import extract_events
from winnow.extract.page import Page
from winnow.kinds.results import Identity, model_kind, requires
from winnow.normalise.results.event import EventResult, normalise_event


def read(page: Page, ctx: Context) -> Extraction:
    return extract_events(page)


EVENT = model_kind(
    name="event",
    version="1.1.0",
    target_type="event",
    model=EventResult,
    read=read,
    normalise=normalise_event,
    judge=requires("title", "start"),
    identity=Identity(("title", "venue_name"), "url", "start"),
)
