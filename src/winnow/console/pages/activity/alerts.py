"""Alerts: what a person should look at, and who is told about it (P-099)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from winnow.actions import alerts as alert_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, number, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import select_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, facts, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import alerts as queries
from winnow.queries import publish
from winnow.queries.reading import Row

COLUMNS = [Column("severity", "Severity"), Column("title", "What"), Column("times", "Times", "right"),
           Column("since", "Since"), Column("seen", "Last seen"), Column("state", "State")]  # fmt: skip
SEVERITIES = {"": "All", "P1": "P1 · urgent", "P2": "P2 · today", "P3": "P3 · information"}
STATES = {"open": "Open", "all": "All, including resolved"}
HOURS = {"1": "1 hour", "8": "8 hours", "24": "a day", "168": "a week"}
EMPTY = Empty(
    "No open alerts",
    "Nothing needs your attention. Adapters that drift, feeds that wait for approval, sites that fail and messages "
    "that cannot be delivered are listed here.",
    "Alert receivers", "/webhooks",
)  # fmt: skip
# Where what an alert is about can be looked at, by the name in its details.
PLACES = {"feed_id": "/feeds/{}", "source_id": "/sources/{}", "domain": "/domains/{}", "delivery_id": "/deliveries/{}"}

Change = Callable[[Any, str, Sequence[int]], Awaitable[list[int]]]


@page("/alerts", "Alerts", group="Now", icon="notifications", order=20, key="a")
async def build(view: View) -> None:
    heading("Alerts", "P1 is urgent, P2 should be handled today, P3 is information. Most alerts close automatically.")
    with FilterBar(view) as filters:
        state = filters.choice("Show", STATES, "state", "open")
        severity = filters.choice("Severity", SEVERITIES, "severity")
        code = filters.search("Code", "code", "e.g. dead_letters")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.listed(
                conn, everything=state.value == "all", severity=severity.wanted, code=code.wanted,
                after=int(after) if after else None, limit=limit,
            )  # fmt: skip
        return [_row(one, view) for one in found], following

    with div("w-filters"):
        hours = select_field("Silence for", HOURS, "8")
        for label, make in (("Silence", _silence), ("Acknowledge", _acknowledge), ("Resolve", _resolve)):
            button(f"{label} selected", make(view, lambda: grid.chosen, lambda: grid.refresh(), lambda: hours.value),
                   view=view, needs=UserRole.OPERATOR)  # fmt: skip
    one = {
        name: make(view, None, lambda: grid.refresh(), lambda: hours.value)
        for name, make in (("ack", _acknowledge), ("resolve", _resolve))
    }
    grid: Grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Alerts", selectable=True, actions=one))
    await grid.refresh()
    await _alert_receivers(view)


@page("/alerts/{alert_id:int}", "Alert", parent="/alerts")
async def build_one(view: View, alert_id: int) -> None:
    async with view.reading() as conn:
        found = await queries.one(conn, alert_id)
    if found is None:
        raise NotFound(f"there is no alert {alert_id}")
    with heading(found["title"], f"Alert {alert_id} · {found['code']}"):
        _buttons(view, found)
    with columns():
        with card("What happened"):
            facts({
                "Severity": lambda: badge(found["severity"], SEVERITIES[found["severity"]]),
                "State": _state(found)["text"], "Times": found["occurrences"], "Since": found["opened_at"],
                "Last seen": found["last_seen_at"], "Acknowledged by": found["acknowledged_by"],
                "Silenced until": found["silenced_until"], "Resolved by": found["resolved_by"],
            })  # fmt: skip
        with card("Details"):
            if found["details"]:
                facts({formatting.humanize(name): value for name, value in found["details"].items()})
            else:
                quiet("No details.")
            with row():
                for name, place in PLACES.items():
                    if found["details"].get(name) is not None:
                        message = formatting.humanize(name.removesuffix("_id"))
                        link(
                            f"{message} {found['details'][name]}", place.format(found["details"][name]), cls="w-button"
                        )


def _buttons(view: View, found: Row) -> None:
    if found["resolved_at"] is not None:
        return
    ids, again = [found["id"]], reload_page(view)
    with div("w-filters"):
        hours = select_field("Silence for", HOURS, "8")
        for label, make in (("Silence", _silence), ("Acknowledge", _acknowledge), ("Resolve", _resolve)):
            handler = make(view, lambda: ids, again, lambda: hours.value)
            button(label, handler, view=view, needs=UserRole.OPERATOR, kind="primary" if label == "Resolve" else "")


def _chosen(context: ActionContext, chosen: Callable[[], list[int]] | None) -> list[int]:
    ids = chosen() if chosen is not None else [int(context.arguments)]
    if not ids:
        raise InvalidInput("select at least one alert first")
    return ids


def _acknowledge(view: View, chosen: Any, then: Any, _: Any) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            done = await alert_actions.acknowledge(conn, context.actor, _chosen(context, chosen))
        return f"{_alerts(done)} acknowledged. It stays open and sends no more notifications."

    return act(view, UserRole.OPERATOR, "alert.acknowledge", work, then=then)


def _silence(view: View, chosen: Any, then: Any, hours: Callable[[], str]) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            length = timedelta(hours=float(hours()))
            done = await alert_actions.silence(conn, context.actor, _chosen(context, chosen), length)
        return f"{_alerts(done)} silenced for {HOURS[hours()]}."

    return act(view, UserRole.OPERATOR, "alert.silence", work, then=then)


def _resolve(view: View, chosen: Any, then: Any, _: Any) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            done = await alert_actions.resolve(conn, context.actor, _chosen(context, chosen))
        return f"{_alerts(done)} resolved. A new alert opens if it happens again."

    return act(view, UserRole.OPERATOR, "alert.resolve", work, then=then)


def _alerts(ids: Sequence[int]) -> str:
    return "1 alert" if len(ids) == 1 else f"{len(ids)} alerts"


async def _alert_receivers(view: View) -> None:
    """Who is told: an alert that nobody hears of is worth knowing too."""
    async with view.reading() as conn:
        found, _ = await publish.endpoints(conn, limit=200)
    hearing = [e for e in found if e["enabled"] and any(t in ("*", "alert.*", "alert.opened") for t in e["topics"])]
    with card("Alert receivers", "Receivers subscribed to alerts, and the severities each one gets."):
        if not hearing:
            quiet("None: alerts are shown only in this console.")
            with row():
                link("Add a receiver", "/webhooks/new", cls="w-button")
            return
        facts({e["name"]: f"{', '.join(e['severities']) or 'none'}{' · some sources only' if e['source_ids'] else ''}"
               for e in hearing})  # fmt: skip


def _row(found: Row, view: View) -> dict[str, Any]:
    acts = []
    if found["resolved_at"] is None and view.may(UserRole.OPERATOR):
        acts = [action("ack", "Acknowledge")] if found["acknowledged_at"] is None else []
        acts.append(action("resolve", "Resolve"))
    return {
        "id": found["id"], "label": f"alert {found['id']}", "actions": acts,
        "tone": {"P1": "bad", "P2": "warn"}.get(found["severity"]) if found["resolved_at"] is None else None,
        "severity": cell(found["severity"], tone=formatting.tone_of(found["severity"])),
        "title": cell(found["title"], found["code"], path=f"/alerts/{found['id']}"),
        "times": number(found["occurrences"]), "since": when(found["opened_at"]), "seen": when(found["last_seen_at"]),
        "state": _state(found),
    }  # fmt: skip


def _state(found: Row) -> dict[str, Any]:
    now = datetime.now(UTC)
    if found["resolved_at"] is not None:
        return cell("Resolved", f"by {found['resolved_by']}")
    if found["silenced_until"] is not None and found["silenced_until"] > now:
        return cell("Silenced", f"until {formatting.ago(found['silenced_until'], now)}".replace("until in", "for"))
    if found["acknowledged_at"] is not None:
        return cell("Acknowledged", f"by {found['acknowledged_by']}")
    return cell("New")
