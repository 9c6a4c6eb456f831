"""Audit: who changed what. The trail only grows; this page only reads."""

from __future__ import annotations

from typing import Any

import orjson

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.parts import Empty
from winnow.queries import audit
from winnow.queries.reading import Row

COLUMNS = [
    Column("at", "When"),
    Column("actor", "Who"),
    Column("action", "Did"),
    Column("object", "To"),
    Column("change", "Change"),
    Column("reason", "Reason"),
]
EMPTY = Empty("No such entry", "Every change by a user, an API key or Winnow itself is recorded here.")


@page("/audit", "Audit", group="System", icon="history", order=30, key="u")
async def build(view: View) -> None:
    heading("Audit", "Who changed what, newest first. Entries cannot be changed or removed.")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await audit.listed(
                conn, actor=who.wanted, action=did.wanted, object_type=kind.wanted, object_id=name.wanted,
                after=int(after) if after else None, limit=limit,
            )  # fmt: skip
        return [_to_row(row) for row in found], following

    with FilterBar(view) as filters:
        who = filters.search("Who", "actor", "user:admin")
        did = filters.search("Did", "action", "key.created")
        kind = filters.search("Object type", "object_type", "source, target …")
        name = filters.search("Object id", "object_id")
    grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Audit trail"))
    await grid.refresh()


def _to_row(row: Row) -> Row:
    return {
        "id": row["id"],
        "label": f"entry {row['id']}",
        "at": when(row["at"]),
        "actor": cell(row["actor"]),
        "action": cell(row["action"], mono=True),
        "object": cell(f"{row['object_type']} {row['object_id']}"),
        "change": cell(format_change(row["before"], row["after"]), mono=True),
        "reason": cell(row["reason"]),
    }


def format_change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    """name: old → new, for each field that differs."""
    before, after = before or {}, after or {}
    message = [
        f"{name}: {_short(before[name])} → {_short(after[name])}"
        if name in before and name in after
        else f"{name}: {_short((after if name in after else before)[name])}"
        for name in dict.fromkeys([*before, *after])
        if name in before or after[name] not in (None, {}, [])
    ]
    return "; ".join(message)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= 120 else text[:119] + "…"
