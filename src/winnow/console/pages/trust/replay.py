"""One replay: which values another version reads differently."""

from __future__ import annotations

from typing import Any

from winnow.console.layout import heading
from winnow.console.pages.watching.source import parse_id
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.parts import Empty, badge, card, figure, refresh_every
from winnow.console.widgets.refreshable import Refreshable
from winnow.errors import NotFound
from winnow.queries import replays

Row = dict[str, Any]
FIELDS = [
    Column("field", "Value"),
    Column("changed", "Changed", "right"),
    Column("found", "Found", "right"),
    Column("lost", "Lost", "right"),
]
EXAMPLES = [
    Column("field", "Value"),
    Column("kind", "What happened"),
    Column("before", "Before"),
    Column("after", "After"),
    Column("url", "Page"),
]
SAME = Empty("No difference", "Every page gives the same values.")
KINDS = {"changed": "warning", "found": "ok", "lost": "failed"}
REFRESH_SECONDS = 2.0


@page("/replays/{replay_id}", "Replay", parent="/adapters")
async def build(view: View, replay_id: str) -> None:
    shown = ReplayPage(view, parse_id(replay_id, "replay"))
    await shown.part.refresh()
    if shown.running:
        refresh_every(REFRESH_SECONDS, shown.again, view)


class ReplayPage:
    def __init__(self, view: View, replay_id: int) -> None:
        self.view, self.id = view, replay_id
        self.running = False
        self.part = Refreshable(self._load, self._draw)

    async def again(self) -> None:
        if self.running:
            await self.part.refresh()

    async def _load(self) -> Row:
        async with self.view.reading() as conn:
            found = await replays.one(conn, self.id)
        if found is None:
            raise NotFound(f"there is no replay {self.id}")
        return found

    async def _draw(self, replay: Row) -> None:
        self.running = replay["status"] == "running"
        versions = f"{replay['live_version'] or 'nothing'} → {replay['candidate_version']}"
        description = f"{versions}, requested by {replay['requested_by']}."
        with heading(f"Replay {self.id} of {replay['adapter_id']}", description):
            badge(replay["status"])
            link("The adapter", f"/adapters/{replay['adapter_id']}", cls="w-button")
        if self.running:
            limit = (replay["scope"] or {}).get("limit") or 0
            with div("w-progress", role="status"):
                tag("span", f"{replay['pages']} pages read" + (f", at most {limit}" if limit else ""))
                tag("progress", aria_label="Pages read", value=replay["pages"] if limit else None, max=limit or None)
        if replay["error_message"]:
            quiet(formatting.humanize(replay["error_message"]))
        with div("w-figures"):
            figure("Pages", formatting.number(replay["pages"]))
            figure("Unchanged", formatting.number(replay["same"]), tone="good")
            figure("Changed", formatting.number(replay["changed"]), tone="warn" if replay["changed"] else "")
            figure(
                "Lost",
                formatting.number(replay["lost"]),
                tone="bad" if replay["lost"] else "",
                description="accepted only before",
            )
            figure("Gained", formatting.number(replay["gained"]), description="accepted only now, or with more fields")
        with card("By value", wide=True):
            await _table(self.view, FIELDS, [_field(f) for f in replay["fields"]], "Differences by value")
        with card("Examples", "What each version reads from the same stored page.", wide=True):
            await _table(self.view, EXAMPLES, [_example(n, e) for n, e in enumerate(replay["examples"])], "Examples")


async def _table(view: View, columns: list[Column], rows: list[Row], caption: str) -> None:
    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        start = int(after or 0)
        return rows[start : start + limit], str(start + limit) if start + limit < len(rows) else None

    await Grid(view, columns, load, empty=SAME, caption=caption).refresh()


def _field(field: Row) -> Row:
    return {
        "id": field["field"],
        "field": cell(formatting.humanize(field["field"])),
        **{name: number(field[name]) for name in ("changed", "found", "lost")},
    }


def _example(n: int, example: Row) -> Row:
    message = {"changed": "changed", "found": "found", "lost": "lost"}[example["kind"]]
    return {
        "id": n,
        "field": cell(formatting.humanize(example["field"])),
        "kind": state(KINDS[example["kind"]], message),
        "before": cell(example["before"], mono=True),
        "after": cell(example["after"], mono=True),
        "url": cell(example["url"]),
    }
