"""One target: what its last visit said, when the next one is, and what people are told about it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import msgspec
from nicegui import ui

from winnow.actions import runs as run_actions
from winnow.actions import targets as target_actions
from winnow.actions.target_choice import choose, stored_choice
from winnow.console.act import ActionContext, act, call_handler
from winnow.console.choice_picker import choice_fields, choice_of
from winnow.console.layout import heading
from winnow.console.pages.watching.source import parse_id
from winnow.console.pages.watching.targets import change_handler, result_cell
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.watch_rules import WatchRules
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, task_state, when
from winnow.console.widgets.form import area_field, switch_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, facts
from winnow.console.widgets.parts import when as moment
from winnow.console.widgets.refreshable import Refreshable
from winnow.console.widgets.times import CadenceInputs
from winnow.errors import Conflict, NotFound
from winnow.observe.users import UserRole
from winnow.queries import prices, targets, tasks
from winnow.sources import targets as stored

Row = dict[str, Any]
VISITS = [Column("id", "Visit"), Column("status", "State"), Column("outcome", "Result"), Column("at", "When")]
NOT_YET = Empty("Not visited yet", "The first visit is made when it is due and a worker is free.")


@page("/targets/{target_id}", "Target", parent="/targets")
async def build(view: View, target_id: str) -> None:
    await TargetPage(view, parse_id(target_id, "target")).part.refresh()


class TargetPage:
    def __init__(self, view: View, target_id: int) -> None:
        self.view, self.id = view, target_id
        self.part = Refreshable(self._load, self._draw)

    async def _load(self) -> tuple[Row, list[int]]:
        async with self.view.reading() as conn:
            found = await targets.one(conn, self.id)
            offers = await prices.products_of_target(conn, self.id)
        if found is None:
            raise NotFound(f"there is no target {self.id}")
        return found, offers or []

    async def _draw(self, loaded: tuple[Row, list[int]]) -> None:
        target, offers = loaded
        self._head(target, offers)
        with columns():
            with div("w-stack"):
                self._last(target)
                with card("Watch rules", "Notifications about this page."):
                    await WatchRules(self.view, self.id).part.refresh()
            with div("w-stack"):
                self._visiting(target)
                self._choice(target)
        with card("Visits", "Newest first.", wide=True):
            await self._visits()

    def _head(self, target: Row, offers: list[int]) -> None:
        with heading(f"Target {self.id}", target["url"]):
            badge(target["status"].lower())
            for name in ("resume",) if target["status"] == "PAUSED" else ("pause", "requeue"):
                if name != "requeue" or target["status"] in ("BROKEN", "STALE"):
                    label = {"resume": "Resume", "pause": "Pause", "requeue": "Try again"}[name]
                    button(
                        label,
                        self.part.after(change_handler(self.view, name, lambda: [self.id])),
                        view=self.view,
                        needs=UserRole.OPERATOR,
                    )
            start = act(self.view, UserRole.OPERATOR, "start a run", self._start, about=self.id)
            button("Visit now", self.part.after(start), view=self.view, needs=UserRole.OPERATOR)
            for offer in offers[:3]:
                link("Its prices", f"/offers/{offer}", cls="w-button")
            button("Remove", self._remove, view=self.view, needs=UserRole.OPERATOR, kind="danger")

    async def _remove(self) -> None:
        if await call_handler(change_handler(self.view, "remove", lambda: [self.id])):
            ui.navigate.to("/targets")  # below the console's own root

    async def _start(self, context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            target = await stored.get(conn, self.id)
            started = await run_actions.start(
                conn,
                context.actor,
                target["source_id"],
                context.parts.settings.schedule,
                [self.id],
                gated=context.parts.gated,
            )
        if started.run_id is None:
            raise Conflict("the page was not queued: it is queued already, it is paused, or the queue is full")
        return f"Run {started.run_id} has started."

    def _last(self, target: Row) -> None:
        with card("Last visit"):
            facts(
                {
                    "When": lambda: moment(target["last_scraped_at"]),
                    "Result": _result(target["last_status"]),
                    "Error": target["last_error"],
                    "Failures in a row": target["consecutive_failures"],
                    "Page last changed": lambda: moment(target["last_changed_at"]),
                    "Read by": f"{target['adapter_id']} {target['last_adapter_version'] or ''}".strip(),
                    "Source": lambda: link(target["source_name"], f"/sources/{target['source_id']}"),
                    "Domain": lambda: link(target["domain"], f"/domains/{target['domain']}"),
                    "Added": lambda: moment(target["created_at"]),
                    "Added by": target["created_by"],
                }
            )

    def _choice(self, target: Row) -> None:
        with card("What is read", "One variant, or the price at a selector. Leave empty to let the adapter decide."):
            proposed = self.view.query("selector")
            choice = stored_choice(target)
            if proposed and proposed != choice.selector:
                quiet("Proposed: the place of the price you corrected. Save it to read the price there from now on.")
                choice = msgspec.structs.replace(choice, selector=proposed)
            fields = choice_fields(choice)

            async def save(context: ActionContext) -> str:
                async with context.parts.database.transaction() as conn:
                    await choose(conn, context.actor, self.id, choice_of(fields))
                return "Saved. The next visit reads it."

            saving = act(self.view, UserRole.OPERATOR, "choose what is read", save, about=self.id)
            button("Save choice", self.part.after(saving), view=self.view, needs=UserRole.OPERATOR)

    def _visiting(self, target: Row) -> None:
        by_hand = target["schedule"] is None and target["crawl_frequency"] is None
        with card("Next visits"):
            every = target["expected_every"]
            expected = (
                "only by hand" if every is None else f"every {formatting.duration(every.total_seconds())} at most"
            )
            facts({"Due": lambda: moment(target["next_crawl_at"]), "Expected": expected})
            times = CadenceInputs(target["schedule"], target["crawl_frequency"], by_hand=by_hand)
            priority = text_field(
                "Priority",
                str(target["priority"]),
                kind="number",
                help_text="Higher values are visited first within the site; default 0.",
            )
            enabled = switch_field(
                "Enabled", bool(target["enabled"]), help_text="When off, this page is never fetched."
            )
            notes = area_field("Notes", target["notes"] or "", rows=2)

            async def save(context: ActionContext) -> str:
                chosen = times.value
                same = (chosen.schedule, chosen.every, chosen.by_hand) == (
                    target["schedule"],
                    None if target["schedule"] else target["crawl_frequency"],
                    by_hand,
                )
                changes = {"priority": priority.value, "enabled": bool(enabled.value), "notes": notes.value or None}
                async with context.parts.database.transaction() as conn:
                    await target_actions.update(
                        conn, context.actor, context.parts.intake, self.id, changes, None if same else chosen
                    )
                return "Saved."

            button(
                "Save",
                self.part.after(act(self.view, UserRole.OPERATOR, "change a target", save, about=self.id)),
                view=self.view,
                needs=UserRole.OPERATOR,
                kind="primary",
            )

    async def _visits(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            async with self.view.reading() as conn:
                found, following = await tasks.of_target(
                    conn, self.id, after=None if after is None else UUID(after), limit=limit
                )
            return [_visit(task) for task in found], following

        await Grid(self.view, VISITS, load, empty=NOT_YET, caption="Visits of this target", rows=10).refresh()


def _result(last_status: str | None) -> str:
    shown = result_cell(last_status)
    return ": ".join(filter(None, (shown["text"], shown.get("sub"))))


def _visit(task: Row) -> Row:
    return {
        "id": cell(str(task["id"])[:13], path=f"/tasks/{task['id']}", title=str(task["id"]), mono=True),
        "status": task_state(task),
        "outcome": cell(task["outcome"], task["reason"] or task["last_error"]),
        "at": when(task["finished_at"]),
    }
