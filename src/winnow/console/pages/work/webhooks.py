"""Receivers: who is told about what. Secrets are shown once, when they are made (R-23)."""

from __future__ import annotations

import re
from typing import Any

from nicegui import ui

from winnow.actions import webhooks
from winnow.console.act import Doing, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import words
from winnow.console.widgets.cells import cell, number, state
from winnow.console.widgets.form import Field, select_field, switch_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, mono, quiet
from winnow.console.widgets.parts import Empty, asked, badge, button, card, columns, facts, row, shown_anew
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import Role
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
    "Nobody is told yet",
    "A receiver is a webhook of yours or a Slack channel. It hears the topics it is "
    "added "
    "for: prices that change, runs that end, alerts.",
    "Add a receiver",
    "/webhooks/new",
)
CHANNELS = {"webhook": "Webhook", "slack": "Slack"}
TOPICS_HELP = "Comma separated: price.changed, alert.* for all that begin so, or * for everything."
SOURCES_HELP = "Ids, comma separated. Empty: all sources."
OFF = (
    "Nothing is sent to it until it is enabled again. Messages that wait for it become dead; what happens "
    "meanwhile it "
    "does not hear."
)


@page("/webhooks", "Receivers", group="Work", icon="podcasts", order=45)
async def build(view: View) -> None:
    with heading("Receivers", "Webhooks and Slack channels that are told about changes and alerts."):
        if view.may(Role.ADMIN):
            link("Add a receiver", "/webhooks/new", cls="w-button w-primary")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.endpoints(conn, int(after) if after else None, limit)
        return [_row(one) for one in found], following

    grid = Grid(view, COLUMNS, load, empty=EMPTY, caption="Receivers")
    await grid.refresh()


@page("/webhooks/new", "New receiver", parent="/webhooks", role=Role.ADMIN)
async def build_new(view: View) -> None:
    heading("New receiver", "It hears what happens from now on.")
    made_here = div()
    with card() as box:
        form = _Form(None)

        async def add(doing: Doing) -> str:
            ring = await doing.parts.secrets.ring()
            async with doing.parts.database.transaction() as conn:
                made, secret = await webhooks.add(conn, doing.actor, ring, doing.parts.allow, **form.given())
            box.set_visibility(False)
            with made_here, card():
                _made(made.name, made.id, secret)
            return f"Receiver {made.name} is added."

        with row():
            button("Add", act(view, Role.ADMIN, "add a receiver", add), kind="primary")
            link("Cancel", "/webhooks", cls="w-button")


def _made(name: str, endpoint_id: int, secret: str | None) -> None:
    quiet(f"{name} is added.")
    if secret is not None:
        quiet("Its messages are signed with this secret. It is shown now and never again; copy it to the receiver.")
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
        with card("What it is"):
            facts(
                {
                    "State": lambda: _shown(found),
                    "Why": found["disabled_reason"],
                    "Address": found["url"],
                    "Failures in a row": found["consecutive_failures"],
                    "Secret": "stored, sealed; never shown" if found["secret_ciphertext"] is not None else "none",
                    "Audience": words.words(found["audience"]),
                    "Added": found["created_at"],
                    "By": found["created_by"],
                }
            )
        with card("What it hears"):
            if by_settings:
                quiet("This channel comes from WINNOW_SLACK_WEBHOOK_URL; change it there.")
                facts({"Topics": found["topics"], "Alerts": found["severities"]})
            elif view.may(Role.ADMIN):
                _change(view, found)
            else:
                facts(
                    {"Topics": found["topics"], "Alerts": found["severities"], "Sources": found["source_ids"] or "all"}
                )
                quiet("Changing it needs the role admin.")


def _switch(view: View, found: Row) -> None:
    name, endpoint_id = found["name"], found["id"]

    def turning(on: bool) -> Any:
        async def turn(doing: Doing) -> str:
            ring = await doing.parts.secrets.ring()
            async with doing.parts.database.transaction() as conn:
                await webhooks.change(conn, doing.actor, ring, doing.parts.allow, endpoint_id, {"enabled": on})
            return f"{name} is {'enabled' if on else 'disabled'}."

        return act(view, Role.ADMIN, "switch a receiver", turn, about=endpoint_id, then=shown_anew(view))

    async def remove(doing: Doing) -> str:
        async with doing.parts.database.transaction() as conn:
            await webhooks.remove(conn, doing.actor, endpoint_id)
        return f"{name} is removed."

    if found["enabled"]:
        button("Disable", asked(f"Disable {name}?", OFF, "Disable", turning(False)), view=view, needs=Role.ADMIN)
    else:
        button("Enable", turning(True), view=view, needs=Role.ADMIN, kind="primary")
    gone = act(
        view, Role.ADMIN, "remove a receiver", remove, about=endpoint_id, then=lambda: ui.navigate.to("/webhooks")
    )
    button(
        "Remove",
        asked(
            f"Remove {name}?",
            "The receiver and the record of everything that was sent to it are deleted. This cannot be taken back.",
            "Remove",
            gone,
        ),
        view=view,
        needs=Role.ADMIN,
        kind="danger",
    )


def _change(view: View, found: Row) -> None:
    form = _Form(found)

    async def save(doing: Doing) -> str:
        ring = await doing.parts.secrets.ring()
        async with doing.parts.database.transaction() as conn:
            await webhooks.change(conn, doing.actor, ring, doing.parts.allow, found["id"], form.given())
        return "Saved."

    with row():
        button(
            "Save",
            act(view, Role.ADMIN, "change a receiver", save, about=found["id"], then=shown_anew(view)),
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
                    {a: words.words(a) for a in AUDIENCES},
                    "operator",
                    help_text="A consumer hears only of offers consumers may see.",
                )
            hidden = known["channel"] == "slack"
            self.url = text_field(
                "Address" if self._new else "New address",
                kind="url",
                placeholder="https://hooks.example.com/…",
                help_text="Of a Slack channel all of it is a secret: only its host is shown afterwards."
                if self._new or hidden
                else f"Empty keeps {known['url']}",
            )
            self.topics = text_field("Topics", ", ".join(known["topics"]), help_text=TOPICS_HELP)
            self.sources = text_field(
                "Only these sources", ", ".join(map(str, known["source_ids"])), help_text=SOURCES_HELP
            )
            self.secret = text_field(
                "Secret" if self._new else "New secret",
                kind="password",
                autocomplete="new-password",
                help_text="Signs the messages of a webhook. Empty: one is made."
                if self._new
                else "Empty keeps the old one.",
            )
            with div("w-field"):
                quiet("Alerts it hears")
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
                raise InvalidInput("name the address messages are sent to", "url")
            values |= {"name": self.name.value, "channel": self.channel.value, "audience": self.audience.value}
        return values


def _words(text: str) -> list[str]:
    return [part for part in re.split(r"[,\s]+", text.strip()) if part]


def _numbers(field: Field) -> list[int]:
    parts = _words(field.value)
    if not all(part.isascii() and part.isdigit() and len(part) < 19 for part in parts):
        raise InvalidInput("sources are named by their ids, e.g. 3, 17", "source_ids")
    return [int(part) for part in parts]


def _shown(found: Row) -> Any:
    return badge("enabled") if found["enabled"] else badge("disabled")


def _row(found: Row) -> dict[str, Any]:
    return {
        "id": found["id"],
        "label": found["name"],
        "name": cell(found["name"], found["url"], path=f"/webhooks/{found['id']}"),
        "channel": CHANNELS[found["channel"]],
        "topics": cell(", ".join(found["topics"]) or "only what is addressed to it"),
        "severities": cell(", ".join(found["severities"])),
        "sources": cell(found["source_ids"] or "all"),
        "failures": number(found["consecutive_failures"]),
        "status": state("enabled" if found["enabled"] else "disabled"),
    }
