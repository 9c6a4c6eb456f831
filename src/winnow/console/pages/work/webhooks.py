"""Receivers: who is told about what. Secrets are shown once, when they are made (R-23)."""

from __future__ import annotations

import re
from typing import Any

from nicegui import ui

from winnow.actions import webhooks
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state
from winnow.console.widgets.form import FormField, select_field, switch_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, mono, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.publish.endpoints import AUDIENCES, SEVERITIES
from winnow.queries import publish as queries
from winnow.queries.reading import Row

COLUMNS = [
    Column("name", "Receiver"),
    Column("channel", "Channel"),
    Column("topics", "Hears"),
    Column("severities", "Alerts"),
    Column("sources", "Sources"),
    Column("failures", "Failures", "right"),
    Column("status", "State"),
]
EMPTY = Empty(
    "No receivers yet",
    "A receiver is a webhook or a Slack channel. It gets the topics it subscribes to: price changes, "
    "finished runs, alerts.",
    "Add a receiver",
    "/webhooks/new",
)
CHANNELS = {"webhook": "Webhook", "slack": "Slack"}
TOPICS_HELP = "Comma-separated: price.changed, alert.* for a group, or * for everything."
SOURCES_HELP = "Ids, comma-separated. Leave empty for all sources."
OFF = (
    "Nothing is sent to it until it is enabled again. Waiting messages become dead; events in "
    "between are not sent later."
)


@page("/webhooks", "Receivers", group="Work", icon="podcasts", order=45)
async def build(view: View) -> None:
    with heading("Receivers", "Webhooks and Slack channels that get changes and alerts."):
        if view.may(UserRole.ADMIN):
            link("Add a receiver", "/webhooks/new", cls="w-button w-primary")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.endpoints(conn, int(after) if after else None, limit)
        return [_row(one) for one in found], following

    grid = Grid(view, COLUMNS, load, empty=EMPTY, caption="Receivers")
    await grid.refresh()


@page("/webhooks/new", "New receiver", parent="/webhooks", role=UserRole.ADMIN)
async def build_new(view: View) -> None:
    heading("New receiver", "It gets events from now on.")
    made_here = div()
    with card() as box:
        form = _Form(None)

        async def add(context: ActionContext) -> str:
            ring = await context.parts.secrets.key_ring()
            async with context.parts.database.transaction() as conn:
                made, secret = await webhooks.add(conn, context.actor, ring, context.parts.allow, **form.given())
            box.set_visibility(False)
            with made_here, card():
                _made(made.name, made.id, secret)
            return f"Receiver {made.name} is added."

        with row():
            button("Add", act(view, UserRole.ADMIN, "add a receiver", add), kind="primary")
            link("Cancel", "/webhooks", cls="w-button")


def _made(name: str, endpoint_id: int, secret: str | None) -> None:
    quiet(f"{name} is added.")
    if secret is not None:
        quiet("Messages are signed with this secret. It is shown only once; copy it to the receiver.")
        mono(secret)
    with row():
        link("The receiver", f"/webhooks/{endpoint_id}", cls="w-button w-primary")
        link("All receivers", "/webhooks", cls="w-button")


@page("/webhooks/{endpoint_id:int}", "Receiver", parent="/webhooks")
async def build_one(view: View, endpoint_id: int) -> None:
    async with view.reading() as conn:
        found = await queries.endpoint(conn, endpoint_id)
    if found is None:
        raise NotFound(f"there is no webhook {endpoint_id}")
    by_settings = found["created_by"] == "settings"
    with heading(found["name"], f"Receiver {endpoint_id} · {CHANNELS[found['channel']]}"):
        link("Its deliveries", "/deliveries", cls="w-button", receiver=endpoint_id)
        if not by_settings:
            _switch(view, found)
    with columns():
        with card("Details"):
            facts(
                {
                    "State": lambda: _state_badge(found),
                    "Why": found["disabled_reason"],
                    "Address": found["url"],
                    "Failures in a row": found["consecutive_failures"],
                    "Secret": "stored encrypted" if found["secret_ciphertext"] is not None else "none",
                    "Audience": formatting.humanize(found["audience"]),
                    "Added": found["created_at"],
                    "By": found["created_by"],
                }
            )
        with card("Subscriptions"):
            if by_settings:
                quiet("This channel comes from WINNOW_SLACK_WEBHOOK_URL; change it there.")
                facts({"Topics": found["topics"], "Alerts": found["severities"]})
            elif view.may(UserRole.ADMIN):
                _change(view, found)
            else:
                facts(
                    {"Topics": found["topics"], "Alerts": found["severities"], "Sources": found["source_ids"] or "all"}
                )
                quiet("Changing it needs the role admin.")


def _switch(view: View, found: Row) -> None:
    name, endpoint_id = found["name"], found["id"]

    def turning(on: bool) -> Any:
        async def turn(context: ActionContext) -> str:
            ring = await context.parts.secrets.key_ring()
            async with context.parts.database.transaction() as conn:
                await webhooks.change(conn, context.actor, ring, context.parts.allow, endpoint_id, {"enabled": on})
            return f"{name} is {'enabled' if on else 'disabled'}."

        return act(view, UserRole.ADMIN, "switch a receiver", turn, about=endpoint_id, then=reload_page(view))

    async def remove(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await webhooks.remove(conn, context.actor, endpoint_id)
        return f"{name} is removed."

    if found["enabled"]:
        button(
            "Disable", confirmed(f"Disable {name}?", OFF, "Disable", turning(False)), view=view, needs=UserRole.ADMIN
        )
    else:
        button("Enable", turning(True), view=view, needs=UserRole.ADMIN, kind="primary")
    gone = act(
        view, UserRole.ADMIN, "remove a receiver", remove, about=endpoint_id, then=lambda: ui.navigate.to("/webhooks")
    )
    button(
        "Remove",
        confirmed(
            f"Remove {name}?",
            "The receiver and the record of everything that was sent to it are deleted. This cannot be undone.",
            "Remove",
            gone,
        ),
        view=view,
        needs=UserRole.ADMIN,
        kind="danger",
    )


def _change(view: View, found: Row) -> None:
    form = _Form(found)

    async def save(context: ActionContext) -> str:
        ring = await context.parts.secrets.key_ring()
        async with context.parts.database.transaction() as conn:
            await webhooks.change(conn, context.actor, ring, context.parts.allow, found["id"], form.given())
        return "Saved."

    with row():
        button(
            "Save",
            act(view, UserRole.ADMIN, "change a receiver", save, about=found["id"], then=reload_page(view)),
            kind="primary",
        )


class _Form:
    """The same fields for a new receiver and for one that is there; secrets only ever go in."""

    def __init__(self, found: Row | None) -> None:
        self._new = found is None
        known: dict[str, Any] = found or {
            "topics": ["alert.*", "run.completed", "feed.completed"],
            "severities": SEVERITIES,
            "source_ids": [],
            "channel": "webhook",
        }
        with div("w-form"):
            if self._new:
                self.name = text_field("Name", placeholder="ops channel")
                self.channel = select_field("Channel", CHANNELS, "webhook")
                self.audience = select_field(
                    "Audience",
                    {a: formatting.humanize(a) for a in AUDIENCES},
                    "operator",
                    help_text="Consumers get only offers that are public.",
                )
            hidden = known["channel"] == "slack"
            self.url = text_field(
                "Address" if self._new else "New address",
                kind="url",
                placeholder="https://hooks.example.com/…",
                help_text="The URL of a Slack channel is a secret: only its host is shown afterwards."
                if self._new or hidden
                else f"Leave empty to keep {known['url']}",
            )
            self.topics = text_field("Topics", ", ".join(known["topics"]), help_text=TOPICS_HELP)
            self.sources = text_field(
                "Only these sources", ", ".join(map(str, known["source_ids"])), help_text=SOURCES_HELP
            )
            self.secret = text_field(
                "Secret" if self._new else "New secret",
                kind="password",
                autocomplete="new-password",
                help_text="Signs the messages of a webhook. Leave empty to generate one."
                if self._new
                else "Leave empty to keep the current secret.",
            )
            with div("w-field"):
                quiet("Alert severities")
                with row():
                    self.severities = {s: switch_field(s, s in known["severities"]) for s in SEVERITIES}

    def given(self) -> dict[str, Any]:
        values: dict[str, Any] = {
            "topics": _words(self.topics.value),
            "severities": [name for name, field in self.severities.items() if field.value],
            "source_ids": _numbers(self.sources),
        }
        if self.url.value.strip():
            values["url"] = self.url.value.strip()
        if self.secret.value:
            values["secret"] = self.secret.value
        if self._new:
            if "url" not in values:
                raise InvalidInput("enter the URL to send messages to", "url")
            values |= {"name": self.name.value, "channel": self.channel.value, "audience": self.audience.value}
        return values


def _words(text: str) -> list[str]:
    return [part for part in re.split(r"[,\s]+", text.strip()) if part]


def _numbers(field: FormField) -> list[int]:
    parts = _words(field.value)
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
        raise InvalidInput("sources are named by their ids, e.g. 3, 17", "source_ids")
    return [int(part) for part in parts]


def _state_badge(found: Row) -> Any:
    return badge("enabled") if found["enabled"] else badge("disabled")


def _row(found: Row) -> dict[str, Any]:
    return {
        "id": found["id"],
        "label": found["name"],
        "name": cell(found["name"], found["url"], path=f"/webhooks/{found['id']}"),
        "channel": CHANNELS[found["channel"]],
        "topics": cell(", ".join(found["topics"]) or "only messages addressed to it"),
        "severities": cell(", ".join(found["severities"])),
        "sources": cell(found["source_ids"] or "all"),
        "failures": number(found["consecutive_failures"]),
        "status": state("enabled" if found["enabled"] else "disabled"),
    }
