"""Targets: the pages that are visited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from winnow.actions import targets as target_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, number, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, button, confirmed, row
from winnow.console.widgets.times import format_cadence
from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole
from winnow.queries import targets

Row = dict[str, Any]
Change = Callable[[Connection, str, Sequence[int]], Awaitable[list[int]]]

TARGET_COLUMNS = [
    Column("url", "Page"),
    Column("status", "State"),
    Column("result", "Last result"),
    Column("seen", "Last visit"),
    Column("due", "Due"),
    Column("cadence", "Visited"),
    Column("priority", "Priority", "right"),
]
STATUSES = {"": "any", "ACTIVE": "active", "PAUSED": "paused", "BROKEN": "broken", "STALE": "stale"}
NONE = Empty("No targets here", "No page matches. Clear a filter or add pages.", "Watch a page", "/add")
REMOVE_TEXT = "They are no longer visited and their queued visits are cancelled. Their prices are kept."
# What can be done with targets: (function, label, said afterwards).
CHANGES: dict[str, tuple[Change, str, str]] = {
    "pause": (target_actions.pause, "Pause", "paused"),
    "resume": (target_actions.resume, "Resume", "resumed"),
    "requeue": (target_actions.requeue, "Try again", "made due again"),
    "remove": (target_actions.remove, "Remove", "removed"),
}


@page("/targets", "Targets", group="Watching", icon="link", order=20, key="t")
async def build(view: View) -> None:
    with heading("Targets", "Watched pages, each with its own schedule. Select pages to change them."):
        link("Watch a page", "/add", cls="w-button w-primary")
        link("Import many", "/import", cls="w-button")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "part of the URL")
        status = filters.choice("State", STATUSES, "status")
        source = await filters.source()
        domain = filters.search("Domain", "domain")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await targets.listed(
                conn,
                q=q.wanted,
                status=status.wanted,
                source_id=await source.id(),
                domain=domain.wanted,
                after=None if after is None else int(after),
                limit=limit,
            )
        return [target_row(target) for target in found], following

    async def again() -> None:
        await grid.refresh()

    with row():
        for name, (_, label, _) in CHANGES.items():
            change = _then(change_handler(view, name, lambda: grid.chosen), again)
            button(label, change, view=view, needs=UserRole.OPERATOR, kind="danger" if name == "remove" else "")
    grid = filters.above(
        Grid(view, TARGET_COLUMNS, load, empty=NONE, caption="Targets", selectable=view.may(UserRole.OPERATOR))
    )
    await grid.refresh()


def _then(handler: Callable[..., Any], again: Callable[[], Awaitable[None]]) -> Callable[..., Any]:
    async def both() -> None:
        if await handler():
            await again()

    return both


def change_handler(view: View, name: str, chosen: Callable[[], Sequence[int]]) -> Callable[..., Any]:
    """One of CHANGES for the chosen targets; removing asks first."""
    change, label, message = CHANGES[name]

    async def work(context: ActionContext) -> str:
        ids = list(chosen())
        if not ids:
            raise InvalidInput("select at least one target first")
        async with context.parts.database.transaction() as conn:
            changed = await change(conn, context.actor, ids)
        return f"{len(changed)} of {len(ids)} {message}."

    context = act(view, UserRole.OPERATOR, f"{name} targets", work)
    return confirmed("Remove these targets?", REMOVE_TEXT, label, context) if name == "remove" else context


def target_row(target: Row) -> Row:
    return {
        "id": target["id"],
        "label": target["url"],
        "url": cell(_short(target["url"]), target["source_name"], path=f"/targets/{target['id']}", title=target["url"]),
        "status": state(target["status"].lower() if target["enabled"] else "disabled"),
        "result": result_cell(target["last_status"]),
        "seen": when(target["last_scraped_at"]),
        "due": when(target["next_crawl_at"]),
        "cadence": cell(format_cadence(target["schedule"], target["crawl_frequency"])),
        "priority": number(target["priority"]),
    }


def result_cell(last_status: str | None) -> Cell:
    """How the last visit ended, and why; the verdict on what was read may be of an earlier one."""
    outcome, _, reason = (last_status or "").partition(":")
    return cell(formatting.humanize(outcome) or formatting.NOTHING, reason or None, tone=formatting.tone_of(outcome))


def _short(url: str) -> str:
    bare = url.split("://", 1)[-1]
    return bare if len(bare) <= 64 else f"{bare[:40]}…{bare[-22:]}"
