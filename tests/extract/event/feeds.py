"""Bodies of feeds in the shape of real ones, and how tests read them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from winnow.extract.draft import Draft, Extracted, Extraction
from winnow.extract.event.event import extract_events
from winnow.extract.page import Page

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
HEAD = """<?xml version="1.0" encoding="UTF-8"?><rss version="2.0" xmlns:ev="http://purl.org/rss/1.0/modules/event/"
 xmlns:mec="http://webnus.net/rss/1.0/modules/mec/" xmlns:xcal="urn:ietf:params:xml:ns:xcal"
 xmlns:gd="http://schemas.google.com/g/2005" xmlns:georss="http://www.georss.org/georss"><channel>"""


def read(
    body: str | bytes | dict[str, Any] | list[Any], url: str = "https://venue.example/feed", media: str = "text/html"
) -> Extraction:
    text = json.dumps(body) if isinstance(body, dict | list) else body
    return extract_events(Page(url, text.encode() if isinstance(text, str) else text, NOW, content_type=media))


def found(
    body: str | bytes | dict[str, Any] | list[Any], url: str = "https://venue.example/feed", media: str = "text/html"
) -> Extracted:
    extraction = read(body, url, media)
    assert isinstance(extraction, Extracted), extraction
    return extraction


def plain(draft: Draft) -> dict[str, str]:
    return {field: values[0].raw for field, values in draft.values.items()}


def one(body: str | bytes | dict[str, Any] | list[Any]) -> dict[str, str]:
    [draft] = found(body).drafts
    return plain(draft)


def calendar(*events: str, head: str = "") -> str:
    body = "".join(f"BEGIN:VEVENT\r\n{event.strip()}\r\nEND:VEVENT\r\n" for event in events)
    return f"BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{head}{body}END:VCALENDAR\r\n".replace("\r\n", "\n").replace(
        "\n", "\r\n"
    )


def rss(*items: str, title: str = "Agenda De Kroon") -> str:
    return f"{HEAD}<title>{title}</title><language>nl</language>{''.join(f'<item>{item}</item>' for item in items)}</channel></rss>"
