"""Registered adapters with their stored standing; one without a row is enabled. One that serves every site has a row
per source besides (`generic@12`), once a run of that source was looked at."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.judge import AdapterStatus
from winnow.extract.adapter import Registry
from winnow.queries.reading import Row, rows

A = AdapterStatus.__table__


async def listed(conn: AsyncConnection, registry: Registry) -> list[Row]:
    stored = {row["adapter_id"]: row for row in await rows(conn, select(A))}
    names = {*registry.list(), *(name for name in stored if registry.get(of_adapter(name)) is not None)}
    return [_row(registry, name, stored.get(name, {})) for name in sorted(names)]


def of_adapter(standing: str) -> str:
    """`generic@12` is the standing of `generic` with source 12."""
    return standing.partition("@")[0]


def _row(registry: Registry, name: str, stored: Row) -> Row:
    adapter = registry.get(of_adapter(name))
    assert adapter is not None
    known = {"id": name, "version": adapter.version, "domain": adapter.domain, "kind": adapter.kind,
             "needs_browser": adapter.needs_browser}  # fmt: skip
    return {"enabled": True, **stored, **known}
