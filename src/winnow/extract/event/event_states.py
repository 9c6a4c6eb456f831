"""Events in the state a page carries for its own script (E-047): Next, Nuxt, Apollo, Redux and whatever stands in
`window.__…`; searched for objects with a title and a beginning."""

from __future__ import annotations

import re

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds.json_objects import event_objects
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.state.hydration_states import states

MAX_EVENTS = 2_000
_WORDS = re.compile(r"start|vent|datum|date", re.IGNORECASE)


def read_states(parsed: ParsedPage) -> list[Collected]:
    found: list[Collected] = []
    for state in states(parsed.tree, lambda text: _WORDS.search(text) is not None):
        found += [each.event for each in event_objects(state.data, state.name, Strategy.HYDRATION)]
    return found[:MAX_EVENTS]
