"""Audit: who changed what. The trail only grows; this page only reads."""

from __future__ import annotations

from typing import Any

import orjson

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, when
from winnow.console.widgets.form import filter_bar, text_field
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
EMPTY = Empty("No such entry", "Every change by a person, a key or Winnow itself is written here as it happens.")


@page("/audit", "Audit", group="System", icon="history", order=30, key="u")
async def build(view: View) -> None:
    heading("Audit", "Who changed what, newest first. Entries cannot be changed or removed.")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await audit.listed(
                conn, actor=who.value or None, action=did.value or None, object_type=kind.value or None,
                object_id=name.value or None, after=int(after) if after else None, limit=limit,
            )  # fmt: skip
        return [_shown(row) for row in found], following

    with filter_bar():
        who = text_field("Who", view.query("actor") or "", kind="search", placeholder="user:admin",
                         on_change=lambda: grid.restart())  # fmt: skip
        did = text_field("Did", view.query("action") or "", kind="search", placeholder="key.created",
                         on_change=lambda: grid.restart())  # fmt: skip
        kind = text_field("Kind of thing", view.query("object_type") or "", kind="search",
                          placeholder="source, target …", on_change=lambda: grid.restart())  # fmt: skip
        name = text_field("Its id", view.query("object_id") or "", kind="search", on_change=lambda: grid.restart())
    grid = Grid(view, COLUMNS, load, empty=EMPTY, caption="Audit trail")
    await grid.refresh()


def _shown(row: Row) -> Row:
    return {
        "id": row["id"],
        "label": f"entry {row['id']}",
        "at": when(row["at"]),
        "actor": cell(row["actor"]),
        "action": cell(row["action"], mono=True),
        "object": cell(f"{row['object_type']} {row['object_id']}"),
        "change": cell(_change(row["before"], row["after"]), mono=True),
        "reason": cell(row["reason"]),
    }


def _change(before: dict[str, Any] | None, after: dict[str, Any] | None) -> str:
    """name: old → new, for each field that differs."""
    before, after = before or {}, after or {}
    said = [
        f"{name}: {_short(before[name])} → {_short(after[name])}"
        if name in before and name in after
        else f"{name}: {_short((after if name in after else before)[name])}"
        for name in dict.fromkeys([*before, *after])
    ]
    return "; ".join(said)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= 120 else text[:119] + "…"
