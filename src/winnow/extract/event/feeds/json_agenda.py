"""JSON that a server answers with -> drafts: calendars' REST answers, Squarespace, Google, Ticketmaster, views of Drupal,
JSON Feed, and schema.org objects."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urljoin

from winnow.extract.candidates import Collected
from winnow.extract.draft import Link, Role, Strategy
from winnow.extract.event.event_words import EVENT_URL
from winnow.extract.event.feeds.days_in_words import add_days_in_words
from winnow.extract.event.feeds.field_names import plain_name
from winnow.extract.event.feeds.found import Found
from winnow.extract.event.feeds.json_fields import block_of
from winnow.extract.event.feeds.json_objects import event_objects
from winnow.extract.event.feeds.json_values import text_of
from winnow.extract.event.feeds.sniff import decode, json_start
from winnow.extract.event.terms import AGENDA
from winnow.extract.page import Page

MAX_DRAFTS = 2_000  # what a page may have (kinds/assess.py)
_LISTS = (
    "events",
    "items",
    "upcoming",
    "past",
    "data",
    "results",
    "value",
    "records",
    "entries",
    "embedded",
    "rows",
    "nodes",
    "agenda",
)
_NEXT = ("nextresturl", "next", "nextpageurl", "nextpage", "nexturl")


def read_json(page: Page) -> Found:
    found = Found()
    data = _decoded(page)
    if data is None:
        found.notes.append("not JSON")
        return found
    if _is_json_feed(data):
        _read_feed_items(found, data, page)
    else:
        read = event_objects(data, "$", Strategy.FEED)
        for event, node in read[:MAX_DRAFTS]:
            found.add(event, block_of(node))
        if len(read) > MAX_DRAFTS:
            found.skip("too many events", len(read) - MAX_DRAFTS)
    found.links += _next_pages(data, page.url)
    if not found.drafts and _is_empty_list(data):
        found.empty = "the answer lists no events"
    return found


def _decoded(page: Page) -> Any:
    text = decode(page.body, page)
    at = json_start(text)
    if at is None:
        return None
    try:
        return json.loads(text[at:], strict=False)
    except (ValueError, RecursionError):
        return None


def _is_json_feed(data: Any) -> bool:
    return isinstance(data, dict) and "jsonfeed.org" in str(data.get("version", ""))


def _read_feed_items(found: Found, data: dict[str, Any], page: Page) -> None:
    items = [item for item in data.get("items") or [] if isinstance(item, dict)][:MAX_DRAFTS]
    read = [_feed_item(item) for item in items]
    agenda = AGENDA.search(text_of(data.get("title"))) or EVENT_URL.search(page.url)
    if agenda and not any(into.has("start") for into in read):
        add_days_in_words(
            read,
            [text_of(item.get("content_html") or item.get("content_text") or item.get("summary")) for item in items],
        )
    if not agenda and not any(into.has("start") for into in read):
        found.notes.append("no entry says the day of an event")
        return
    for into, item in zip(read, items, strict=True):
        if not into.has("start") and into.has("url"):
            found.links.append(Link(into.values["url"][0].raw, Role.DETAIL, len(found.drafts)))
        if into.has("title"):
            found.add(into, block_of(item), text_of(item.get("language") or data.get("language")))
    if not items:
        found.empty = "the feed has no entries"


def _feed_item(item: dict[str, Any]) -> Collected:
    """An item of JSON Feed; an extension (`_event`) may say the day."""
    own = {key: value for key, value in item.items() if not key.startswith(("_", "date_", "author"))}
    for extension in (value for key, value in item.items() if key.startswith("_") and isinstance(value, dict)):
        own |= {key: value for key, value in extension.items() if key not in own}
    found = event_objects(own, "item", Strategy.FEED)
    if found:
        return found[0].event
    into = Collected()
    into.add("title", text_of(item.get("title")), Strategy.FEED, "item.title")
    into.add("url", text_of(item.get("url") or item.get("external_url")), Strategy.FEED, "item.url")
    into.add(
        "description",
        text_of(item.get("content_html") or item.get("content_text") or item.get("summary")),
        Strategy.FEED,
        "item.content",
    )
    into.add("image_url", text_of(item.get("image") or item.get("banner_image")), Strategy.FEED, "item.image")
    return into


def _next_pages(data: Any, url: str) -> list[Link]:
    """Where the answer says that it goes on."""
    if not isinstance(data, dict):
        return []
    parts = [data, *(data.get(key) for key in ("links", "_links", "pagination", "paging", "meta"))]
    for part in (part for part in parts if isinstance(part, dict)):
        for key, value in part.items():
            target = value.get("href") if isinstance(value, dict) else value
            if plain_name(str(key)) in _NEXT and isinstance(target, str) and target.startswith(("http", "/", "?")):
                return [Link(urljoin(url, target.replace("{&sort}", "")), Role.NEXT_PAGE)]
    return []


def _is_empty_list(data: Any) -> bool:
    if isinstance(data, list):
        return not data
    lists = [value for key, value in data.items() if plain_name(str(key)) in _LISTS] if isinstance(data, dict) else []
    return bool(lists) and all(value in ([], {}) for value in lists)
