"""RSS 2.0 with the event module, what was added or changed last first."""

from __future__ import annotations

import re
from collections.abc import Iterable
from email.utils import format_datetime
from xml.etree.ElementTree import Element, SubElement, register_namespace, tostring

from winnow.publish.calendars.entry import Entry

CONTENT_TYPE = "application/rss+xml; charset=utf-8"
EVENT_MODULE = "http://purl.org/rss/1.0/modules/event/"
register_namespace("ev", EVENT_MODULE)
# What XML 1.0 §2.2 has no character for.
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render_rss(entries: Iterable[Entry], name: str, link: str, note: str = "") -> bytes:
    """`note` is for whoever subscribes: what the feed holds."""
    root = Element("rss", version="2.0")
    channel = SubElement(root, "channel")
    for tag, text in (("title", name), ("link", link), ("description", note or name)):
        _add(channel, tag, text)
    for entry in sorted(entries, key=lambda entry: (entry.updated_at, entry.id), reverse=True):
        _add_item(channel, entry)
    rendered: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return rendered


def _add_item(channel: Element, entry: Entry) -> None:
    item = SubElement(channel, "item")
    _add(item, "title", _title(entry))
    _add(item, "guid", entry.uid).set("isPermaLink", "false")
    _add(item, "pubDate", format_datetime(entry.updated_at))
    _add(item, "description", entry.description or _title(entry))
    _add(item, "category", entry.category)
    if entry.url:
        _add(item, "link", entry.url)
    _add(item, f"{{{EVENT_MODULE}}}startdate", _moment(entry))
    _add(item, f"{{{EVENT_MODULE}}}location", entry.place)


def _title(entry: Entry) -> str:
    hour = f" {entry.event_time}" if entry.has_hour else ""
    state = "" if entry.event_status == "scheduled" else f" ({entry.event_status.replace('_', ' ')})"
    return f"{entry.event_date.isoformat()}{hour}: {entry.title}{state}"


def _moment(entry: Entry) -> str:
    return entry.starts_at.isoformat() if entry.has_hour else entry.event_date.isoformat()


def _add(parent: Element, tag: str, text: str) -> Element:
    element = SubElement(parent, tag)
    element.text = _NO_CHARACTER.sub("", text)
    return element
