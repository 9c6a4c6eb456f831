"""Lists of events as documents: iCalendar, RSS and schema.org. A program that asks again with the ETag of its copy is
answered 304 as long as nothing has changed."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

import orjson
from fastapi import Request
from msgspec.structs import replace
from starlette.responses import Response

from winnow.actions.parts import Parts
from winnow.api.documented import Responses
from winnow.publish.calendars import ics, rss
from winnow.publish.calendars.entry import Entry
from winnow.publish.calendars.json_ld import as_json_ld
from winnow.queries.events import lists
from winnow.queries.events.lists import Filters
from winnow.queries.reading import reader

MAX_ENTRIES = 2_000  # programs that subscribe fetch all of it each time
KEPT_DAYS = 30  # past events stay in a calendar for a month, so that it does not forget what was yesterday
_NARROWER = "A narrower filter shows all of its own."
LATER_LEFT_OUT = f"The next {MAX_ENTRIES:,} events; later ones are left out. {_NARROWER}"
PAST_LEFT_OUT = f"Events to come; those that are over are left out. {_NARROWER}"
TYPES = {"ics": ics.CONTENT_TYPE, "rss": rss.CONTENT_TYPE, "jsonld": "application/ld+json"}
MAX_AGE = 900  # seconds a copy may be used without asking


def documented(media_type: str = "") -> Responses:
    """What the OpenAPI text says of a document."""
    found: Responses = {304: {"description": "Nothing changed since the copy whose ETag was sent."}}
    return found | {200: {"content": {media_type: {}}}} if media_type else found


async def answer(parts: Parts, request: Request, wanted: Filters, form: str, name: str) -> Response:
    """`form` is one of TYPES."""
    entries, note = await _entries(parts, wanted)
    body = _render(entries, form, name, note, str(request.url.replace(query="")))
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": f"private, max-age={MAX_AGE}"}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=TYPES[form], headers=headers)


async def _entries(parts: Parts, wanted: Filters) -> tuple[list[Entry], str]:
    """The events, and what a calendar that cannot hold all of them says of itself."""
    now = datetime.now(UTC)
    async with reader(parts.database) as conn:
        since = wanted.since or now - timedelta(days=KEPT_DAYS)
        found, following = await lists.listed(conn, replace(wanted, since=since), limit=MAX_ENTRIES)
        note = LATER_LEFT_OUT if following else ""
        if following and since < now:  # those that are over leave their place to those to come
            found, following = await lists.listed(conn, replace(wanted, since=now), limit=MAX_ENTRIES)
            note = LATER_LEFT_OUT if following else PAST_LEFT_OUT
    return [Entry.of(row) for row in found], note


def _render(entries: list[Entry], form: str, name: str, note: str, link: str) -> bytes:
    if form == "ics":
        return ics.render_ics(entries, name, note)
    if form == "rss":
        return rss.render_rss(entries, name, link, note)
    return orjson.dumps([as_json_ld(entry) for entry in entries])
