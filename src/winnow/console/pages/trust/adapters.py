"""Adapters: how pages are read, and whether each may still be trusted."""

from __future__ import annotations

from typing import Any

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, state
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty
from winnow.queries import adapters

Row = dict[str, Any]
COLUMNS = [
    Column("id", "Adapter"),
    Column("state", "State"),
    Column("version", "Version"),
    Column("domain", "Site"),
    Column("failing", "Failing pages", "right"),
    Column("usual", "Usually", "right"),
    Column("bad", "Bad runs in a row", "right"),
]
NONE = Empty("No matching adapter", "Clear the filter to see all adapters.")


@page("/adapters", "Adapters", group="Trust", icon="extension", order=30, key="x")
async def build(view: View) -> None:
    heading(
        "Adapters", "Extractors for pages. An adapter whose results drift from its baseline is disabled automatically."
    )
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "adapter or site")
        which = filters.choice("State", {"": "any", "on": "enabled", "off": "disabled"}, "state")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found = await adapters.listed(conn, view.parts.registry)
        wanted = (q.wanted or "").lower()
        shown = [a for a in found if wanted in f"{a['id']} {a['domain']}".lower() and _fits(a, which.value)]
        start = int(after or 0)
        more = str(start + limit) if start + limit < len(shown) else None
        return [_row(adapter) for adapter in shown[start : start + limit]], more

    grid = filters.above(Grid(view, COLUMNS, load, empty=NONE, caption="Adapters"))
    await grid.refresh()


def _fits(adapter: Row, wanted: str) -> bool:
    return not wanted or bool(adapter["enabled"]) == (wanted == "on")


def state_of(adapter: Row) -> Cell:
    if not adapter["enabled"]:
        return state("disabled")
    return state("review", "Under observation") if adapter.get("close_monitoring") else state("enabled")


def share(value: Any) -> str:
    return "–" if value is None else f"{100 * float(value):.1f} %"


def site_label(domain: str) -> str:
    return "any site" if domain == "*" else domain


def _row(adapter: Row) -> Row:
    last, usual = adapter.get("last_batch_failure_rate"), adapter.get("baseline_failure_rate")
    return {
        "id": cell(adapter["id"], f"reads {formatting.kinds(adapter['kind'])}", path=f"/adapters/{adapter['id']}"),
        "state": state_of(adapter),
        "version": cell(adapter["version"], mono=True),
        "domain": cell(site_label(adapter["domain"])),
        "failing": cell(share(last)),
        "usual": cell(share(usual)),
        "bad": cell(adapter.get("consecutive_failed_batches") or 0),
    }
