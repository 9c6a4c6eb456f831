"""Objects of JSON that describe events, wherever they stand: answers of calendars, and the state of pages (E-047).

An object is an event when it has a title and a beginning under one of the names such systems use. The beginning may be
a text, a number, or an object of its own (`start: {dateTime, timeZone}`), and the parts of an event may stand in a
wrapper (`attributes`, `fields`, `scheduling.config`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds import field_names as names
from winnow.extract.event.feeds.field_names import plain_name
from winnow.extract.event.feeds.json_fields import add_fields
from winnow.extract.event.feeds.json_values import line_of, number_of, text_of

MAX_OBJECTS = 50_000  # looked at in one document
MAX_DEPTH = 40
_WRAPPERS = (
    "attributes",
    "fields",
    "event",
    "scheduling",
    "config",
    "acf",
    "meta",
    "dates",
    "eventdates",
    "date",
    "when",
    "time",
    "eventinstance",
    "node",
    "schedule",
    "item",
)
_INSTANCES = ("eventinstances", "instances", "occurrences", "performances", "showtimes", "datesandtimes", "sessions")
_DAY_TEXT = re.compile(
    r"\d{4}-?\d\d-?\d\d(?!\d)|\d{1,2}[./-]\d{1,2}[./-]\d{2,4}|\d{1,2}\s?(?:de\s)?[^\W\d_]{3,}|[^\W\d_]{3,}\.?\s\d{1,2}\b"
)
_CLOCK = re.compile(r"(?:T)?(\d{1,2}:\d\d)(?::\d\d)?(?:\.\d+)?\s?([ap]\.?m\.?)?\Z", re.IGNORECASE)
_ISO_DAY = re.compile(r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")
_UTC = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?:Z|\+00:?00)\Z")
_DAY_PARTS = (
    "localdate",
    "datelocal",
    "local",
    "datetime",
    "iso",
    "date",
    "startdate",
    "day",
    "value",
    "utc",
    "timestamp",
    "start",
)
_CLOCK_PARTS = ("localtime", "time", "starttime", "hour")
EPOCH = (946_684_800, 4_102_444_800)  # 2000 … 2100


class Node:
    """An object with the names of its fields made plain; what a wrapper says stands beside what it says itself."""

    def __init__(self, data: dict[str, Any], refs: dict[str, Any]) -> None:
        self.data = data
        self.fields: dict[str, tuple[str, Any]] = {}
        self._refs = refs
        self._take(data, 0)

    def _take(self, data: dict[str, Any], depth: int) -> None:
        stamped = {plain_name(str(key)) for key in data} & names.STAMPED
        for key, value in data.items():
            if stamped and plain_name(str(key)) == "date":
                continue  # WordPress writes when a post was published beside what its fields say
            resolved = self._resolved(value)
            if resolved not in (None, "", [], {}):
                self.fields.setdefault(plain_name(str(key)), (str(key), resolved))
        for key, value in data.items():
            inner = self._resolved(value)
            if depth < 3 and plain_name(str(key)) in _WRAPPERS and isinstance(inner, dict):
                self._take(inner, depth + 1)

    def _resolved(self, value: Any) -> Any:
        """Apollo keeps each object once and names it everywhere else."""
        if isinstance(value, dict) and isinstance(ref := value.get("__ref"), str):
            return self._refs.get(ref, value)
        if isinstance(value, list) and value and isinstance(value[0], dict) and "__ref" in value[0]:
            return [self._resolved(each) for each in value[:20]]
        return value

    def get(self, wanted: tuple[str, ...]) -> tuple[str, Any]:
        return next((self.fields[name] for name in wanted if name in self.fields), ("", None))

    def all(self, wanted: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
        return (self.fields[name] for name in wanted if name in self.fields)


class Found(NamedTuple):
    event: Collected
    data: dict[str, Any]


def event_objects(data: Any, name: str, strategy: Strategy, zone: str = "") -> list[Found]:
    """Events in document order. `zone` holds for times that name none."""
    refs = _references(data)
    own_zone = _document_zone(data) or zone
    found: list[Found] = []
    taken: set[int] = set()
    for node, path in _walk(data, name, taken):
        read = _read(Node(node, refs), path, strategy, own_zone)
        if read and not _holds_events(node, refs):
            found += [Found(each, node) for each in read]
            taken.add(id(node))
    return found


def _references(data: Any) -> dict[str, Any]:
    """Apollo's cache, which may stand in a part of the state."""
    if not isinstance(data, dict):
        return {}
    inner = next((data[key] for key in ("apolloState", "__APOLLO_STATE__") if isinstance(data.get(key), dict)), data)
    return inner if isinstance(inner, dict) else data


def _holds_events(node: dict[str, Any], refs: dict[str, Any]) -> bool:
    """Whether it is a calendar with a name and a range rather than an event: its entries are events themselves."""
    for key, value in node.items():
        if isinstance(value, list) and plain_name(str(key)) not in _INSTANCES:
            entries = [each for each in value[:3] if isinstance(each, dict)]
            if any(_read(Node(each, refs), "", Strategy.HYDRATION, "") for each in entries):
                return True
    return False


def _walk(data: Any, name: str, taken: set[int]) -> Iterator[tuple[dict[str, Any], str]]:
    """Objects from the outside in; what stands inside an event is a part of it."""
    queue: list[tuple[Any, str, int]] = [(data, name, 0)]
    looked = 0
    while queue and looked < MAX_OBJECTS:
        value, path, depth = queue.pop()
        if isinstance(value, dict):
            looked += 1
            yield value, path
            if id(value) in taken or depth >= MAX_DEPTH:
                continue
            queue += [
                (inner, f"{path}.{key}", depth + 1)
                for key, inner in reversed(value.items())
                if isinstance(inner, dict | list)
            ]
        elif isinstance(value, list) and depth < MAX_DEPTH:
            queue += [
                (inner, f"{path}[{n}]", depth + 1)
                for n, inner in reversed(list(enumerate(value)))
                if isinstance(inner, dict | list)
            ]


def _read(node: Node, path: str, strategy: Strategy, zone: str) -> list[Collected]:
    if node.fields.keys() & names.OTHERS:
        return []
    title = _title(node)
    if not title:
        return []
    own_zone = text_of(node.get(names.ZONE)[1]) or zone
    instances = _instances(node)
    if not instances:
        return _one(node, node, title, path, strategy, own_zone)
    several = [
        _one(Node(inner, {}), node, title, f"{path}[{n}]", strategy, own_zone) for n, inner in enumerate(instances)
    ]
    return [each for read in several for each in read]


def _title(node: Node) -> str:
    texts = (line_of(text_of(value)) for _, value in node.all(names.TITLE))
    return next((text for text in texts if 0 < len(text) <= 300), "")


def _instances(node: Node) -> list[dict[str, Any]]:
    """The evenings of an event that lists them beside one description."""
    for name in _INSTANCES:
        listed = node.fields.get(name, ("", None))[1]
        if isinstance(listed, list):
            found = [
                each for each in listed[:400] if isinstance(each, dict) and start_of(Node(each, {}), lenient=True)[1]
            ]
            if found:
                return found
    return []


def _one(when: Node, node: Node, title: str, path: str, strategy: Strategy, zone: str) -> list[Collected]:
    """`when` says the moment, `node` the rest."""
    speaks = _speaks_of_events(node)
    key, start, own = start_of(when, lenient=speaks)
    if not start or (node.fields.keys() & names.PUBLISHED and not speaks):
        return []
    into, zone = Collected(), known_zone(own) or known_zone(zone)
    into.add("title", title, strategy, f"{path}.{node.get(names.TITLE)[0]}")
    into.add("start", local(start, zone), strategy, f"{path}.{key}", numeric=start.isdigit() and not zone)
    key, end, _ = moment_of(when, names.END)
    if not end:
        key, end = _end_of_range(when)
    into.add(
        "end", _last_day(local(end, zone), start, node), strategy, f"{path}.{key}", numeric=end.isdigit() and not zone
    )
    into.add("tzid", zone, strategy, f"{path}.timezone")
    add_fields(into, node, strategy, path)
    return [into]


def _end_of_range(node: Node) -> tuple[str, str]:
    for key, value in node.all((*names.START, *names.MAYBE_START)):
        first = value[0] if isinstance(value, list) and value else value
        if isinstance(first, dict):
            fields = {plain_name(str(name)): each for name, each in first.items()}
            return key, next((text for name in ("endvalue", "end", "to") if (text := _moment(fields.get(name))[0])), "")
    return "", ""


def _last_day(end: str, start: str, node: Node) -> str:
    """Calendars state the day after the last one as the end of whole days (Google, FullCalendar)."""
    exclusive = node.data.get("kind") == "calendar#event" or any(
        node.fields.get(name, ("", None))[1] is True for name in names.ALL_DAY
    )
    if not exclusive or not _ISO_DAY.fullmatch(end) or not _ISO_DAY.fullmatch(start):
        return end
    last = (date.fromisoformat(end) - timedelta(days=1)).isoformat()
    return last if last > start else ""


def _speaks_of_events(node: Node) -> bool:
    """Whether something besides its day says that it is an event: a place, doors, tickets, an hour, its own type."""
    stated = (node.data.get(key) for key in ("@type", "__typename", "type"))
    typed = " ".join(text_of(value) for value in stated).lower()
    if any(_is_range(value) for _, value in node.all(names.MAYBE_START)):
        return True
    places = (
        "venue",
        "venuename",
        "doors",
        "doorsopen",
        "ticketurl",
        "ticketlink",
        "starttime",
        "endtime",
        "zaal",
        "location",
        "soldout",
        "enddate",
    )
    return "event" in typed or any(name in node.fields for name in places)


def _is_range(value: Any) -> bool:
    """Fields of Drupal: `{value, end_value}`."""
    value = value[0] if isinstance(value, list) and value else value
    return isinstance(value, dict) and any(plain_name(str(key)) in ("endvalue", "end", "to") for key in value)


def start_of(node: Node, *, lenient: bool) -> tuple[str, str, str]:
    found = moment_of(node, names.START)
    return found if found[1] or not lenient else moment_of(node, names.MAYBE_START)


def moment_of(node: Node, wanted: tuple[str, ...]) -> tuple[str, str, str]:
    """(field, text, zone) of the first that holds a day. A day alone takes the hour that stands beside it."""
    for key, value in node.all(wanted):
        text, zone = _moment(value)
        if text:
            return key, _with_clock(text, node, "start" if wanted is not names.END else "end"), zone
    return "", "", ""


def _moment(value: Any) -> tuple[str, str]:
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        fields = {plain_name(str(key)): each for key, each in value.items()}
        zone = next((text_of(fields[name]) for name in names.ZONE if name in fields), "")
        text = next((found for name in _DAY_PARTS if (found := _moment(fields.get(name))[0])), "")
        clock = next((found for name in _CLOCK_PARTS if (found := _clock_text(fields, name))), "")
        return (f"{text} {clock}".strip() if text and ":" not in text and not text.isdigit() else text), zone
    if isinstance(value, bool) or value is None:
        return "", ""
    number = number_of(value)
    if number is not None:
        seconds = number / 1000 if number > EPOCH[1] else number
        return (str(int(number)), "") if EPOCH[0] <= seconds <= EPOCH[1] else ("", "")
    text = re.sub(r"<[^<>]*>", " ", _datetime_attribute(value)).strip() if isinstance(value, str) else ""
    return (text, "") if len(text) <= 120 and _DAY_TEXT.search(text) else ("", "")


def _datetime_attribute(text: str) -> str:
    """Views of Drupal print `<time datetime="…">`."""
    match = re.search(r"<time\b[^<>]*\bdatetime=\"([^\"]+)\"", text)
    return match[1] if match else text


def _clock_text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    if name == "hour" and number_of(value) is not None:
        minutes = number_of(fields.get("minutes", fields.get("minute"))) or 0
        return f"{int(number_of(value) or 0)}:{int(minutes):02} {text_of(fields.get('ampm'))}".strip()
    return value.strip() if isinstance(value, str) and _CLOCK.match(value.strip()) else ""


def _with_clock(text: str, node: Node, which: str) -> str:
    if ":" in text or text.isdigit():
        return text
    for name in (
        f"{which}time",
        f"time{which}",
        f"{which}hour",
        f"local{which}time",
        "time" if which == "start" else "timeend",
        "tijd" if which == "start" else "eindtijd",
    ):
        value = node.fields.get(name, ("", None))[1]
        match = _CLOCK.match(value.strip()) if isinstance(value, str) else None
        if match:
            return f"{text} {match[1]}{' ' + match[2] if match[2] else ''}"
    return text


def local(text: str, zone: str) -> str:
    """A time of UTC, or a number, as the clock of the zone shows it; as it stands where no zone is stated."""
    if not zone or not text:
        return text
    if text.isdigit():
        seconds = int(text) / 1000 if int(text) > EPOCH[1] else int(text)
        moment = datetime.fromtimestamp(seconds, UTC)
    elif match := _UTC.match(text):
        moment = datetime.fromisoformat(match[1]).replace(tzinfo=UTC)
    else:
        return text
    return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="minutes")


def known_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key if "/" in name else ""
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ""


def _document_zone(data: Any) -> str:
    """Of the calendar: Google states it beside the events, Squarespace in `website`."""
    if not isinstance(data, dict):
        return ""
    for part in (data, data.get("website"), data.get("calendar"), data.get("meta")):
        if isinstance(part, dict):
            for key, value in part.items():
                if plain_name(str(key)) in names.ZONE and isinstance(value, str):
                    return value
    return ""
