"""The watch rules of one target: who is told what, and the form for another."""

from __future__ import annotations

from typing import Any

from winnow.actions import watches
from winnow.actions.watches import WatchConditions
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.form import select_field, text_field
from winnow.console.widgets.html import div, quiet, tag
from winnow.console.widgets.parts import button, confirmed, row
from winnow.console.widgets.refreshable import Refreshable
from winnow.normalise.money.display import decimal_text
from winnow.observe.users import UserRole
from winnow.queries import watches as queries

Row = dict[str, Any]
MAX_RULES = 50
CONDITIONS = {
    "below": "the price is below",
    "drop": "the price drops by",
    "back_in_stock": "it is back in stock",
    "any_change": "anything changes",
}


def describe_rule(rule: Row) -> str:
    """price_below 1999 USD -> the price is below 19.99 USD."""
    if rule["condition"] == "price_below":
        amount = decimal_text(rule["threshold_minor"], rule["threshold_exponent"])
        return f"the price is below {amount} {rule['currency'] or ''}".strip()
    if rule["condition"] == "price_drop":
        return f"the price drops by {rule['drop_percent']:g} % or more"
    return CONDITIONS[rule["condition"]]


def describe_notifications(rule: Row) -> str:
    """How often the condition was met, and whether anybody gets a notification about it."""
    met = "not met yet"
    if rule["fired_count"]:
        last = "" if rule["last_fired_at"] is None else f", last {formatting.absolute(rule['last_fired_at'])}"
        met = f"met {formatting.count(rule['fired_count'], 'time')}{last}"
    if not rule["receivers"]:
        return f"{met}; no receiver, so nobody is notified"
    return f"{met}; notifies {formatting.count(rule['receivers'], 'receiver')}"


class WatchRules:
    def __init__(self, view: View, target_id: int) -> None:
        self.view, self.target_id = view, target_id
        self.part = Refreshable(self._load, self._draw)

    async def _load(self) -> list[Row]:
        async with self.view.reading() as conn:
            found, _ = await queries.listed(conn, target_id=self.target_id, limit=MAX_RULES)
        return found

    def _draw(self, found: list[Row]) -> None:
        if not found:
            quiet("No alerts yet. A rule notifies once each time its condition is met.")
        for rule in found:
            with row("w-apart"):
                with div():
                    tag("span", f"Notify when {describe_rule(rule)}")
                    tag("span", describe_notifications(rule), cls="w-sub")
                ask = confirmed(
                    "Delete this rule?",
                    f"No more notifications when {describe_rule(rule)}.",
                    "Delete it",
                    act(self.view, UserRole.OPERATOR, "remove a watch rule", self._removing(rule["id"])),
                )
                button("Delete", self.part.after(ask), view=self.view, needs=UserRole.OPERATOR)
        if self.view.may(UserRole.OPERATOR):
            self._form()

    def _removing(self, watch_id: int) -> Any:
        async def work(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                await watches.remove(conn, context.actor, watch_id)
            return "The rule is deleted."

        return work

    def _form(self) -> None:
        with div("w-form"):
            condition = select_field("Notify when", CONDITIONS, "below", on_change=lambda: fit())
            value = text_field("Price", "", placeholder="19.99 USD")
            where = text_field(
                "Webhook (optional)",
                "",
                kind="url",
                placeholder="https://…",
                help_text="Leave empty to notify all receivers subscribed to watch messages.",
            )

        def fit() -> None:
            value.box.set_visibility(condition.value in ("below", "drop"))
            value.control.props["placeholder"] = "10%" if condition.value == "drop" else "19.99 USD"
            value.control.update()

        async def add(context: ActionContext) -> str:
            wanted: dict[str, dict[str, Any]] = {
                "below": {"below": value.value or ""},
                "drop": {"drop": value.value or ""},
                "back_in_stock": {"back_in_stock": True},
                "any_change": {"any_change": True},
            }
            ring = await context.parts.secrets.key_ring()
            async with context.parts.database.transaction() as conn:
                made = await watches.add(
                    conn,
                    context.actor,
                    ring,
                    context.parts.allow,
                    self.target_id,
                    WatchConditions(webhook_url=where.value or None, **wanted[condition.value]),
                )
            return "Added. The condition is already met, so a notification was sent." if made.fired else "Added."

        button(
            "Add this rule",
            self.part.after(act(self.view, UserRole.OPERATOR, "add a watch rule", add, about=self.target_id)),
            view=self.view,
            needs=UserRole.OPERATOR,
        )
