"""The row of `events` that a record makes. Pure: what other rows and the source say comes in as arguments."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, date, datetime, time, tzinfo
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from winnow.normalise.text import fold
from winnow.vocabulary.event_categories import UNKNOWN, categories

Row = dict[str, Any]
TBD = "TBD"

# What an event's reader sees: a change of one of these is a change of the event, and counts up its SEQUENCE.
VISIBLE = (
    "title", "description", "event_date", "event_time", "starts_at", "ends_at", "end_date", "time_zone", "doors",
    "timing", "recurrence", "category", "event_status", "sold_out", "venue_name", "structured_location", "latitude",
    "longitude", "online", "organiser", "performers", "price_low_minor", "price_high_minor", "currency", "image_url",
    "url", "ticket_url", "language",
)  # fmt: skip


class Accepted(msgspec.Struct, frozen=True, kw_only=True):
    """A record to be stored: its JSON, its key, and the visit it comes from."""

    record: Mapping[str, Any]
    key: str
    digest: str
    source_id: int
    task_id: UUID
    page_hash: str = ""
    page_id: UUID | None = None
    run_id: int | None = None
    target_id: int | None = None
    provenance: Mapping[str, str] = {}
    confidence: float = 1.0


class SourceFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the source itself says about the place and the clock of its events."""

    id: int
    name: str
    timezone: str | None = None
    latitude: float | None = None
    longitude: float | None = None


def split_key(key: str) -> tuple[str, str]:
    """(source key, occurrence) of `source_key@occurrence`; a UID may have an @ of its own."""
    source_key, at, occurrence = key.rpartition("@")
    return (source_key, occurrence) if at else (key, "")


def fingerprint(title: str, day: date, source_id: int) -> str:
    """What two readings of one event in one source have in common (E-068)."""
    return hashlib.sha256(f"{title}|{day.isoformat()}|{source_id}".encode()).hexdigest()


def content_row(accepted: Accepted, source: SourceFacts) -> Row:
    """Everything but the place."""
    record, get = accepted.record, accepted.record.get
    zone = get("time_zone") or source.timezone
    starts_at, event_date, hour = _start(str(record["start"]), get("event_date"), get("event_time"), zone)
    ends_at, end_date = _end(get("end"), get("end_date"), zone)
    price = get("price") or {}
    source_key, occurrence = split_key(accepted.key)
    return {
        "source_id": accepted.source_id,
        "source_key": source_key,
        "occurrence": occurrence,
        "record_key": accepted.key,
        "event_fingerprint": fingerprint(record["title"], event_date, accepted.source_id),
        "digest": accepted.digest,
        "target_id": accepted.target_id,
        "page_id": accepted.page_id,
        "task_id": accepted.task_id,
        "title": record["title"],
        "description": get("description") or "",
        "event_date": event_date,
        "event_time": hour,
        "starts_at": starts_at,
        "ends_at": ends_at if ends_at is not None and ends_at >= starts_at else None,
        "end_date": end_date if end_date is not None and end_date >= event_date else None,
        "time_zone": get("time_zone"),
        "doors": get("doors"),
        "timing": get("timing") or "single",
        "recurrence": get("recurrence"),
        "structured_date": {name: record[name] for name in _DATE_PARTS if get(name) is not None},
        "category": _category(get("category")),
        "event_status": get("status") or "scheduled",
        "sold_out": get("sold_out"),
        "online": get("online"),
        "organiser": get("organiser"),
        "performers": list(get("performers") or []),
        "price_low_minor": price.get("low_minor"),
        "price_high_minor": price.get("high_minor"),
        "currency": price.get("currency"),
        "image_url": _text(get("image_url")),
        "url": _text(get("url")),
        "ticket_url": _text(get("ticket_url")),
        "uid": get("uid"),
        "language": get("language"),
        "confidence": accepted.confidence,
        "normalization_method": get("normalization_method") or "rules",
        "provenance": dict(accepted.provenance) | {STATUS_PAGE: accepted.page_hash if get("status") else None},
        "last_seen_run_id": accepted.run_id,
    }


_DATE_PARTS = ("start", "end", "dates", "doors", "timing", "recurrence", "inferred")
STATUS_PAGE = "status_page"  # the page that stated the status: only its silence takes the status back


def search_text(row: Row) -> str:
    place = row.get("structured_location") or {}
    words = [row["title"], row["venue_name"], place.get("city"), row["organiser"], *row["performers"]]
    return fold(" ".join(word for word in words if word))[:2_000]


def _category(stated: str | None) -> str:
    """E-063: what is none of the ten is of the community."""
    return stated if stated in categories() else UNKNOWN


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _start(start: str, day: str | None, hour: str | None, zone: str | None) -> tuple[datetime, date, str]:
    """The moment, the local day, and the local hour or TBD."""
    if len(start) == 10:
        local = date.fromisoformat(start)
        return datetime.combine(local, time.min, _zone(zone)), local, TBD
    moment = datetime.fromisoformat(start)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(zone))
    local = date.fromisoformat(day) if day else moment.date()
    return moment, local, hour or moment.strftime("%H:%M")


def _end(end: str | None, day: str | None, zone: str | None) -> tuple[datetime | None, date | None]:
    last = date.fromisoformat(day) if day else None
    if not end:
        return None, last
    if len(end) == 10:
        return None, last or date.fromisoformat(end)
    moment = datetime.fromisoformat(end)
    return (moment if moment.tzinfo else moment.replace(tzinfo=_zone(zone))), last or moment.date()


def _zone(name: str | None) -> tzinfo:
    try:
        return ZoneInfo(name) if name else UTC
    except (ZoneInfoNotFoundError, ValueError):
        return UTC
