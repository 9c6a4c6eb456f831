"""Sources: the sites that are watched."""

from __future__ import annotations

from typing import Any

from winnow.actions import sources as source_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, action, cell, number, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, confirmed
from winnow.kinds.registry import all_kinds
from winnow.observe.users import UserRole
from winnow.queries import sources

COLUMNS = [
    Column("name", "Source"),
    Column("state", "State"),
    Column("kind", "Reads"),
    Column("targets", "Targets", "right"),
    Column("visibility", "Consumers"),
    Column("success", "Last good run"),
]
NONE_YET = Empty(
    "No sources yet",
    "A source is a watched site. It is created when you watch one of its pages.",
    "Watch a page",
    "/add",
)
PAUSE_TEXT = (
    "Nothing of this source is scheduled or fetched until it is resumed. Running tasks finish, queued tasks wait, "
    "and prices are kept."
)


@page("/sources", "Sources", group="Watching", icon="storefront", order=10, key="s")
async def build(view: View) -> None:
    with heading("Sources", "Watched sites, their state, and whether consumers see their prices."):
        link("Watch a page", "/add", cls="w-button w-primary")
        link("Import many", "/import", cls="w-button")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "name or domain")
        kind = filters.choice(
            "Reads", {"": "anything", **{k: formatting.kinds(k) for k in all_kinds().names()}}, "kind"
        )

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], str | None]:
        async with view.reading() as conn:
            found, following = await sources.listed(
                conn, q=q.wanted, kind=kind.wanted, after=None if after is None else int(after), limit=limit
            )
        return [_to_row(view, source) for source in found], following

    async def pause(source_id: int) -> None:
        if await confirmed("Pause this source?", PAUSE_TEXT, "Pause it", pause_handler(view, source_id, True))():
            await grid.refresh()

    async def resume(source_id: int) -> None:
        if await pause_handler(view, source_id, False)():
            await grid.refresh()

    acts = {"pause": pause, "resume": resume}
    grid = filters.above(Grid(view, COLUMNS, load, empty=NONE_YET, caption="Sources", actions=acts))
    await grid.refresh()


def pause_handler(view: View, source_id: int, paused: bool) -> Any:
    """The act of pausing or resuming a source."""

    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await source_actions.pause(conn, context.actor, source_id, paused)
        return "The source is paused." if paused else "The source is resumed."

    return act(view, UserRole.OPERATOR, "pause a source" if paused else "resume a source", work, about=source_id)


def state_of(source: dict[str, Any]) -> Cell:
    if not source["enabled"]:
        return state("disabled")
    if source["paused"]:
        return state("paused")
    if source["auto_disabled"]:
        return state("broken", "Disabled automatically")
    return state("review", "Needs review") if source["needs_review"] else state("active")


def visible(source: dict[str, Any]) -> Cell:
    """Offers of a feed are shown when it is its retailer's primary source (F-110), scraped ones when it is eligible."""
    by_feed = source["source_kind"] == "AFFILIATE_FEED"
    shown = source["is_display_primary"] if by_feed else source["visibility_status"] == "ELIGIBLE"
    return cell("Public" if shown else "Hidden", tone="good" if shown else "neutral")


def _to_row(view: View, source: dict[str, Any]) -> dict[str, Any]:
    change = action("resume", "Resume") if source["paused"] else action("pause", "Pause")
    return {
        "id": source["id"],
        "label": source["name"],
        "name": cell(source["name"], source["domain"], path=f"/sources/{source['id']}"),
        "state": state_of(source),
        "kind": cell(formatting.kinds(source["kind"])),
        "targets": number(source["targets"]),
        "visibility": visible(source),
        "success": when(source["last_success_at"]),
        "actions": [change] if view.may(UserRole.OPERATOR) else [],
    }
