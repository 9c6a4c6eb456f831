"""Domains: the politeness ledger. Who may be asked when, and why."""

from __future__ import annotations

from typing import Any

from winnow.actions import domains as domain_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, action, cell, number, state
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, confirmed
from winnow.observe.users import UserRole
from winnow.queries import domains

Row = dict[str, Any]
COLUMNS = [
    Column("domain", "Domain"),
    Column("state", "State"),
    Column("slot", "Next request"),
    Column("rate", "Limit"),
    Column("from", "Set by"),
    Column("queued", "Queued", "right"),
    Column("running", "Running", "right"),
]
NONE = Empty("No domains", "A domain appears when one of its pages is watched or visited.", "Watch a page", "/add")
PAUSE_TEXT = "No page of this domain is scheduled or fetched until it is resumed. Running tasks finish."
FROM = {
    "domain": "this domain's own limits",
    "source": "its source",
    "policy": "the policy file",
    "default": "the settings",
    "platform": "the platform",
    "robots": "robots.txt",
}


@page("/domains", "Domains", group="Watching", icon="speed", order=40, key="m")
async def build(view: View) -> None:
    with heading(
        "Domains", "Request limits of each site, where they come from, and when the next request may be sent."
    ):
        link("Proxies", "/proxies", cls="w-button")
    with FilterBar(view) as filters:
        q = filters.search("Search", "q", "part of the name")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await domains.listed(conn, q=q.wanted, after=after, limit=limit)
        return [_row(view, domain) for domain in found], following

    async def pause(domain: str) -> None:
        if await confirmed(f"Pause {domain}?", PAUSE_TEXT, "Pause it", pause_handler(view, domain, True))():
            await grid.refresh()

    async def resume(domain: str) -> None:
        if await pause_handler(view, domain, False)():
            await grid.refresh()

    acts = {"pause": pause, "resume": resume}
    grid = filters.above(Grid(view, COLUMNS, load, empty=NONE, caption="Domains", actions=acts))
    await grid.refresh()


def pause_handler(view: View, domain: str, paused: bool) -> Any:
    async def work(context: ActionContext) -> str:
        change = domain_actions.pause if paused else domain_actions.resume
        await change(context.parts.database, context.actor, context.parts.politeness.ledger, domain)
        return f"{domain} is paused." if paused else f"{domain} is resumed."

    return act(view, UserRole.OPERATOR, "pause a domain" if paused else "resume a domain", work, about=domain)


def is_paused(domain: Row) -> bool:
    return bool(domain["paused"] or not domain["is_active"])


def state_of(domain: Row) -> Cell:
    if is_paused(domain):
        return state("paused")
    if domain["circuit"] != "closed":
        return state(domain["circuit"], {"open": "Circuit open", "half_open": "Testing"}[domain["circuit"]])
    if domain["held_until"] is not None:
        return state("blocked", "Held")
    return state("warning", "Slowed down") if domain["slowed_until"] is not None else state("active", "Ready")


def rate(domain: Row) -> str:
    return f"{domain['tokens']} in {domain['interval_now']:g} s"


def slot(domain: Row) -> str:
    if is_paused(domain):
        return "when it is resumed"
    seconds = domain["next_slot_seconds"]
    return "now" if seconds < 1 else f"in {formatting.duration(seconds)}"


def _row(view: View, domain: Row) -> Row:
    apart = f"{domain['spacing_now']:g} s apart, {domain['max_concurrent']} at once"
    change = action("resume", "Resume") if is_paused(domain) else action("pause", "Pause")
    return {
        "id": domain["domain"],
        "domain": cell(domain["domain"], path=f"/domains/{domain['domain']}"),
        "state": state_of(domain),
        "slot": cell(slot(domain)),
        "rate": cell(rate(domain), apart),
        "from": cell(FROM.get(domain["limits_from"].get("rate", "platform"), "the platform")),
        "queued": number(domain["queued"]),
        "running": number(domain["in_flight"]),
        "actions": [change] if view.may(UserRole.OPERATOR) else [],
    }
