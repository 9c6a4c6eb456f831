"""Events in the state a page carries for its own script (E-047): objects with a name and a beginning."""

from __future__ import annotations

from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.job.job_states import walk
from winnow.extract.parsed_page import ParsedPage
from winnow.extract.state.hydration_states import states
from winnow.extract.structured.schema_graph import Node

_STARTS = (
    "startDate",
    "start_date",
    "startDateTime",
    "start_datetime",
    "startsAt",
    "starts_at",
    "start_time",
    "startTime",
    "eventDate",
    "event_date",
    "dateStart",
    "date_start",
    "startdatum",
    "start",
)
_ENDS = (
    "endDate",
    "end_date",
    "endDateTime",
    "end_datetime",
    "endsAt",
    "ends_at",
    "end_time",
    "endTime",
    "dateEnd",
    "date_end",
    "einddatum",
    "end",
)
_TITLES = ("title", "name", "eventName", "event_name", "titel", "headline")
_TEXTS = {
    "description": ("description", "summary", "excerpt", "teaser", "shortDescription"),
    "url": ("url", "link", "permalink", "href", "slug"),
    "image_url": ("image", "imageUrl", "image_url", "thumbnail", "cover", "picture"),
    "venue_name": ("venue", "venueName", "venue_name", "locationName", "location_name"),
    "location": ("address", "location", "city", "place"),
    "status": ("status", "eventStatus"),
}
# Things with a name and a beginning that are no events.
_OTHERS = frozenset(["publishedAt", "published_at", "price", "sku", "employmentType", "salary", "campaign", "variants"])


def read_states(parsed: ParsedPage) -> list[Collected]:
    found = []
    for state in states(parsed.tree, lambda text: "tart" in text or "vent" in text):
        for node, path in walk(state.data, state.name):
            if any(key in node for key in _STARTS) and not _OTHERS & set(map(str, node)):
                one = _read(node, path)
                if one.has("title") and one.has("start"):
                    found.append(one)
    return found


def _read(node: Node, path: str) -> Collected:
    into = Collected()
    title = next((node[key] for key in _TITLES if isinstance(node.get(key), str | dict)), "")
    into.add("title", _text(title), Strategy.HYDRATION, f"{path}.title")
    _moment(into, "start", node, _STARTS, path)
    _moment(into, "end", node, _ENDS, path)
    for field, keys in _TEXTS.items():
        value = next((text for key in keys if (text := _text(node.get(key)))), "")
        into.add(
            field,
            value if field != "url" or value.startswith(("http", "/")) else "",
            Strategy.HYDRATION,
            f"{path}.{field}",
        )
    return into


def _moment(into: Collected, field: str, node: Node, keys: tuple[str, ...], path: str) -> None:
    for key in keys:
        value = node.get(key)
        if isinstance(value, dict):
            day, clock = _text(value.get("date") or value.get("dateTime") or value.get("iso")), _text(value.get("time"))
            value = f"{day} {clock}".strip()
        if isinstance(value, str | int) and not isinstance(value, bool) and any(c.isdigit() for c in str(value)):
            into.add(field, str(value), Strategy.HYDRATION, f"{path}.{key}", isinstance(value, int))
            return


def _text(value: Any) -> str:
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict):
        return next(
            (
                text
                for key in ("rendered", "name", "title", "url", "src", "text", "en", "nl", "de")
                if (text := _text(value.get(key)))
            ),
            "",
        )
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
