"""Targets: the pages that are visited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from winnow.actions import targets as target_actions
from winnow.console.act import Doing, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import cell, number, state, when
from winnow.console.widgets.filters import Filters
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, asked, button, row
from winnow.console.widgets.times import cadence_words
from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.observe.users import Role
from winnow.queries import targets

Row = dict[str, Any]
Change = Callable[[Connection, str, Sequence[int]], Awaitable[list[int]]]

TARGET_COLUMNS = [
    Column("url", "Page"),
    Column("status", "State"),
    Column("verdict", "Last verdict"),
    Column("seen", "Last visit"),
    Column("due", "Due"),
    Column("cadence", "Visited"),
    Column("priority", "Priority", "right"),
]
STATUSES = {"": "any", "ACTIVE": "active", "PAUSED": "paused", "BROKEN": "broken", "STALE": "stale"}
NONE = Empty("No targets here", "No page fits. Take a filter away, or add pages.", "Watch a page", "/add")
REMOVE_SAYS = "They are not visited any more and their queued visits are taken back. The prices found there stay."
# What can be done with targets: (function, label, said afterwards).
CHANGES: dict[str, tuple[Change, str, str]] = {
    "pause": (target_actions.pause, "Pause", "paused"),
    "resume": (target_actions.resume, "Resume", "resumed"),
    "requeue": (target_actions.requeue, "Try again", "made due again"),
    "remove": (target_actions.remove, "Remove", "removed"),
}


@page("/targets", "Targets", group="Watching", icon="link", order=20, key="t")
async def build(view: View) -> None:
    with heading("Targets", "The pages that are visited, each with its own cadence. Choose some to change them."):
        link("Watch a page", "/add", cls="w-button w-primary")
        link("Import many", "/import", cls="w-button")
    with Filters(view) as filters:
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
            change = _then(changing(view, name, lambda: grid.chosen), again)
            button(label, change, view=view, needs=Role.OPERATOR, kind="danger" if name == "remove" else "")
    grid = filters.above(
        Grid(view, TARGET_COLUMNS, load, empty=NONE, caption="Targets", selectable=view.may(Role.OPERATOR))
    )
    await grid.refresh()


def _then(handler: Callable[..., Any], again: Callable[[], Awaitable[None]]) -> Callable[..., Any]:
    async def both() -> None:
        if await handler():
            await again()

    return both


def changing(view: View, name: str, chosen: Callable[[], Sequence[int]]) -> Callable[..., Any]:
    """One of CHANGES for the chosen targets; removing asks first."""
    change, label, said = CHANGES[name]

    async def work(doing: Doing) -> str:
        ids = list(chosen())
        if not ids:
            raise InvalidInput("choose at least one target first")
        async with doing.parts.database.transaction() as conn:
            changed = await change(conn, doing.actor, ids)
        return f"{len(changed)} of {len(ids)} {said}."

    doing = act(view, Role.OPERATOR, f"{name} targets", work)
    return asked("Remove these targets?", REMOVE_SAYS, label, doing) if name == "remove" else doing


def target_row(target: Row) -> Row:
    return {
        "id": target["id"],
        "label": target["url"],
        "url": cell(_short(target["url"]), target["source_name"], path=f"/targets/{target['id']}", title=target["url"]),
        "status": state(target["status"].lower() if target["enabled"] else "disabled"),
        "verdict": state(target["last_verdict"], said_verdict(target["last_verdict"])),
        "seen": when(target["last_scraped_at"]),
        "due": when(target["next_crawl_at"]),
        "cadence": cell(cadence_words(target["schedule"], target["crawl_frequency"])),
        "priority": number(target["priority"]),
    }


def said_verdict(verdict: str | None) -> str:
    return {"accept": "Accepted", "hold": "Held", "reject": "Rejected"}.get(verdict or "", "–")


def _short(url: str) -> str:
    bare = url.split("://", 1)[-1]
    return bare if len(bare) <= 64 else f"{bare[:40]}…{bare[-22:]}"
