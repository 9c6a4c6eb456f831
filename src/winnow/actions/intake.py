"""What sources and targets are checked against before they are stored, and when a target is visited."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec
from psycopg import AsyncConnection
from psycopg.rows import scalar_row

from winnow.actions import validation
from winnow.errors import InvalidInput
from winnow.extract.adapter import Registry, reads
from winnow.fetch.egress.allow import AllowList

if TYPE_CHECKING:
    from winnow.kinds.registry import Kinds

Connection = AsyncConnection[Any]


class Cadence(msgspec.Struct, frozen=True, kw_only=True):
    """When a target is visited. Cron wins over an interval; `by_hand` means never by itself. With
    `least` and `most` the interval follows what changes, between these two. `first_at`
    None: a cron starts at its next time, an interval now."""

    schedule: str | None = None
    every: timedelta | None = None
    by_hand: bool = False
    least: timedelta | None = None
    most: timedelta | None = None
    first_at: datetime | None = None


class Intake:
    """`allow` are the hosts the operator opened on purpose, `adapters` those a target may name."""

    def __init__(self, allow: AllowList, adapters: Callable[[], Registry]) -> None:
        """The adapters are asked for when first needed: they import every parser, which takes a command a second."""
        self.allow = allow
        self._make_adapters = adapters

    @cached_property
    def adapters(self) -> Registry:
        return self._make_adapters()

    @cached_property
    def kinds(self) -> Kinds:
        from winnow.kinds.registry import all_kinds

        return all_kinds()

    def check(self, url: str) -> validation.CheckedTarget:
        """UrlRefused for what may not be stored (R-12)."""
        return validation.url(url, self.allow)

    def adapter_for(self, wanted: str | None, kind: str, domain: str) -> str:
        if wanted is not None:
            return self.adapter(wanted, kind)
        broken = self.adapters.broken_for_domain(domain)
        if broken is not None:
            raise InvalidInput(f"the adapter of {domain} cannot be used: {broken.reason}", field="adapter_id")
        own = self.adapters.for_domain(domain, kind)
        return self.kinds.get(kind).generic_adapter if own is None else own.id

    def adapter(self, adapter_id: str, kind: str) -> str:
        found = self.adapters.get(adapter_id)
        if found is None:
            known = ", ".join(self.adapters.list())
            raise InvalidInput(f"there is no adapter {adapter_id!r} (known: {known})", field="adapter_id")
        if not reads(found.kind, kind) and adapter_id != self.kinds.get(kind).generic_adapter:
            raise InvalidInput(f"adapter {adapter_id!r} reads {found.kind}s, not {kind}s", field="adapter_id")
        return adapter_id


def check_change(name: str, value: Any) -> Any:
    """A changed field that sources and targets have in common."""
    if name == "priority":
        return validation.priority(value)
    if name == "scrape_config":
        return validation.scrape_config(value or {})
    if name == "tier_config":
        return validation.tier_config(value or {})
    if name == "tier":
        return validation.tier(value)
    if name in ("default_latitude", "default_longitude"):
        return validation.coordinate(value, name, 90 if name == "default_latitude" else 180)
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
