"""RSS, RDF and Atom -> drafts, with the modules that say when an event is (ev, xCal, mec, Google's gd, tribe, geo).

`pubDate` is when an entry was published, never the day of an event. Where no module says the day, it stands in the title or in
the text, and only in feeds that are called agendas and of which most entries have one: news and podcasts name days too. An agenda whose entries name no day leads to
their pages.
"""

from __future__ import annotations

import io
import re
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Link, Role, Strategy
from winnow.extract.event.event_words import EVENT_URL
from winnow.extract.event.feeds import field_names as names
from winnow.extract.event.feeds.days_in_words import add_days_in_words
from winnow.extract.event.feeds.found import Found
from winnow.extract.event.feeds.json_values import line_of
from winnow.extract.event.feeds.place_text import add_place
from winnow.extract.event.feeds.sniff import decode
from winnow.extract.event.terms import AGENDA
from winnow.extract.page import Page

FEED = Strategy.FEED
MAX_ENTRIES = 1_000
MAX_BYTES = 1_500_000  # feedparser reads about 300 kB a second
_ENTRY_END = re.compile(rb"</(?:\w+:)?(?:item|entry)\s*>", re.IGNORECASE)
_ENTRY = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_BLOCK = re.compile(r"<(?:\w+:)?(item|entry)[\s>].*?</(?:\w+:)?\1\s*>", re.IGNORECASE | re.DOTALL)
_ISO_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CLOCK = re.compile(r"\d{1,2}(?::\d\d){1,2}(?:\s?[ap]m)?\Z", re.IGNORECASE)


def read_rss(page: Page) -> Found:
    import feedparser

    found = Found()
    body, left_out = _shortened(page.body)
    # From memory: feedparser would fetch a URL and open a file.
    parsed = feedparser.parse(
        io.BytesIO(body), response_headers={"content-type": "application/xml", "content-location": page.url}
    )
    entries = parsed.entries[:MAX_ENTRIES]
    if left_out or len(parsed.entries) > len(entries):
        found.skip("too many entries", left_out + len(parsed.entries) - len(entries))
    blocks = [match[0] for match in _BLOCK.finditer(decode(body, page))]
    if len(blocks) != len(entries):
        blocks = [""] * len(entries)
    if not entries:
        found.empty = None if parsed.bozo and not parsed.version else "the feed has no entries"
        return found
    _read_entries(found, parsed, entries, blocks, page)
    return found


def _shortened(body: bytes) -> tuple[bytes, int]:
    """The feed up to the last entry that fits, and how many entries are behind it."""
    if len(body) <= MAX_BYTES:
        return body, 0
    ends = [match.end() for match in _ENTRY_END.finditer(body, 0, MAX_BYTES)]
    at = ends[-1] if ends else MAX_BYTES
    return body[:at], len(_ENTRY.findall(body, at))


def _read_entries(found: Found, parsed: Any, entries: list[Any], blocks: list[str], page: Page) -> None:
    read = [_entry(entry) for entry in entries]
    agenda = _is_agenda(parsed, page)
    if agenda and not any(into.has("start") for into in read):
        add_days_in_words(read, [_text_of(entry) for entry in entries])
    if not agenda and not any(into.has("start") for into in read):
        found.notes.append("no entry says the day of an event")
        return
    lang = str(parsed.feed.get("language", ""))
    for into, block in zip(read, blocks, strict=True):
        if not into.has("title"):
            found.skip("an entry without a title")
            continue
        if not into.has("start"):
            found.links += [Link(url, Role.DETAIL, len(found.drafts)) for url in _links_of(into)[:1]]
        found.add(into, block, lang)


def _links_of(into: Collected) -> list[str]:
    return [value.raw for value in into.values.get("url", [])]


def _entry(entry: Any) -> Collected:
    into = Collected()
    into.add("title", line_of(entry.get("title", "")), FEED, "entry.title")
    _moments(into, entry)
    into.add("url", str(entry.get("link", "")), FEED, "entry.link")
    guid = str(entry.get("id", ""))
    if guid and not guid.startswith("http"):
        into.add("uid", guid[:500], FEED, "entry.guid")
    for content in entry.get("content", [])[:1]:
        into.add("description", str(content.get("value", "")), FEED, "entry.content")
    into.add("description", str(entry.get("summary", "")), FEED, "entry.description")
    tags = [str(tag.get("term") or "") for tag in entry.get("tags", [])]
    into.add("category", ", ".join(dict.fromkeys(filter(None, tags[:20]))), FEED, "entry.category")
    _picture(into, entry)
    _place(into, entry)
    _others(into, entry)
    return into


def _moments(into: Collected, entry: Any) -> None:
    when = entry.get("gd_when")
    stated = when if isinstance(when, dict) else {}
    start, end = str(stated.get("starttime", "")), str(stated.get("endtime", ""))
    into.add("start", start, FEED, "entry.gd_when")
    into.add("end", end, FEED, "entry.gd_when")
    for field, wanted in (("start", names.START), ("end", names.END)):
        key, value = _day_value(entry, wanted)
        if _ISO_DAY.match(value) and ":" not in value:
            value = f"{value} {_clock(entry, field)}".strip()
        into.add(field, value, FEED, f"entry.{key}")
    _, zone = _module_value(entry, names.ZONE)
    into.add("tzid", zone, FEED, "entry.timezone")


def _day_value(entry: Any, wanted: tuple[str, ...]) -> tuple[str, str]:
    """An hour alone is no day: `mec:startHour` stands beside `mec:startDate`."""
    for name in wanted:
        key, value = _module_value(entry, (name,))
        if any(c.isdigit() for c in value) and not _CLOCK.match(value):
            return key, value
    return "", ""


def _clock(entry: Any, which: str) -> str:
    _, value = _module_value(entry, (f"{which}time", f"{which}hour", f"time{which}"))
    return value if _CLOCK.match(value) else ""


def _module_value(entry: Any, wanted: tuple[str, ...]) -> tuple[str, str]:
    """The text of the first element of a module that is called so: feedparser names it `prefix_element`."""
    plain = {names.plain_name(_own_name(key)): key for key in entry if "_" in key and isinstance(entry.get(key), str)}
    found = ((plain[name], entry[plain[name]].strip()) for name in wanted if name in plain)
    return next((pair for pair in found if pair[1]), ("", ""))


def _own_name(key: str) -> str:
    return key.partition("_")[2]


def _picture(into: Collected, entry: Any) -> None:
    listed = [
        (link.get("href"), link.get("type", "")) for link in entry.get("links", []) if link.get("rel") == "enclosure"
    ]
    listed += [
        (media.get("url"), media.get("type") or media.get("medium") or "image")
        for media in entry.get("media_content", [])
    ]
    listed += [(media.get("url"), "image") for media in entry.get("media_thumbnail", [])]
    for url, kind in listed:
        if url and str(kind).startswith("image"):
            into.add("image_url", str(url), FEED, "entry.enclosure")
    image = entry.get("image")
    into.add("image_url", str(image.get("href", "")) if isinstance(image, dict) else "", FEED, "entry.image")


def _place(into: Collected, entry: Any) -> None:
    where = entry.get("gd_where")
    add_place(into, str(where.get("valuestring", "")) if isinstance(where, dict) else "", FEED, "entry.gd_where")
    key, value = _module_value(entry, names.VENUE)
    add_place(into, value, FEED, f"entry.{key}")
    key, value = _module_value(entry, ("address", "adres", "adresse", "street"))
    into.add("location", value, FEED, f"entry.{key}")
    latitude, longitude = _coordinates(entry)
    if latitude and longitude:
        into.add("latitude", latitude, FEED, "entry.geo", numeric=True)
        into.add("longitude", longitude, FEED, "entry.geo", numeric=True)


def _coordinates(entry: Any) -> tuple[str, str]:
    """Of GeoRSS, which feedparser turns into a point with the longitude first, or of the W3C's `geo`."""
    point = entry.get("where")
    if isinstance(point, dict) and point.get("type") == "Point" and len(point.get("coordinates", ())) >= 2:
        longitude, latitude = point["coordinates"][:2]
        return str(latitude), str(longitude)
    return str(entry.get("geo_lat", "")), str(entry.get("geo_long", ""))


def _others(into: Collected, entry: Any) -> None:
    fields = (
        ("organiser", names.ORGANISER),
        ("price", names.PRICE),
        ("status", ("eventstatus",)),
        ("ticket_url", names.TICKET_URL),
    )
    for field, wanted in fields:
        key, value = _module_value(entry, wanted)
        into.add(field, value, FEED, f"entry.{key}")


def _text_of(entry: Any) -> str:
    return str(entry.get("summary", "")) or "".join(str(each.get("value", "")) for each in entry.get("content", []))


def _is_agenda(parsed: Any, page: Page) -> bool:
    named = " ".join(str(parsed.feed.get(key, "")) for key in ("title", "subtitle"))
    return bool(AGENDA.search(named) or EVENT_URL.search(page.url))
