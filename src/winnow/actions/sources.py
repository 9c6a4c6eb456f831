"""Sources as people add, change, pause and trust them (C-003, P-092).

Everything is checked first (validation.py), stored by its own stage, and audited in the same transaction. The
caller brings a connection inside a transaction and says who is asking.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
from psycopg import AsyncConnection

from winnow.actions import validation
from winnow.actions.intake import Intake, check_change
from winnow.errors import InvalidInput
from winnow.observe import audit
from winnow.schedule import cadence
from winnow.schedule.queue import queue
from winnow.sources import retailers, sources
from winnow.sources.sources import Source
from winnow.store import trust

Connection = AsyncConnection[Any]


async def add(
    conn: Connection,
    actor: str,
    intake: Intake,
    *,
    name: str,
    url: str,
    kind: str = "offer",
    retailer: str | None = None,
    adapter_id: str | None = None,
    schedule: str | None = None,
    priority: int = 0,
    scrape_config: Mapping[str, Any] | None = None,
    tier_config: Mapping[str, Any] | None = None,
    locale: str | None = None,
    timezone: str | None = None,
    tier: str = "standard",
    deep_scrape_enabled: bool = False,
    default_latitude: float | None = None,
    default_longitude: float | None = None,
    notes: str | None = None,
) -> Source:
    """A retailer is made when the kind needs one (DESIGN §11.3). A new source is not eligible (P-094)."""
    _check_pair(default_latitude, default_longitude)
    checked = intake.check(url)
    kind = intake.kinds.get(kind).name
    new = sources.NewSource(
        name=validation.text(name, "name"),
        url=checked.url,
        domain=checked.domain,
        kind=kind,
        retailer_id=await _retailer(conn, intake, retailer, kind, checked),
        adapter_id=None if adapter_id is None else intake.adapter(adapter_id, kind),
        schedule=None if schedule is None else cadence.check_cron(schedule),
        priority=validation.priority(priority),
        scrape_config=validation.scrape_config(scrape_config or {}),
        tier_config=validation.tier_config(tier_config or {}),
        locale=validation.locale(locale),
        timezone=validation.timezone(timezone),
        tier=validation.tier(tier),
        deep_scrape_enabled=deep_scrape_enabled,
        default_latitude=validation.coordinate(default_latitude, "default_latitude", 90),
        default_longitude=validation.coordinate(default_longitude, "default_longitude", 180),
        notes=validation.notes(notes),
        created_by=actor,
    )
    made = await sources.add(conn, new)
    await audit.record(conn, actor, "source.added", "source", made.id, after=msgspec.structs.asdict(new))
    return made


async def find_or_add(conn: Connection, actor: str, intake: Intake, url: str, kind: str = "offer") -> Source:
    """Where a URL belongs that was given without a source: the one of its domain, made if need be."""
    checked, kind = intake.check(url), intake.kinds.get(kind).name
    await sources.lock(conn, checked.domain)
    there = await sources.of_domain(conn, checked.domain, kind)
    if there is not None:
        return there
    home = "/".join(checked.url.split("/", 3)[:3]) + "/"
    # Its domain is the name of the first one: what people type must go on meaning that.
    name = f"{checked.domain} {kind}s" if await sources.is_named(conn, checked.domain) else checked.domain
    return await add(conn, actor, intake, name=name, url=home, kind=kind)


async def update(conn: Connection, actor: str, intake: Intake, source_id: int, changes: Mapping[str, Any]) -> None:
    source = await sources.get(conn, source_id)
    if changes.keys() & {"default_latitude", "default_longitude"}:
        _check_pair(changes.get("default_latitude"), changes.get("default_longitude"))
    checked = {name: _check_change(intake, name, value, source.kind) for name, value in changes.items()}
    before, after = audit.changes(*await sources.update(conn, source_id, checked))
    if after:
        await audit.record(conn, actor, "source.updated", "source", source_id, before, after)


async def configure(
    conn: Connection, actor: str, intake: Intake, source_id: int, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Changes single entries of its `scrape_config` and leaves the others; None removes one. The config afterwards."""
    config = {**await sources.scrape_config(conn, source_id), **changes}
    kept = {name: value for name, value in config.items() if value is not None}
    await update(conn, actor, intake, source_id, {"scrape_config": kept})
    return kept


def _check_pair(latitude: float | None, longitude: float | None) -> None:
    if (latitude is None) != (longitude is None):
        raise InvalidInput("default_latitude and default_longitude are given together", field="default_latitude")


async def configure_tiers(
    conn: Connection, actor: str, intake: Intake, source_id: int, changes: Mapping[str, Any]
) -> dict[str, Any]:
    """Changes single entries of its `tier_config` and leaves the others; None removes one. The config afterwards."""
    config = {**await sources.tier_config(conn, source_id), **changes}
    kept = {name: value for name, value in config.items() if value is not None}
    await update(conn, actor, intake, source_id, {"tier_config": kept})
    return kept


async def readdress(conn: Connection, actor: str, intake: Intake, source_id: int, url: str) -> None:
    checked = intake.check(url)
    before, after = audit.changes(*await sources.readdress(conn, source_id, checked.url, checked.domain))
    if after:
        await audit.record(conn, actor, "source.updated", "source", source_id, before, after)


async def pause(conn: Connection, actor: str, source_id: int, paused: bool) -> bool:
    """Queued tasks wait with their source, or go on. Whether anything changed."""
    changed = await sources.pause(conn, source_id, paused)
    await queue.pause_source(conn, source_id, paused)
    if changed:
        action = "source.paused" if paused else "source.resumed"
        await audit.record(conn, actor, action, "source", source_id)
    return changed


async def change_trust(conn: Connection, actor: str, source_id: int, changes: Mapping[str, Any]) -> None:
    """Making a source eligible shows its scraped prices to consumers (P-092)."""
    before, after = audit.changes(*await trust.change(conn, source_id, changes, actor))
    if after:
        await audit.record(conn, actor, "source.trust_changed", "source", source_id, before, after)


async def _retailer(
    conn: Connection, intake: Intake, name: str | None, kind: str, checked: validation.CheckedTarget
) -> int | None:
    if name is None and not intake.kinds.get(kind).needs_retailer:
        return None
    named = checked.domain if name is None else validation.text(name, "retailer")
    return await retailers.ensure(conn, named, checked.domain, checked.url)


def _check_change(intake: Intake, name: str, value: Any, kind: str) -> Any:
    if name == "name":
        return validation.text(value, "name")
    if name == "adapter_id" and value is not None:
        return intake.adapter(value, kind)
    if name == "schedule" and value is not None:
        return cadence.check_cron(value)
    return check_change(name, value)
