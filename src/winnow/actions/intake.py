"""The one place where something a person gives becomes a source or a target.

Everything is checked first (validation.py), stored by its own stage, and audited in the same transaction. The
caller brings a connection inside a transaction and says who is asking.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.actions import validation
from winnow.errors import Conflict, InvalidInput
from winnow.extract.adapter import Registry
from winnow.fetch.egress.allow import AllowList
from winnow.observe import audit
from winnow.schedule import cadence
from winnow.sources import retailers, sources, targets
from winnow.sources.sources import Source
from winnow.sources.targets import NewTarget

if TYPE_CHECKING:
    from winnow.kinds.registry import Kinds

Connection = AsyncConnection[Any]

DAILY = timedelta(days=1)  # C-018: what a target gets when neither it nor its source says anything
WATCH_EVERY = timedelta(hours=4)  # P-057's example; for `winnow watch`


class Cadence(msgspec.Struct, frozen=True, kw_only=True):
    """When a target is visited. Cron wins over an interval; `by_hand` means never by itself. `first_at`
    None: a cron starts at its next time, an interval now."""

    schedule: str | None = None
    every: timedelta | None = None
    by_hand: bool = False
    first_at: datetime | None = None


class Watched(msgspec.Struct, frozen=True):
    """`created` False: the URL was watched already, as this target."""

    source_id: int
    target_id: int
    created: bool


class Intake:
    """`allow` are the hosts the operator opened on purpose, `adapters` those a target may name."""

    def __init__(self, allow: AllowList, adapters: Callable[[], Registry]) -> None:
        """The adapters are asked for when first needed: they import every parser, which takes a command a second."""
        self.allow = allow
        self._make_adapters = adapters

    @cached_property
    def _adapters(self) -> Registry:
        return self._make_adapters()

    @cached_property
    def _kinds(self) -> Kinds:
        from winnow.kinds.registry import all_kinds

        return all_kinds()

    def check(self, url: str) -> validation.CheckedTarget:
        """UrlRefused for what may not be stored (R-12)."""
        return validation.url(url, self.allow)

    # sources

    async def add_source(
        self,
        conn: Connection,
        actor: str,
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
        notes: str | None = None,
    ) -> Source:
        """A retailer is made when the kind needs one (DESIGN §11.3). A new source is not eligible (P-094)."""
        checked = self.check(url)
        kind = self._kinds.get(kind).name
        new = sources.NewSource(
            name=validation.text(name, "name"),
            url=checked.url,
            domain=checked.domain,
            kind=kind,
            retailer_id=await self._retailer(conn, retailer, kind, checked),
            adapter_id=None if adapter_id is None else self._adapter(adapter_id, kind),
            schedule=None if schedule is None else cadence.check_cron(schedule),
            priority=validation.priority(priority),
            scrape_config=validation.scrape_config(scrape_config or {}),
            tier_config=validation.tier_config(tier_config or {}),
            locale=validation.locale(locale),
            timezone=validation.timezone(timezone),
            notes=validation.notes(notes),
            created_by=actor,
        )
        made = await sources.add(conn, new)
        await audit.record(conn, actor, "source.added", "source", made.id, after=msgspec.structs.asdict(new))
        return made

    async def update_source(self, conn: Connection, actor: str, source_id: int, changes: Mapping[str, Any]) -> None:
        source = await sources.get(conn, source_id)
        checked = {name: self._source_change(name, value, source.kind) for name, value in changes.items()}
        before, after = audit.changes(*await sources.update(conn, source_id, checked))
        if after:
            await audit.record(conn, actor, "source.updated", "source", source_id, before, after)

    async def readdress(self, conn: Connection, actor: str, source_id: int, url: str) -> None:
        checked = self.check(url)
        before, after = audit.changes(*await sources.readdress(conn, source_id, checked.url, checked.domain))
        if after:
            await audit.record(conn, actor, "source.updated", "source", source_id, before, after)

    # targets

    def new_target(
        self,
        source: Source,
        url: str,
        actor: str,
        now: datetime,
        when: Cadence | None = None,
        *,
        adapter_id: str | None = None,
        priority: int | str = 0,
        enabled: bool = True,
        notes: str | None = None,
    ) -> NewTarget:
        """Checked and complete, not stored yet. `now` is the database's."""
        checked = self.check(url)
        schedule, every, due = self._cadence(when or Cadence(), source, now)
        return NewTarget(
            url=checked.url,
            canonical_url=checked.canonical_url,
            url_hash=checked.url_hash,
            domain=checked.domain,
            source_id=source.id,
            adapter_id=self._adapter_for(adapter_id or source.adapter_id, source.kind, checked.domain),
            kind=source.kind,
            schedule=schedule,
            crawl_frequency=every,
            next_crawl_at=due,
            priority=validation.priority(priority),
            enabled=enabled,
            notes=validation.notes(notes),
            created_by=actor,
        )

    async def add_target(self, conn: Connection, actor: str, source: Source, url: str, **what: Any) -> int:
        """Its id; a URL the source has already is a Conflict naming the target."""
        new = self.new_target(source, url, actor, await database_now(conn), **what)
        target_id = await targets.add(conn, new)
        after = {"url": new.url, "source_id": source.id, "schedule": new.schedule, "priority": new.priority}
        await audit.record(conn, actor, "target.added", "target", target_id, after=after)
        return target_id

    async def watch(
        self,
        conn: Connection,
        actor: str,
        url: str,
        when: Cadence | None = None,
        *,
        kind: str = "offer",
        priority: int = 0,
        notes: str | None = None,
    ) -> Watched:
        """Source and target in one go. The source of the domain is used, or made and named after it."""
        source = await self.source_for(conn, actor, url, kind)
        when = when or Cadence(every=WATCH_EVERY)
        if when.first_at is None and not when.by_hand:
            when = msgspec.structs.replace(when, first_at=await database_now(conn))
        try:
            target_id = await self.add_target(conn, actor, source, url, when=when, priority=priority, notes=notes)
        except Conflict as there:
            return Watched(source.id, int(there.existing or 0), created=False)
        return Watched(source.id, target_id, created=True)

    async def update_target(
        self, conn: Connection, actor: str, target_id: int, changes: Mapping[str, Any], when: Cadence | None
    ) -> None:
        row = await targets.get(conn, target_id, lock=True)
        checked = {name: self._target_change(name, value, row["kind"]) for name, value in changes.items()}
        if when is not None:
            source = await sources.get(conn, row["source_id"])
            schedule, every, due = self._cadence(when, source, await database_now(conn))
            checked |= {"schedule": schedule, "crawl_frequency": every, "next_crawl_at": due}
        before, after = audit.changes(*await targets.update(conn, target_id, checked))
        if after:
            await audit.record(conn, actor, "target.updated", "target", target_id, before, after)

    # what both are made of

    async def source_for(self, conn: Connection, actor: str, url: str, kind: str = "offer") -> Source:
        """Where a URL belongs that was given without a source: the one of its domain, made if need be."""
        checked, kind = self.check(url), self._kinds.get(kind).name
        await sources.lock(conn, checked.domain)
        there = await sources.of_domain(conn, checked.domain, kind)
        if there is not None:
            return there
        home = "/".join(checked.url.split("/", 3)[:3]) + "/"
        return await self.add_source(conn, actor, name=checked.domain, url=home, kind=kind)

    async def _retailer(
        self, conn: Connection, name: str | None, kind: str, checked: validation.CheckedTarget
    ) -> int | None:
        if name is None and not self._kinds.get(kind).needs_retailer:
            return None
        named = checked.domain if name is None else validation.text(name, "retailer")
        return await retailers.ensure(conn, named, checked.domain, checked.url)

    def _adapter_for(self, wanted: str | None, kind: str, domain: str) -> str:
        if wanted is not None:
            return self._adapter(wanted, kind)
        own = self._adapters.for_domain(domain, kind)
        return self._kinds.get(kind).generic_adapter if own is None else own.id

    def _adapter(self, adapter_id: str, kind: str) -> str:
        found = self._adapters.get(adapter_id)
        if found is None:
            known = ", ".join(self._adapters.list())
            raise InvalidInput(f"there is no adapter {adapter_id!r} (known: {known})", field="adapter_id")
        if found.kind != kind and adapter_id != self._kinds.get(kind).generic_adapter:
            raise InvalidInput(f"adapter {adapter_id!r} reads {found.kind}s, not {kind}s", field="adapter_id")
        return adapter_id

    def _cadence(
        self, when: Cadence, source: Source, now: datetime
    ) -> tuple[str | None, timedelta | None, datetime | None]:
        """(cron, interval, due next), the target's own words before its source's before once a day."""
        if when.by_hand:
            return None, None, when.first_at
        schedule = when.schedule if when.schedule or when.every else source.schedule
        if schedule:
            schedule = cadence.check_cron(schedule)
            return schedule, None, when.first_at or cadence.next_fire(schedule, now)
        return None, validation.every(when.every or DAILY), when.first_at or now

    def _source_change(self, name: str, value: Any, kind: str) -> Any:
        if name == "name":
            return validation.text(value, "name")
        if name == "adapter_id" and value is not None:
            return self._adapter(value, kind)
        if name == "schedule" and value is not None:
            return cadence.check_cron(value)
        return _plain_change(name, value)

    def _target_change(self, name: str, value: Any, kind: str) -> Any:
        if name == "adapter_id":
            return self._adapter(value, kind)
        return _plain_change(name, value)


def _plain_change(name: str, value: Any) -> Any:
    if name == "priority":
        return validation.priority(value)
    if name == "scrape_config":
        return validation.scrape_config(value or {})
    if name == "tier_config":
        return validation.tier_config(value or {})
    if name == "notes":
        return validation.notes(value)
    if name == "locale":
        return validation.locale(value)
    if name == "timezone":
        return validation.timezone(value)
    return validation.text(value, name) if isinstance(value, str) else value


async def database_now(conn: Connection) -> datetime:
    """Due times follow the database's clock (R-04)."""
    async with conn.cursor(row_factory=scalar_row) as cursor:
        await cursor.execute("SELECT now()")
        moment = await cursor.fetchone()
    assert isinstance(moment, datetime)
    return moment
