"""One source: whether it is visited and when, who may see its prices, and who said it may be read."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from winnow.actions import runs as run_actions
from winnow.actions import sources as source_actions
from winnow.actions.intake import Cadence, database_now
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.watching.agenda_card import agenda_card
from winnow.console.pages.watching.reading import draw_reading
from winnow.console.pages.watching.sources import PAUSE_TEXT, pause_handler, state_of
from winnow.console.pages.watching.targets import TARGET_COLUMNS, target_row
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.form import area_field, select_field, switch_field, text_field
from winnow.console.widgets.grid import Grid
from winnow.console.widgets.html import div, link, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, figure, row, when
from winnow.console.widgets.refreshable import Refreshable
from winnow.console.widgets.times import next_times, show_times
from winnow.errors import InvalidInput, NotFound, WinnowError
from winnow.observe.users import UserRole
from winnow.queries import sources, targets

Row = dict[str, Any]
NO_TARGETS = Empty("No targets", "This source has no pages.", "Watch a page", "/add")


@page("/sources/{source_id}", "Source", parent="/sources")
async def build(view: View, source_id: str) -> None:
    await SourcePage(view, parse_id(source_id, "source")).part.refresh()


def parse_id(given: str, what: str) -> int:
    if not (given.isascii() and given.isdigit() and len(given) < 19):
        raise NotFound(f"there is no {what} {given!r}")
    return int(given)


class SourcePage:
    def __init__(self, view: View, source_id: int) -> None:
        self.view, self.id = view, source_id
        self.part = Refreshable(self._load, self._draw)

    async def _load(self) -> Row:
        async with self.view.reading() as conn:
            found = await sources.one(conn, self.id)
        if found is None:
            raise NotFound(f"there is no source {self.id}")
        return found

    async def _draw(self, source: Row) -> None:
        self._head(source)
        with columns():
            with div("w-stack"):
                self._visiting(source)
                draw_reading(self.view, source, self.part.after)
            with div("w-stack"):
                if source["kind"] == "event":
                    agenda_card(self.view, self.part, source)
                self._trust(source)
                self._compliance(source)
        with card("Targets", "The pages of this source.", wide=True):
            await self._targets()

    def _head(self, source: Row) -> None:
        with heading(source["name"], f"{source['domain']} · reads {formatting.kinds(source['kind'])}"):
            shown = state_of(source)
            badge("", shown["text"], tone=shown["tone"])
            if source["paused"]:
                button(
                    "Resume",
                    self.part.after(pause_handler(self.view, self.id, False)),
                    view=self.view,
                    needs=UserRole.OPERATOR,
                    kind="primary",
                )
            else:
                pause = confirmed("Pause this source?", PAUSE_TEXT, "Pause it", pause_handler(self.view, self.id, True))
                button("Pause", self.part.after(pause), view=self.view, needs=UserRole.OPERATOR)
            start = act(self.view, UserRole.OPERATOR, "start a run", self._start, about=self.id)
            button("Visit all now", self.part.after(start), view=self.view, needs=UserRole.OPERATOR)
            link("Its runs", "/runs", cls="w-button", source_id=self.id)
        with div("w-figures"):
            by_status = source["targets_by_status"]
            figure("Targets", sum(by_status.values()), path="/targets")
            figure("Active", by_status.get("ACTIVE", 0), tone="good")
            figure("Paused", by_status.get("PAUSED", 0))
            figure(
                "Broken or stale",
                by_status.get("BROKEN", 0) + by_status.get("STALE", 0),
                tone="bad" if by_status.get("BROKEN") else "",
            )

    async def _start(self, context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            started = await run_actions.start(
                conn, context.actor, self.id, context.parts.settings.schedule, gated=context.parts.gated
            )
        if started.run_id is None:
            return "There is nothing to visit."
        return f"Run {started.run_id} has started; pages to visit: {len(started.accepted)}."

    # when and how

    def _visiting(self, source: Row) -> None:
        with card("Visits", "When and in which order its pages are visited."):
            facts(
                {
                    "Last good run": lambda: when(source["last_success_at"]),
                    "Last failed run": lambda: when(source["last_failure_at"]),
                    "Read by": source["adapter_id"] or "its domain's adapter, else the generic one",
                }
            )
            priority = text_field(
                "Priority",
                str(source["priority"]),
                kind="number",
                help_text="Higher values are visited first within the site; default 0.",
            )
            cron = text_field(
                "Cron schedule of new targets",
                source["schedule"] or "",
                placeholder="0 */4 * * *",
                help_text="Leave empty for once a day. Targets with their own schedule keep it.",
                on_change=lambda: show(),
            )
            times = div("w-times", aria_live="polite")
            notes = area_field("Notes", source["notes"] or "", rows=2)

            def show() -> None:
                cron.set_error("")
                times.clear()
                with times:
                    try:
                        found = next_times(Cadence(schedule=cron.value or None), datetime.now(UTC))
                        show_times(found, title="A target added now would be visited")
                    except WinnowError as wrong:
                        cron.set_error(str(wrong))

            show()

            async def save(context: ActionContext) -> str:
                changes = {"priority": priority.value, "schedule": cron.value or None, "notes": notes.value or None}
                return await self._update(context, changes)

            button(
                "Save",
                self.part.after(act(self.view, UserRole.OPERATOR, "change a source", save, about=self.id)),
                view=self.view,
                needs=UserRole.OPERATOR,
                kind="primary",
            )

    async def _update(self, context: ActionContext, changes: Row) -> str:
        async with context.parts.database.transaction() as conn:
            await source_actions.update(conn, context.actor, context.parts.intake, self.id, changes)
        return "Saved."

    # who may see it

    def _trust(self, source: Row) -> None:
        with card("Trust and visibility", "What consumers can see."):
            visibility = select_field(
                "Prices of this source",
                {"INELIGIBLE": "are hidden from consumers", "ELIGIBLE": "are shown to consumers"},
                source["visibility_status"] or "INELIGIBLE",
                help_text="Hidden prices are still collected and checked. Showing them takes effect at once for the "
                "whole history.",
            )
            upc = switch_field(
                "Trust its product codes (GTIN, UPC)",
                bool(source["upc_trusted"]),
                help_text="When on, its GTIN and UPC codes link offers to products of other sources. "
                "When off, a code must be confirmed by another source.",
            )
            expiry = text_field(
                "Hide offers not seen for (hours)",
                str(source["expiry_hours"] or ""),
                kind="number",
                help_text="Leave empty for never.",
                min="1",
            )
            note = text_field("Why", source["trust_note"] or "", help_text="Kept with the decision.")
            if source["reviewed_at"]:
                quiet(f"Last decided by {source['reviewed_by']}.")

            async def save(context: ActionContext) -> str:
                changes = {
                    "visibility_status": visibility.value,
                    "upc_trusted": bool(upc.value),
                    "expiry_hours": hours(expiry.value),
                    "note": note.value or None,
                }
                async with context.parts.database.transaction() as conn:
                    await source_actions.change_trust(conn, context.actor, self.id, changes)
                return "Saved: its prices are shown." if visibility.value == "ELIGIBLE" else "Saved: it is hidden."

            ask = confirmed(
                "Change what consumers see?",
                "It takes effect at once for all prices of this source.",
                "Change limits",
                act(self.view, UserRole.ADMIN, "change the trust of a source", save, about=self.id),
            )
            button("Save", self.part.after(ask), view=self.view, needs=UserRole.ADMIN, kind="primary")

    # who said it may be read

    def _compliance(self, source: Row) -> None:
        reviewed = source["tos_reviewed_at"] is not None
        with card("Compliance record", "Who reviewed the terms of the site, and whether fetching is allowed."):
            facts(
                {
                    "Terms reviewed": lambda: when(source["tos_reviewed_at"]),
                    "Approved by": source["tos_approved_by"],
                    "robots.txt": "obeyed" if source["robots_compliant"] else "blocks every page of this source",
                    "Added": lambda: when(source["created_at"]),
                    "Added by": source["created_by"],
                }
            )
            if not reviewed:
                quiet("An adapter for this site is not used until its terms are reviewed.")
            link("Audit trail", "/audit", object_type="source", object_id=self.id)
            compliant = switch_field(
                "Allowed by robots.txt",
                bool(source["robots_compliant"]),
                help_text="When off, no page of this source is fetched.",
            )

            async def approve(context: ActionContext) -> str:
                async with context.parts.database.transaction() as conn:
                    now = None if reviewed else await database_now(conn)
                    changes = {"tos_reviewed_at": now, "tos_approved_by": None if reviewed else context.actor}
                    await source_actions.update(conn, context.actor, context.parts.intake, self.id, changes)
                return "The approval is withdrawn." if reviewed else "The review is recorded."

            async def save(context: ActionContext) -> str:
                return await self._update(context, {"robots_compliant": bool(compliant.value)})

            with row():
                button(
                    "Save",
                    self.part.after(
                        act(self.view, UserRole.ADMIN, "change the compliance record", save, about=self.id)
                    ),
                    view=self.view,
                    needs=UserRole.ADMIN,
                )
                description = (
                    "Adapters for this site stop until it is approved again."
                    if reviewed
                    else "You confirm that you have read its terms of use and robots.txt and that it may be fetched. "
                    "Your name and the time are recorded."
                )
                verb = "Withdraw the approval" if reviewed else "Record a review"
                ask = confirmed(
                    f"{verb}?",
                    description,
                    verb,
                    act(self.view, UserRole.ADMIN, "approve a source", approve, about=self.id),
                )
                button(verb, self.part.after(ask), view=self.view, needs=UserRole.ADMIN)

    async def _targets(self) -> None:
        async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
            async with self.view.reading() as conn:
                found, following = await targets.listed(
                    conn, source_id=self.id, after=None if after is None else int(after), limit=limit
                )
            return [target_row(target) for target in found], following

        await Grid(
            self.view, TARGET_COLUMNS, load, empty=NO_TARGETS, caption="Targets of this source", rows=10
        ).refresh()


def hours(given: str) -> int | None:
    written = str(given or "").strip()
    if not written:
        return None
    if not written.isascii() or not written.isdigit() or not 1 <= int(written) <= 87_600:
        raise InvalidInput("hours must be a whole number from 1 to 87600, or empty", field="expiry_hours")
    return int(written)
