"""Writes accepted events: new ones, changed ones, those seen again, and repeats within their source.

Runs inside the commit's transaction, after the tasks were settled with their fences: what comes here is written once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import orjson
import structlog
from psycopg import AsyncConnection
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.store.events import venues
from winnow.store.events.place import Named, named, place_columns, stated
from winnow.store.events.revise import changes, completed, revised
from winnow.store.events.row import TBD, Accepted, Row, SourceFacts, content_row, search_text
from winnow.store.events.venues import Asked

FIND = load("store/events/find.sql")
REPEATS = load("store/events/find_repeats.sql")
INSERT = load("store/events/insert.sql")
UPDATE = load("store/events/update.sql")
SEEN = load("store/events/seen.sql")
CHANGED = load("store/events/add_changes.sql")
# Writers of one source take turns: which event a page means depends on what its other pages say.
LOCK = "SELECT pg_advisory_xact_lock(%s, source) FROM unnest(%s::integer[]) AS g (source)"
LOCK_SPACE = 0x77_65_76_73  # "wevs"
_SOURCES = """
SELECT id, name, timezone, default_latitude AS latitude, default_longitude AS longitude
FROM sources WHERE id = ANY(%s) FOR KEY SHARE
"""

_NO_PLACE = (
    "no place: the page names none, and the source has no coordinates of its own "
    "(`winnow sources set SOURCE --coordinates LATITUDE,LONGITUDE`)"
)

Connection = AsyncConnection[Any]
log = structlog.get_logger(__name__)


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a record. `lacks`: it cannot be shown without this, so it was not stored (E-113)."""

    event_id: int | None = None
    row: Row = {}
    created: bool = False
    duplicate: bool = False
    changes: dict[str, list[Any]] = {}
    cause: str | None = None
    lacks: str | None = None


async def lock_sources(conn: Connection, source_ids: Sequence[int]) -> None:
    """In one order, so that two transactions that need the same ones wait and never block each other."""
    await conn.execute(LOCK, (LOCK_SPACE, sorted({source_id % 2**31 for source_id in source_ids})))


async def write(conn: Connection, batch: Sequence[Accepted], *, incomplete: bool = False) -> list[Written]:
    """Write the batch in its order. `incomplete`: a person accepted it, so it is stored without a place as well."""
    if not batch:
        return []
    await lock_sources(conn, [one.source_id for one in batch])
    sources = await source_facts(conn, [one.source_id for one in batch])
    rows = await _rows(conn, batch, sources, incomplete)
    return await _store(conn, batch, rows)


async def source_facts(conn: Connection, source_ids: Sequence[int]) -> dict[int, SourceFacts]:
    async with conn.cursor(row_factory=class_row(SourceFacts)) as cursor:
        await cursor.execute(_SOURCES, (sorted(set(source_ids)),))
        return {source.id: source for source in await cursor.fetchall()}


async def _rows(
    conn: Connection, batch: Sequence[Accepted], sources: dict[int, SourceFacts], incomplete: bool
) -> list[Row | str]:
    """The row of each record, or what it lacks."""
    names = [named(one.record, sources[one.source_id]) if one.source_id in sources else None for one in batch]
    asked = {
        n: Asked(
            named=name, source_id=one.source_id, stated=stated(one.record), location=one.record.get("location") or {}
        )
        for n, (one, name) in enumerate(zip(batch, names, strict=True))
        if name is not None
    }
    found = dict(zip(asked, await venues.resolve(conn, list(asked.values())), strict=True))
    rows: list[Row | str] = []
    for n, one in enumerate(batch):
        source = sources.get(one.source_id)
        if source is None:
            log.warning("event_source_gone", source_id=one.source_id, key=one.key)  # E-076
            rows.append("its source was removed")
            continue
        rows.append(_row(one, source, asked.get(n), found.get(n), incomplete))
    return rows


def _row(
    one: Accepted, source: SourceFacts, asked: Asked | None, venue: venues.Venue | None, incomplete: bool
) -> Row | str:
    if asked is None:
        if not incomplete:
            return _NO_PLACE
        asked = Asked(named=Named(name=source.name, key="", town=None, town_key=""), source_id=source.id)
    place = venues.place_of(asked, venue, source)
    if place.coordinates is None and not incomplete:
        return "no coordinates: neither page nor venue nor source has any"
    row = content_row(one, source) | place_columns(asked.named, place, venue.id if venue else None, one.record)
    return row | {"search_text": search_text(row)}


async def _store(conn: Connection, batch: Sequence[Accepted], rows: Sequence[Row | str]) -> list[Written]:
    written: list[Written | None] = [Written(lacks=row) if isinstance(row, str) else None for row in rows]
    given = {n: row for n, row in enumerate(rows) if isinstance(row, dict)}
    known = await _known(conn, given)
    new = {n: row for n, row in given.items() if n not in known}
    repeats = await _repeats(conn, new)
    fresh = {n: row for n, row in new.items() if n not in repeats}
    first, again = _first_of_each(fresh)
    ids = await _insert(conn, [fresh[n] for n in first])
    for n in first:
        key = _identity(fresh[n])
        written[n] = Written(event_id=ids.get(key), row=fresh[n], created=key in ids, duplicate=key not in ids)
    for n, original in again.items():
        ours = ids.get(_identity(fresh[original]))
        written[n] = Written(event_id=ours, row=fresh[n], duplicate=True)
    updates = [_revision(n, known[n], given[n], batch[n]) for n in known]
    updates += [_completion(n, repeats[n], given[n], batch[n]) for n in repeats]
    for n, one in await _update(conn, updates):
        written[n] = one
    assert all(one is not None for one in written)
    return [one for one in written if one is not None]


class Revision(msgspec.Struct, frozen=True, kw_only=True):
    n: int
    old: Row
    row: Row
    changes: dict[str, list[Any]]
    duplicate: bool
    task_id: Any


def _revision(n: int, old: Row, new: Row, accepted: Accepted) -> Revision:
    row = revised(old, new, accepted.page_hash)
    return _finish(n, old, row, accepted, duplicate=False)


def _completion(n: int, old: Row, new: Row, accepted: Accepted) -> Revision:
    row = completed(old, new)
    return _finish(n, old, row, accepted, duplicate=True)


def _finish(n: int, old: Row, row: Row, accepted: Accepted, *, duplicate: bool) -> Revision:
    row = row | {"id": old["id"], "search_text": search_text(row), "last_seen_run_id": accepted.run_id}
    changed = changes(old, row)
    if old["status"] == "gone":
        changed["status"] = ["gone", "published"]
    return Revision(n=n, old=old, row=row, changes=changed, duplicate=duplicate, task_id=accepted.task_id)


async def _known(conn: Connection, rows: dict[int, Row]) -> dict[int, Row]:
    """The stored rows of these keys, locked in one order. Of two records of one key in a batch, both find it."""
    given = {
        "n": list(rows),
        "source_id": [row["source_id"] for row in rows.values()],
        "source_key": [row["source_key"] for row in rows.values()],
        "occurrence": [row["occurrence"] for row in rows.values()],
    }
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(FIND, given)
        return {found.pop("n"): found for found in await cursor.fetchall()}


async def _repeats(conn: Connection, rows: dict[int, Row]) -> dict[int, Row]:
    """E-069, E-074: the same title on the same day in the same source, at no other hour or place."""
    if not rows:
        return {}
    given = {
        "n": list(rows),
        "source_id": [row["source_id"] for row in rows.values()],
        "fingerprint": [row["event_fingerprint"] for row in rows.values()],
    }
    found: dict[int, Row] = {}
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(REPEATS, given)
        for old in await cursor.fetchall():
            n = old.pop("n")
            if n not in found and is_repeat(rows[n], old):
                found[n] = old
    return found


def is_repeat(new: Row, old: Row) -> bool:
    """Whether two records of one source with one fingerprint are the same event under two keys. Two that have
    addresses of their own may be two performances, of which one does not say when it begins; a list and the calendar
    of the same site (one by address, one by UID) are not, unless they name two addresses."""
    if new["source_key"] == old["source_key"]:
        return bool(new["starts_at"] == old["starts_at"] and new["event_time"] == old["event_time"])
    if new["venue_key"] and old["venue_key"] and new["venue_key"] != old["venue_key"]:
        return False
    if new["event_time"] == old["event_time"]:
        return True
    return TBD in (new["event_time"], old["event_time"]) and not _have_own_keys(new, old)


def _have_own_keys(new: Row, old: Row) -> bool:
    kinds = [row["source_key"].partition(":")[0] for row in (new, old)]
    if "KEY" in kinds:
        return False
    return kinds[0] == kinds[1] or bool(new["url"] and old["url"] and new["url"] != old["url"])


def _identity(row: Row) -> tuple[int, str, str]:
    return row["source_id"], row["source_key"], row["occurrence"]


def _first_of_each(rows: dict[int, Row]) -> tuple[list[int], dict[int, int]]:
    """The positions to insert, and of the repeats among them the position of what they repeat."""
    first: list[int] = []
    again: dict[int, int] = {}
    by_print: dict[tuple[int, str], list[int]] = {}
    for n, row in rows.items():
        alike = by_print.setdefault((row["source_id"], row["event_fingerprint"]), [])
        twin = next((m for m in alike if _identity(rows[m]) == _identity(row) or is_repeat(row, rows[m])), None)
        if twin is None:
            first.append(n)
            alike.append(n)
        else:
            again[n] = twin
    return first, again


async def _insert(conn: Connection, rows: Sequence[Row]) -> dict[tuple[int, str, str], int]:
    """The ids of what was inserted, by identity: a unique violation (E-075) is somebody else's row."""
    if not rows:
        return {}
    ordered = sorted(rows, key=_identity)
    found = await (await conn.execute(INSERT, {"rows": encode(ordered)})).fetchall()
    return {(source_id, key, occurrence): event_id for event_id, source_id, key, occurrence in found}


async def _update(conn: Connection, revisions: Sequence[Revision]) -> list[tuple[int, Written]]:
    """One revision an event: of several records of one batch the first, then what the others add."""
    latest: dict[int, Revision] = {}
    results = []
    for one in sorted(revisions, key=lambda r: (r.row["id"], r.duplicate, r.n)):
        latest.setdefault(one.row["id"], one)
    changed = [one for one in latest.values() if one.changes or not _same(one)]
    if changed:
        await conn.execute(UPDATE, {"rows": encode([_for_update(one) for one in changed])})
    await mark_listed(conn, [(one.row["id"], one.row["last_seen_run_id"]) for one in latest.values()])
    await add_changes(
        conn, [(o.row["id"], o.task_id, o.changes, cause_of(o.changes, o.old)) for o in latest.values() if o.changes]
    )
    for one in revisions:
        own = latest[one.row["id"]] is one
        results.append((one.n, Written(
            event_id=one.row["id"], row=one.row, duplicate=one.duplicate or not own,
            changes=one.changes if own else {}, cause=cause_of(one.changes, one.old) if own else None,
        )))  # fmt: skip
    return results


def _same(one: Revision) -> bool:
    return bool(one.old["digest"] == one.row["digest"] and one.old["event_fingerprint"] == one.row["event_fingerprint"])


def _for_update(one: Revision) -> Row:
    return one.row | {
        "sequence": one.old["sequence"] + (1 if one.changes else 0),
        "sought": needs_matching(one.changes),
    }


def needs_matching(changed: dict[str, list[Any]]) -> bool:
    """Whether other sources' events have to be compared with it anew."""
    return bool(changed.keys() & {"title", "event_date", "event_time", "starts_at", "venue_name", "latitude"})


def cause_of(changed: dict[str, list[Any]], old: Row) -> str | None:
    if not changed:
        return None
    if old["status"] == "gone":
        return "returned"
    if "event_date" in changed or ("starts_at" in changed and old["event_time"] != TBD):
        return "moved"
    return "renamed" if "title" in changed else "listed"


async def mark_listed(conn: Connection, seen: Sequence[tuple[int, int | None]]) -> None:
    """Mark events as listed, so neither missing nor gone."""
    if seen:
        ordered = sorted(dict(seen).items())
        await conn.execute(SEEN, {"id": [event for event, _ in ordered], "run_id": [run for _, run in ordered]})


async def add_changes(conn: Connection, changed: Sequence[tuple[int, Any, dict[str, list[Any]], str | None]]) -> None:
    if not changed:
        return
    given = {
        "event_id": [event for event, _, _, _ in changed],
        "task_id": [task for _, task, _, _ in changed],
        "changes": [Jsonb(fields) for _, _, fields, _ in changed],
        "cause": [cause or "listed" for _, _, _, cause in changed],
    }
    await conn.execute(CHANGED, given)


def encode(rows: Sequence[Row]) -> Jsonb:
    return Jsonb(orjson.Fragment(orjson.dumps(rows)))
