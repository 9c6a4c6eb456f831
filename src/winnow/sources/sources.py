"""Sources: what may be watched, and how. The only writer of `sources` besides what visits learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from psycopg import AsyncConnection, sql
from psycopg.rows import class_row, dict_row
from psycopg.types.json import Jsonb

from winnow.errors import Conflict, InvalidInput, NotFound

Connection = AsyncConnection[Any]

LARGEST_ID = 2**63 - 1
# Advisory locks share one number space per database; this one spells "WINS", for sources (DESIGN §11.21).
LOCK_SPACE = 0x57494E53


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What the rest of intake needs to know about a source."""

    id: int
    name: str
    url: str
    domain: str
    kind: str
    retailer_id: int | None
    adapter_id: str | None
    schedule: str | None
    enabled: bool
    paused: bool


class NewSource(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    url: str
    domain: str
    kind: str = "offer"
    retailer_id: int | None = None
    adapter_id: str | None = None
    schedule: str | None = None
    priority: int = 0
    scrape_config: dict[str, Any] = {}
    tier_config: dict[str, Any] = {}
    locale: str | None = None
    timezone: str | None = None
    tier: str = "standard"
    deep_scrape_enabled: bool = False
    default_latitude: float | None = None
    default_longitude: float | None = None
    notes: str | None = None
    created_by: str | None = None
    enabled: bool = True
    discovery_confidence: float | None = None
    needs_review: bool = False
    review_reason: str | None = None


# What a person may change later; identity (kind, retailer) is fixed once prices hang on it.
CHANGEABLE = frozenset(
    {
        "name",
        "adapter_id",
        "schedule",
        "priority",
        "scrape_config",
        "tier_config",
        "notes",
        "enabled",
        "robots_compliant",
        "tos_reviewed_at",
        "tos_approved_by",
        "timezone",
        "locale",
        "tier",
        "deep_scrape_enabled",
        "default_latitude",
        "default_longitude",
    }
)

_COLUMNS = "id, name, url, domain, kind, retailer_id, adapter_id, schedule, enabled, paused"
_ADD = f"""
INSERT INTO sources (name, url, domain, kind, retailer_id, adapter_id, schedule, priority, scrape_config,
                     tier_config, locale, timezone, tier, deep_scrape_enabled, default_latitude, default_longitude,
                     notes, created_by, enabled, discovery_confidence, needs_review, review_reason)
VALUES (%(name)s, %(url)s, %(domain)s, %(kind)s, %(retailer_id)s, %(adapter_id)s, %(schedule)s, %(priority)s,
        %(scrape_config)s, %(tier_config)s, %(locale)s, %(timezone)s, %(tier)s, %(deep_scrape_enabled)s,
        %(default_latitude)s, %(default_longitude)s, %(notes)s, %(created_by)s, %(enabled)s, %(discovery_confidence)s,
        %(needs_review)s, %(review_reason)s)
RETURNING {_COLUMNS}
"""


async def add(conn: Connection, new: NewSource) -> Source:
    """A source of the same name and kind is a Conflict that names it; names are how people say which."""
    await lock(conn, new.name)
    existing = await _named(conn, new.name, new.kind)
    if existing:
        raise Conflict(f"there is a source {new.name!r} already", existing=str(existing[0].id))
    stored = {"scrape_config": Jsonb(new.scrape_config), "tier_config": Jsonb(new.tier_config)}
    given = {**msgspec.structs.asdict(new), **stored}
    async with conn.cursor(row_factory=class_row(Source)) as cursor:
        await cursor.execute(_ADD, given)
        made = await cursor.fetchone()
    assert made is not None
    return made


async def _free_name(conn: Connection, source_id: int, name: str) -> None:
    await lock(conn, name)
    for other in await _named(conn, name, (await get(conn, source_id)).kind):
        raise Conflict(f"there is a source {name!r} already", existing=str(other.id))


async def lock(conn: Connection, name: str) -> None:
    """Until the end of the transaction nobody else adds a source of this name."""
    await conn.execute("SELECT pg_advisory_xact_lock(%s, hashtext(%s))", (LOCK_SPACE, name))


async def get(conn: Connection, source_id: int) -> Source:
    found = await _select(conn, "id = %(id)s", {"id": min(source_id, LARGEST_ID)})
    if not found:
        raise NotFound(f"there is no source {source_id}")
    return found[0]


async def find(conn: Connection, which: str) -> Source:
    """By id or by name; NotFound or, when a name means several, Conflict."""
    wanted = which.strip()
    if wanted.isascii() and wanted.isdigit() and len(wanted) < 20:
        return await get(conn, int(wanted))
    found = await _named(conn, wanted, None)
    if len(found) > 1:
        raise Conflict(f"{wanted!r} means {len(found)} sources: name one by its id", existing=str(found[0].id))
    if not found:
        raise NotFound(f"there is no source {wanted!r}")
    return found[0]


async def is_named(conn: Connection, name: str) -> bool:
    """Whether a source of any kind has this name."""
    return bool(await _named(conn, name, None))


async def scrape_config(conn: Connection, source_id: int) -> dict[str, Any]:
    """How its pages are fetched and read, as stored; locked, so that two changes of single entries both count."""
    found = await conn.execute("SELECT scrape_config FROM sources WHERE id = %s FOR UPDATE", (source_id,))
    row = await found.fetchone()
    return dict(row[0] or {}) if row is not None else {}


async def reading_of(conn: Connection, source_id: int) -> dict[str, str | None]:
    """What is set about how its pages write numbers, dates and times."""
    found = await conn.execute("SELECT locale, timezone FROM sources WHERE id = %s", (source_id,))
    row = await found.fetchone()
    return {"locale": None, "timezone": None} if row is None else {"locale": row[0], "timezone": row[1]}


async def tier_config(conn: Connection, source_id: int) -> dict[str, Any]:
    """Locked, so that two changes of single entries both count."""
    found = await conn.execute("SELECT tier_config FROM sources WHERE id = %s FOR UPDATE", (source_id,))
    row = await found.fetchone()
    return dict(row[0] or {}) if row is not None else {}


async def agenda_of(conn: Connection, source_id: int) -> dict[str, Any]:
    """What is set about how its agenda is read."""
    query = (
        "SELECT tier, deep_scrape_enabled, coalesce((tier_config -> 'feedGuessing')::boolean, false) AS feed_guessing, "
        "default_latitude, default_longitude FROM sources WHERE id = %s"
    )
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, (source_id,))
        return await cursor.fetchone() or {}


async def tiers(conn: Connection, source_id: int) -> list[str]:
    """The ways its pages may be fetched; none named: every one."""
    found = await conn.execute("SELECT tier_config -> 'tiers' FROM sources WHERE id = %s", (source_id,))
    row = await found.fetchone()
    return list(row[0]) if row is not None and row[0] else []


async def unreviewed(conn: Connection, source_id: int, gated: Sequence[str]) -> str | None:
    """P-103: one of these adapters that a target of the source uses while its terms were not reviewed; None when
    there is nothing in the way."""
    found = await conn.execute(
        "SELECT t.adapter_id FROM sources AS s JOIN scrape_targets AS t ON t.source_id = s.id "
        "WHERE s.id = %s AND (s.tos_reviewed_at IS NULL OR s.tos_approved_by IS NULL) AND t.adapter_id = ANY(%s) "
        "LIMIT 1",
        (source_id, list(gated)),
    )
    row = await found.fetchone()
    return None if row is None else str(row[0])


async def of_domain(conn: Connection, domain: str, kind: str) -> Source | None:
    """The oldest direct source of a domain, which is where a watched URL of it belongs."""
    query = "domain = %(domain)s AND kind = %(kind)s AND source_kind = 'DIRECT'"
    found = await _select(conn, query, {"domain": domain, "kind": kind})
    return found[0] if found else None


async def update(conn: Connection, source_id: int, changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Changes the named columns and returns them as they were and as they are."""
    unknown = set(changes) - CHANGEABLE
    if unknown:
        raise InvalidInput(f"a source has no field {sorted(unknown)[0]!r} that can be changed")
    before = await _row(conn, source_id, changes)
    if not changes:
        return {}, {}
    if changes.get("name", before.get("name")) != before.get("name"):
        await _free_name(conn, source_id, changes["name"])
    values = {name: Jsonb(v) if isinstance(v, dict) else v for name, v in changes.items()}
    assignments = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Placeholder(name)) for name in values
    )
    query = sql.SQL("UPDATE sources SET {}, updated_at = now() WHERE id = {}").format(
        assignments, sql.Placeholder("source_id")
    )
    await conn.execute(query, {**values, "source_id": source_id})
    return before, dict(changes)


async def pause(conn: Connection, source_id: int, paused: bool) -> bool:
    """Whether that changed anything. What is queued is the queue's business (schedule/queue/queue.py)."""
    changed = await conn.execute(
        "UPDATE sources SET paused = %s, updated_at = now() WHERE id = %s AND paused <> %s",
        (paused, source_id, paused),
    )
    if changed.rowcount == 0:
        await _row(conn, source_id, ())
    return changed.rowcount > 0


async def _row(conn: Connection, source_id: int, names: Any) -> dict[str, Any]:
    """The named columns of a source, which stays locked until the transaction ends."""
    columns = sql.SQL(", ").join(sql.Identifier(n) for n in ("id", *names))
    query = sql.SQL("SELECT {} FROM sources WHERE id = %s FOR UPDATE").format(columns)
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, (source_id,))
        row = await cursor.fetchone()
    if row is None:
        raise NotFound(f"there is no source {source_id}")
    return {name: row[name] for name in names}


async def _named(conn: Connection, name: str, kind: str | None) -> list[Source]:
    query = "name = %(name)s AND (%(kind)s::text IS NULL OR kind = %(kind)s)"
    return await _select(conn, query, {"name": name, "kind": kind})


async def _select(conn: Connection, where: Any, given: dict[str, Any]) -> list[Source]:
    async with conn.cursor(row_factory=class_row(Source)) as cursor:
        await cursor.execute(f"SELECT {_COLUMNS} FROM sources WHERE {where} ORDER BY id", given)
        return await cursor.fetchall()


async def readdress(conn: Connection, source_id: int, url: str, domain: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """The address of a shop whose offers come by a feed; as they were and as they are. Targets have their own."""
    now = {"url": url, "domain": domain}
    before = await _row(conn, source_id, now)
    await conn.execute(
        "UPDATE sources SET url = %(url)s, domain = %(domain)s, updated_at = now() WHERE id = %(id)s",
        {**now, "id": source_id},
    )
    return before, now


async def make_affiliate(conn: Connection, source_id: int, values: Mapping[str, Any]) -> None:
    """The source earns by a feed (F-021): its network, account and tracking template."""
    known = {n: values.get(n) for n in ("network", "account_id", "account_name", "tracking_template")}
    await conn.execute(
        "UPDATE sources SET source_kind = 'AFFILIATE_FEED', affiliate_network = %(network)s, "
        "affiliate_account_id = %(account_id)s, affiliate_account_name = %(account_name)s, "
        "affiliate_tracking_template = %(tracking_template)s, updated_at = now() WHERE id = %(id)s",
        {**known, "id": source_id},
    )


async def set_affiliate_network(conn: Connection, source_id: int, network: str) -> None:
    """The source follows its feed to another network (F-021)."""
    await conn.execute(
        "UPDATE sources SET affiliate_network = %s, updated_at = now() WHERE id = %s", (network, source_id)
    )


async def set_display_primary(conn: Connection, source_id: int) -> None:
    """F-110, inside the caller's transaction: the retailer's other sources are no longer it, this one is."""
    await conn.execute(
        "UPDATE sources SET is_display_primary = false, updated_at = now() WHERE is_display_primary AND id <> %(id)s "
        "AND retailer_id = (SELECT retailer_id FROM sources WHERE id = %(id)s)",
        {"id": source_id},
    )
    done = await conn.execute(
        "UPDATE sources SET is_display_primary = true, updated_at = now() WHERE id = %s AND retailer_id IS NOT NULL",
        (source_id,),
    )
    if done.rowcount != 1:
        raise NotFound(f"there is no source {source_id} with a retailer")
