"""Messages about events, for the outbox: written in the transaction of the change itself (R-02)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from winnow.publish import outbox
from winnow.store.events.row import Row
from winnow.store.events.write import Written

CREATED = "event.created"
CHANGED = "event.changed"
CANCELLED = "event.cancelled"
GONE = "event.gone"
MERGED = "event.merged"
UNMERGED = "event.unmerged"


def messages_of(written: Written) -> Iterator[outbox.Message]:
    """What one stored record gives to say."""
    if written.event_id is None or not (written.created or written.changes):
        return
    body = event_body(written.event_id, written.row)
    key = f"event:{written.event_id}"
    if written.created:
        yield outbox.Message(CREATED, key, body)
    else:
        yield outbox.Message(CHANGED, key, body | {"changes": to_json(written.changes), "cause": written.cause})
    status = written.changes.get("event_status")
    if written.row["event_status"] == "cancelled" and (written.created or status is not None):
        yield outbox.Message(CANCELLED, key, body)


def changed(event_id: int, row: Row, changes: Mapping[str, Any], cause: str) -> outbox.Message:
    """A change that no page made: a person's, or one of the place."""
    body = event_body(event_id, row)
    return outbox.Message(CHANGED, f"event:{event_id}", body | {"changes": to_json(changes), "cause": cause})


def gone(event_id: int, row: Row) -> outbox.Message:
    return outbox.Message(GONE, f"event:{event_id}", event_body(event_id, row))


def merged(kept_id: int, merged_id: int, reason: str, decided_by: str) -> outbox.Message:
    return outbox.Message(MERGED, f"event:{kept_id}", _pair(kept_id, merged_id, reason, decided_by))


def unmerged(kept_id: int, merged_id: int, decided_by: str) -> outbox.Message:
    return outbox.Message(UNMERGED, f"event:{kept_id}", _pair(kept_id, merged_id, "undone", decided_by))


def _pair(kept_id: int, merged_id: int, reason: str, decided_by: str) -> dict[str, Any]:
    return {"event_id": kept_id, "merged_id": merged_id, "reason": reason, "decided_by": decided_by}


def event_body(event_id: int, row: Row) -> dict[str, Any]:
    """What every message about an event says of it."""
    body = {
        "event_id": event_id,
        "source_id": row["source_id"],
        "title": row["title"],
        "event_date": row["event_date"],
        "event_time": row["event_time"],
        "starts_at": row["starts_at"],
        "venue_name": row["venue_name"],
        "event_status": row["event_status"],
        "url": row["url"],
    }
    return to_json(body)


def to_json(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _plain(value) for name, value in fields.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(one) for one in value]
    return value.isoformat() if hasattr(value, "isoformat") else value
