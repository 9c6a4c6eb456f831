"""Decisions of a person about an event: a correction that stays, or that it is not shown."""

from __future__ import annotations

from typing import Any

from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, InvalidInput, NotFound
from winnow.store.events.place import area, cell
from winnow.store.events.row import Row, search_text
from winnow.store.events.write import encode, needs_matching
from winnow.vocabulary.event_categories import categories
from winnow.vocabulary.event_status import STATUSES

UPDATE = load("store/events/update.sql")
CORRECTABLE = (
    "title", "description", "venue_name", "category", "event_status", "sold_out", "organiser", "image_url", "url",
    "ticket_url", "latitude", "longitude",
)  # fmt: skip
_CORRECTED = "UPDATE events SET corrections = corrections || %s WHERE id = %s"
_CHANGE = "INSERT INTO event_changes (event_id, changes, cause, actor) VALUES (%s, %s, %s, %s)"
_STATUS = """
UPDATE events SET status = %s, gone_at = NULL, sequence = sequence + 1, updated_at = now() WHERE id = %s
"""

Connection = AsyncConnection[Any]


async def take(conn: Connection, event_id: int) -> Row:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute("SELECT * FROM events WHERE id = %s FOR UPDATE", (event_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no event {event_id}")
    return row


async def correct(conn: Connection, event_id: int, values: dict[str, Any], actor: str) -> tuple[Row, Row]:
    """Correct fields of an event; return the event as it is now and {field: [before, after]}. What its source says
    of these fields counts no more."""
    unknown = [name for name in values if name not in CORRECTABLE]
    if unknown:
        raise InvalidInput(f"{unknown[0]} cannot be corrected; these can: {', '.join(CORRECTABLE)}", field=unknown[0])
    for name, noun in (("title", "a title"), ("venue_name", "a place")):
        if name in values and not str(values[name] or "").strip():
            raise InvalidInput(f"an event has {noun}", field=name)
    for name, known in (("category", categories()), ("event_status", STATUSES)):
        if name in values and values[name] not in known:
            raise InvalidInput(f"no {name} {values[name]!r}; there are {', '.join(sorted(known))}", field=name)
    if ("latitude" in values) != ("longitude" in values):
        raise InvalidInput("latitude and longitude are corrected together", field="latitude")
    old = await take(conn, event_id)
    values = values | _point(values)
    changed = {name: [old[name], value] for name, value in values.items() if old[name] != value}
    if not changed:
        return old, {}
    row = old | values | {"sequence": old["sequence"] + 1, "sought": needs_matching(changed)}
    row["search_text"] = search_text(row)
    await conn.execute(UPDATE, {"rows": encode([row])})
    await conn.execute(_CORRECTED, (Jsonb(values), event_id))
    shown = {name: pair for name, pair in changed.items() if name in CORRECTABLE}
    await conn.execute(_CHANGE, (event_id, Jsonb(shown), "corrected", actor))
    return row, shown


def _point(values: dict[str, Any]) -> dict[str, Any]:
    """A person's coordinates are those of the house."""
    if "latitude" not in values:
        return {}
    latitude, longitude = float(values["latitude"]), float(values["longitude"])
    if not (-90 <= latitude <= 90 and -180 <= longitude <= 180):
        raise InvalidInput("these are no coordinates", field="latitude")
    return {"precision": "exact", "location_flagged": False, "cell": cell(latitude, longitude),
            "area": area(latitude, longitude)}  # fmt: skip


async def set_hidden(conn: Connection, event_id: int, actor: str, *, hidden: bool) -> Row:
    old = await take(conn, event_id)
    status = "hidden" if hidden else "published"
    if old["status"] == status:
        raise Conflict(f"event {event_id} is {status} already", existing=status)
    await conn.execute(_STATUS, (status, event_id))
    cause = "hidden" if hidden else "restored"
    await conn.execute(_CHANGE, (event_id, Jsonb({"status": [old["status"], status]}), cause, actor))
    return old | {"status": status, "sequence": old["sequence"] + 1}
