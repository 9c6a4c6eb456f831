"""Alerts that a person has to act on (P-099, E-083): one open row per key, repeats are counted on it.

Messages leave by the outbox, in the transaction of the cause. Repeats are quiet: an alert that opens again soon after
it was notified is not notified again, one that stays open and keeps happening only after a while, and one that was
acknowledged or silenced not at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from winnow.errors import NotFound
from winnow.publish import outbox

Connection = AsyncConnection[Any]

ALERT_OPENED = "alert.opened"
ALERT_REPEATED = "alert.repeated"
ALERT_RESOLVED = "alert.resolved"
QUIET = timedelta(hours=1)
PAGE, SLACK, NOTE = "P1", "P2", "P3"  # P-099: who is disturbed

_RAISE = """
INSERT INTO alerts AS a (severity, code, dedupe_key, title, details, notified_at, silenced_until)
SELECT %(severity)s, %(code)s, %(key)s, %(title)s, %(details)s,
       CASE WHEN quiet.until IS NULL THEN coalesce(quiet.notified, now()) END, quiet.until
FROM (
    SELECT max(notified_at) FILTER (WHERE notified_at > now() - %(quiet)s) AS notified,
           max(silenced_until) FILTER (WHERE silenced_until > now()) AS until
    FROM alerts WHERE dedupe_key = %(key)s
) AS quiet
ON CONFLICT (dedupe_key) WHERE resolved_at IS NULL DO UPDATE
SET occurrences = a.occurrences + 1, last_seen_at = now(), title = excluded.title, details = excluded.details
WHERE NOT %(lasting)s OR a.details IS DISTINCT FROM excluded.details
RETURNING id, occurrences, coalesce(occurrences = 1 AND notified_at = now(), false) AS notified
"""
_REPEAT = """
UPDATE alerts SET notified_at = now()
WHERE resolved_at IS NULL AND acknowledged_at IS NULL AND coalesce(silenced_until <= now(), true) AND (
    (last_seen_at > coalesce(notified_at, opened_at) AND coalesce(notified_at, opened_at) <= now() - %s)
    OR (silenced_until IS NOT NULL AND coalesce(notified_at < silenced_until, true))
)
RETURNING id, severity, code, dedupe_key, title, details, occurrences, opened_at
"""
_RESOLVE = """
UPDATE alerts SET resolved_at = now(), resolved_by = %(actor)s
WHERE resolved_at IS NULL AND (dedupe_key = ANY(%(keys)s) OR id = ANY(%(ids)s))
RETURNING id, severity, code, dedupe_key, title, details,
    coalesce(notified_at >= opened_at, silenced_until IS NULL) AND coalesce(silenced_until <= now(), true) AS notified
"""
_ACKNOWLEDGE = """
UPDATE alerts SET acknowledged_at = coalesce(acknowledged_at, now()),
                  acknowledged_by = coalesce(acknowledged_by, %(actor)s)
WHERE id = ANY(%(ids)s) AND resolved_at IS NULL RETURNING id
"""
_SILENCE = """
UPDATE alerts SET silenced_until = CASE WHEN %(until)s > interval '0' THEN now() + %(until)s END
WHERE id = ANY(%(ids)s) AND resolved_at IS NULL RETURNING id
"""
_FORGET = """
DELETE FROM alerts WHERE id IN (
    SELECT id FROM alerts
    WHERE opened_at < now() - make_interval(secs => %(seconds)s)
        AND resolved_at < now() - make_interval(secs => %(seconds)s)
        AND coalesce(silenced_until <= now(), true)
    ORDER BY opened_at LIMIT %(n)s
)
"""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """`lasting`: a state that is looked at again and again; it counts as another occurrence only when its details
    have changed."""

    severity: str
    code: str
    key: str
    title: str
    details: dict[str, Any] = {}
    lasting: bool = False


async def open_alert(conn: Connection, alert: Alert) -> bool:
    """Open an alert or count one more occurrence; True when it is new. At most one message an hour and key."""
    given = {**msgspec.structs.asdict(alert), "details": Jsonb(alert.details), "quiet": QUIET}
    row = await (await conn.execute(_RAISE, given)).fetchone()
    if row is None:  # it lasts, as it was
        return False
    if row[2]:
        payload = {"alert_id": row[0], "severity": alert.severity, "code": alert.code, "title": alert.title,
                   "details": alert.details, **_source(alert.details)}  # fmt: skip
        await outbox.put(conn, [outbox.Message(ALERT_OPENED, f"alert:{alert.key}", payload)])
    return bool(row[1] == 1)


async def resolve(conn: Connection, actor: str, *, keys: Sequence[str] = (), ids: Sequence[int] = ()) -> list[int]:
    """Those that were open; their ids."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_RESOLVE, {"actor": actor, "keys": list(keys), "ids": list(ids)})
        rows = await cursor.fetchall()
    await outbox.put(conn, [_resolved(row, actor) for row in rows if row["notified"]])
    return sorted(row["id"] for row in rows)


async def repeat(conn: Connection, after: timedelta) -> int:
    """Notify again of open, unacknowledged alerts that keep happening; return how many."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_REPEAT, (after,))
        rows = await cursor.fetchall()
    await outbox.put(conn, [_repeated(row) for row in rows])
    return len(rows)


async def acknowledge(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """Mark alerts as acknowledged; they stay open."""
    rows = await (await conn.execute(_ACKNOWLEDGE, {"actor": actor, "ids": list(ids)})).fetchall()
    if not rows:
        raise NotFound("there is no open alert of that id")
    return sorted(row[0] for row in rows)


async def silence(conn: Connection, ids: Sequence[int], length: timedelta) -> list[int]:
    """Silence alerts for `length`, also when they close and open again; then open ones are notified. Zero ends a
    silence."""
    rows = await (await conn.execute(_SILENCE, {"ids": list(ids), "until": length})).fetchall()
    if not rows:
        raise NotFound("there is no open alert of that id")
    return sorted(row[0] for row in rows)


async def forget(conn: Connection, days: float, n: int = 10_000) -> int:
    """Those that were over so long ago; a silence that still holds is kept with its alert."""
    return (await conn.execute(_FORGET, {"seconds": days * 86_400, "n": n})).rowcount


def _repeated(row: dict[str, Any]) -> outbox.Message:
    payload = {name: row[name] for name in ("severity", "code", "title", "details", "occurrences")}
    payload |= {"alert_id": row["id"], "opened_at": row["opened_at"].isoformat(timespec="seconds")}
    payload |= _source(row["details"])
    return outbox.Message(ALERT_REPEATED, f"alert:{row['dedupe_key']}", payload)


def _resolved(row: dict[str, Any], actor: str) -> outbox.Message:
    payload = {"alert_id": row["id"], "severity": row["severity"], "code": row["code"], "title": row["title"],
               "resolved_by": actor, **_source(row["details"])}  # fmt: skip
    return outbox.Message(ALERT_RESOLVED, f"alert:{row['dedupe_key']}", payload)


def _source(details: dict[str, Any]) -> dict[str, Any]:
    """Return the source of the alert, if it has one: a receiver may be limited to some sources."""
    return {"source_id": details["source_id"]} if details.get("source_id") is not None else {}
