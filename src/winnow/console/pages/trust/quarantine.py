"""Quarantine: held records beside the last accepted ones, for a person to decide."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlencode

from nicegui import ui

from winnow.actions import quarantine as quarantine_actions
from winnow.actions.target_choice import propose_selector
from winnow.console.act import ActionContext, act, notify, sentence
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, money, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import area_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.page_text import read_page, show_facts, show_marked, show_text, text_of
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirm, facts, row, show_empty
from winnow.console.widgets.parts import when as moment
from winnow.db.engine import Connection
from winnow.errors import InvalidInput, NotFound, WinnowError
from winnow.judge.verdict import Hold
from winnow.normalise.record import Money
from winnow.observe.users import UserRole
from winnow.queries import quarantine, tasks
from winnow.queries.reading import Row

DECIDED = {"accept": "Accepted", "reject": "Rejected", "corrected": "Accepted with another price"}
STATES = {"open": "Waiting", "resolved": "Decided", "": "All"}
REASONS = {"": "All reasons", **{reason.value: formatting.humanize(reason.value.lower()) for reason in Hold}}
COLUMNS = [
    Column("title", "Record"),
    Column("reason", "Reason"),
    Column("price", "Read", "right"),
    Column("source", "Source"),
    Column("held", "Held"),
    Column("decided", "Decided"),
]
MAX_AT_ONCE = 1_000
ACCEPT_TEXT = (
    "Each is stored as its offer's newest price, as if a worker had accepted it, and consumers may see it. "
    "The history only grows: it can be corrected later, not removed."
)
REJECT_TEXT = "None of them becomes a price, and the same price is refused if it is seen again. They stay listed."

Decide = Callable[[Connection, str, int], Awaitable[None]]


@page("/quarantine", "Quarantine", group="Trust", icon="rule", order=10, key="q")
async def build(view: View) -> None:
    heading("Quarantine", "Records that failed a check. Nothing here is visible to consumers until it is accepted.")

    async def match() -> dict[str, Any]:
        return {"reason": reason.wanted, "source_id": await source.id(), "adapter_id": adapter.wanted}

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await quarantine.listed(
                conn,
                status=status.wanted,
                **await match(),
                after=int(after) if after else None,
                limit=limit,
            )
        return [_listed(view, entry) for entry in found], following

    async def matching() -> tuple[list[int], int]:
        async with view.reading() as conn:
            return await quarantine.open_ids(conn, **await match(), limit=MAX_AT_ONCE)

    async def decide(verb: str, ids: list[int], left: int = 0) -> None:
        if not ids:
            notify("Select records in the list first.", "warning")
            return
        description = ACCEPT_TEXT if verb == "Accept" else REJECT_TEXT
        more = f" {formatting.number(left)} more match; they stay for the next time." if left else ""
        count = f"{formatting.number(len(ids))} record{'' if len(ids) == 1 else 's'}"
        if await confirm(f"{verb} {count}?", description + more, f"{verb} {count}", danger=verb != "Accept"):
            await _decide(view, verb, ids, note.value, grid.refresh)()

    async def all_matching(verb: str) -> None:
        try:
            ids, total = await matching()
        except WinnowError as wrong:  # a filter that means nothing
            notify(sentence(str(wrong)), "negative")
            return
        await decide(verb, ids, total - len(ids))

    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status", "open")
        reason = filters.choice("Reason", REASONS, "reason")
        source = await filters.source()
        adapter = filters.search("Adapter", "adapter")
    if view.may(UserRole.OPERATOR):
        with card("Bulk decision", "Applies to the selected records or to all that match the filters."), row("w-wrap"):
            note = text_field("Note", placeholder="why, for the audit trail")
            button("Accept selected", lambda: decide("Accept", grid.chosen), sign="check")
            button("Reject selected", lambda: decide("Reject", grid.chosen), sign="close")
            button("Accept all that match", lambda: all_matching("Accept"))
            button("Reject all that match", lambda: all_matching("Reject"))
    empty = Empty(
        "Nothing to review", "Records held by a check (a price of zero, an implausible change …) are listed here."
    )
    grid = filters.above(Grid(
        view, COLUMNS, load, empty=empty, caption="Held records", selectable=view.may(UserRole.OPERATOR),
        actions={"review": lambda key: ui.navigate.to(f"/quarantine/{key}")},
    ))  # fmt: skip
    await grid.refresh()


def _listed(view: View, entry: Row) -> Row:
    decided = entry["resolution"]
    return {
        "id": entry["id"],
        "label": f"record {entry['id']}",
        "title": cell(entry["title"] or f"Record {entry['id']}", entry["url"], path=f"/quarantine/{entry['id']}"),
        "reason": cell(formatting.humanize(entry["reason"].lower()), tone="warn"),
        "price": money(entry["price_minor"], entry["currency"]),
        "source": cell(entry["source_id"] and f"source {entry['source_id']}", entry["adapter_id"]),
        "held": when(entry["created_at"]),
        "decided": cell(DECIDED.get(decided, formatting.humanize(decided)), entry["resolved_by"])
        if decided
        else cell(None),
        "actions": [] if decided else [action("review", "Review")],
    }


def _decide(view: View, verb: str, ids: list[int], note: str, then: Any) -> Any:
    accepting = verb == "Accept"

    async def work(context: ActionContext) -> str:
        async def one(conn: Connection, entry_id: int) -> None:
            decide = quarantine_actions.accept if accepting else quarantine_actions.reject
            await decide(conn, context.actor, entry_id, note=note or None)

        done = await quarantine_actions.decide_each(context.parts.database, ids, one)
        if not done.done:
            raise InvalidInput(f"nothing was decided: {done.refused[0].message}")
        message = f"{len(done.done)} {'accepted' if accepting else 'rejected'}."
        return message if not done.refused else f"{message} {len(done.refused)} refused: {done.refused[0].message}"

    return act(view, UserRole.OPERATOR, f"{verb.lower()} held records", work, about=f"{len(ids)} records", then=then)


# one record


@page("/quarantine/{entry_id:int}", "Held record", parent="/quarantine")
async def build_one(view: View, entry_id: int) -> None:
    async with view.reading() as conn:
        entry = await quarantine.one(conn, entry_id)
        drafts = [] if entry is None or entry["task_id"] is None else (await tasks.read(conn, entry["task_id"]))[0]
    if entry is None:
        raise NotFound(f"there is no quarantine entry {entry_id}")
    buttons = heading(entry["title"] or f"Record {entry_id}", f"Held {formatting.text(entry['created_at'])}")
    with buttons:
        await _next(view, entry_id)
    _decision(view, entry)
    with columns():
        _beside(entry)
        _findings(entry)
    await _evidence(view, entry, drafts)


async def _next(view: View, entry_id: int) -> None:
    async with view.reading() as conn:
        older, _ = await quarantine.listed(conn, after=entry_id, limit=1)
    if older:
        link("Next record →", f"/quarantine/{older[0]['id']}", cls="w-button")


def _decision(view: View, entry: Row) -> None:
    entry_id = entry["id"]
    if entry["resolution"] is not None:
        with card("Decided"):
            facts({
                "How": lambda: badge(entry["resolution"], DECIDED.get(entry["resolution"])),
                "By": entry["resolved_by"],
                "When": lambda: moment(entry["resolved_at"]),
                "Note": entry["note"],
            })  # fmt: skip
        return
    with card("Your decision"):
        with div("w-form"):
            note = area_field("Note", entry["note"] or "", rows=2, help_text="The reason; kept in the audit trail.")
            price = text_field("Correct price, if it was misread", placeholder="19.99",
                               help_text="Leave empty to accept the price that was read.")  # fmt: skip
            currency = text_field("Currency", entry["currency"] or "", placeholder="EUR")

        async def accept(context: ActionContext) -> str:
            right = quarantine_actions.parse_price(price.value, currency.value or None) if price.value else None
            async with context.parts.database.transaction() as conn:
                await quarantine_actions.accept(conn, context.actor, entry_id, note=note.value or None, price=right)
            if right is None:
                return "Accepted."
            proposal[:] = await _propose(view, entry, right)
            return "Accepted with the corrected price."

        async def reject(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                await quarantine_actions.reject(conn, context.actor, entry_id, note=note.value or None)
            return "Rejected."

        async def annotate(context: ActionContext) -> str:
            if not note.value.strip():
                raise InvalidInput("a note needs a text")
            async with context.parts.database.transaction() as conn:
                await quarantine_actions.annotate(conn, context.actor, entry_id, note.value.strip())
            return "The note is saved."

        proposal: list[str] = []  # where the corrected price stands on the page, if in one place only

        def back() -> None:
            if proposal:
                ui.navigate.to(f"/targets/{entry['target_id']}?{urlencode({'selector': proposal[0]})}")
            else:
                ui.navigate.to("/quarantine")

        with row():
            for label, work, kind, then in (
                ("Accept", accept, "primary", back),
                ("Reject", reject, "danger", back),
                ("Save note", annotate, "", None),
            ):
                done = act(view, UserRole.OPERATOR, f"{label.lower()} a held record", work, about=entry_id, then=then)
                button(label, done, view=view, needs=UserRole.OPERATOR, kind=kind)


async def _propose(view: View, entry: Row, price: Money) -> list[str]:
    """The selector of a corrected price, which the page of the target then proposes to read from now on."""
    found = await read_page(view, entry["page_id"]) if entry["page_id"] is not None else None
    if found is None or found.body is None or entry["target_id"] is None:
        return []
    selector = await asyncio.to_thread(propose_selector, found.source(), price)
    return [] if selector is None else [selector]


def _beside(entry: Row) -> None:
    payload = entry["payload"]
    listed = payload.get("list_price") or {}
    rows = [
        ("Title", entry["title"], entry["last_title"]),
        ("Price", formatting.money(entry["price_minor"], entry["currency"]),
         formatting.money(entry["last_minor"], entry["last_currency"])),
        ("List price", formatting.money(listed.get("minor"), listed.get("currency")),
         formatting.money(entry["last_list_minor"], entry["last_currency"])),
        ("Availability", *(entry[name] and formatting.humanize(entry[name].lower())
                           for name in ("availability", "last_availability"))),
        ("Brand", payload.get("brand"), entry["last_brand"]),
        ("SKU", payload.get("sku"), entry["last_sku"]),
    ]  # fmt: skip
    with card("Held record and last accepted record"):
        with div("w-grid-wrap", tabindex="0", role="region", aria_label="Comparison"), tag("table", cls="w-grid"):
            with tag("thead"), tag("tr"):
                for name in ("Field", "Held", "Last accepted"):
                    tag("th", name, scope="col")
            with tag("tbody"):
                for name, held, last in rows:
                    _compared(name, formatting.text(held), formatting.text(last), entry["offer_id"] is not None)
        if entry["offer_id"] is None:
            quiet("No price of this offer was accepted before.")
        else:
            quiet(f"Last accepted {formatting.text(entry['last_observed_at'])}.")
        if entry["url"]:
            facts({"Page": entry["url"]})


def _compared(name: str, held: str, last: str, known: bool) -> None:
    differs = known and held != last and held != formatting.NOTHING
    with tag("tr"):
        tag("th", name, scope="row")
        with tag("td", data_label="Held"):
            tag("mark" if differs else "span", held)
        with tag("td", data_label="Last accepted"):
            tag("span", last)


def _findings(entry: Row) -> None:
    with card("Why it was held"):
        for finding in entry["findings"] or [{"reason": entry["reason"], "details": entry["details"]}]:
            with div("w-finding"):
                tag("strong", formatting.humanize(str(finding.get("reason", "")).lower()))
                tag("span", finding.get("details") or "", cls="w-sub")
        for field, problem in (entry["payload"].get("problems") or {}).items():
            with div("w-finding"):
                tag("strong", f"{formatting.humanize(field)} could not be read")
                tag("span", f"{problem.get('code', '')}: {problem.get('details', '')}", cls="w-sub")
        task = entry["task_id"]
        facts({
            "Adapter": f"{entry['adapter_id'] or formatting.NOTHING} {entry['adapter_version'] or ''}",
            "Task": (lambda: link("the task that read the page", f"/tasks/{task}")) if task else formatting.NOTHING,
        })  # fmt: skip


async def _evidence(view: View, entry: Row, drafts: list[Row]) -> None:
    with card("Evidence", "Where the values were found on the page."):
        found = await read_page(view, entry["page_id"]) if entry["page_id"] is not None else None
        if found is None or found.body is None:
            show_empty(Empty("The page is not available", "It was not kept or was deleted by the retention settings."))
            return
        text = await text_of(found)
        wanted = _raw(drafts)
        if not show_marked(text, wanted) and not show_marked(found.source(), wanted):
            quiet("The values were not found in the text of the page.")
        with tag("details"):
            tag("summary", "Full page text")
            show_facts(found)
            show_text(text)


def _raw(drafts: list[Row]) -> list[str]:
    """The candidates of what is in doubt, prices first."""
    values = [
        candidate.get("raw", "")
        for draft in drafts
        for field in ("price", "list_price", "price_from", "price_unit", "availability")
        for candidate in draft["values"].get(field, [])
        if isinstance(candidate, dict)
    ]
    return [str(value) for value in values if len(str(value)) < 200]
