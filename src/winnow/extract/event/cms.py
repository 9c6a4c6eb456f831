"""Systems that agendas are made with (E-052): how to recognise each by the names it gives its elements."""

from __future__ import annotations

from winnow.extract.event.outline import Outline

# The beginning of a class or id -> the system. Its entries carry names of the same beginning.
_MARKS = {
    "tribe-events": "wordpress: the events calendar",
    "type-tribe_events": "wordpress: the events calendar",
    "mec-": "wordpress: modern events calendar",
    "eventon_": "wordpress: eventon",
    "em-event": "wordpress: events manager",
    "ai1ec": "wordpress: all-in-one event calendar",
    "simcal": "wordpress: simple calendar",
    "wp-block": "wordpress",
    "eventlist-event": "squarespace",
    "sqs-": "squarespace",
    "wix-": "wix",
    "w-dyn-": "webflow",
    "views-row": "drupal",
    "elementor-": "wordpress: elementor",
    "__next": "next.js",
    "tx_news": "typo3",
    "com_jem": "joomla: jem",
    "rgmasterrow": "legistar",
    "rgrow": "legistar",
}


def recognise(page: Outline) -> str:
    """The most telling system: of several marks the one that is listed first."""
    seen: set[str] = set()
    for element in page.elements:
        if element.names:
            lowered = element.names.lower()
            seen |= {mark for mark in _MARKS if mark in lowered}
    return next((system for mark, system in _MARKS.items() if mark in seen), "")
