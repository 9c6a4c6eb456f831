"""Deliveries: what was told to whom, and what did not arrive. Dead ones are sent again from here (S-074, R-24)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from winnow.actions import webhooks
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link, mono
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import publish as queries
from winnow.queries.reading import Row

COLUMNS = [
    Column("topic", "Message"),
    Column("to", "To"),
    Column("status", "State"),
    Column("tries", "Attempts", "right"),
    Column("said", "Last answer"),
    Column("made", "Made"),
]
STATES = {"": "All", "pending": "Waiting", "sending": "Being sent", "delivered": "Delivered", "dead": "Dead"}
MAX_AT_ONCE = 1_000
EMPTY = Empty(
    "No deliveries",
    "Every message to a webhook or a Slack channel is listed here with its attempts. "
    "Nothing was "
    "sent yet, or nothing matches the filters.",
    "Receivers",
    "/webhooks",
)
AGAIN = (
    "is sent again under its own id, so that a receiver can recognise duplicates. Messages being sent are not affected."
)


@page("/deliveries", "Deliveries", group="Work", icon="outgoing_mail", order=40, key="d")
async def build(view: View) -> None:
    with heading(
        "Deliveries",
        "Messages sent to receivers. Outages are retried for about a day; failed messages can be resent below.",
    ):
        link("Receivers", "/webhooks", cls="w-button")
    async with view.reading() as conn:
        receivers, _ = await queries.endpoints(conn, limit=200)
    names = {str(e["id"]): e["name"] for e in receivers}
    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status")
        receiver = filters.choice("Receiver", {"": "All", **names}, "receiver")
        topic = filters.search("Topic", "topic", "e.g. alert.opened")

    def match() -> dict[str, Any]:
        return {"topic": topic.wanted, "endpoint_id": int(receiver.value) if receiver.value else None}

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.deliveries(
                conn, status=status.wanted, **match(), after=int(after) if after else None, limit=limit
            )
        return [_row(one, names, view) for one in found], following

    async def chosen() -> list[int]:
        return list(grid.chosen)

    async def dead() -> list[int]:
        async with view.reading() as conn:
            found, _ = await queries.deliveries(conn, status="dead", **match(), limit=MAX_AT_ONCE)
        return [one["id"] for one in found]

    with row():
        button(
            "Redeliver selected", _redeliver(view, chosen, lambda: grid.refresh()), view=view, needs=UserRole.OPERATOR
        )
        button(
            "Redeliver all dead",
            confirmed(
                "Redeliver all that are dead?",
                f"Up to {MAX_AT_ONCE} dead messages that the filters match are sent again; each {AGAIN}",
                "Redeliver",
                _redeliver(view, dead, lambda: grid.refresh()),
            ),
            view=view,
            needs=UserRole.OPERATOR,
        )
    again = {"again": _redeliver(view, None, lambda: grid.refresh())}
    grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Deliveries", selectable=True, actions=again))
    await grid.refresh()


@page("/deliveries/{delivery_id:int}", "Delivery", parent="/deliveries")
async def build_one(view: View, delivery_id: int) -> None:
    async with view.reading() as conn:
        found = await queries.delivery(conn, delivery_id)
        receiver = await queries.endpoint(conn, found["endpoint_id"]) if found and found["endpoint_id"] else None
    if found is None:
        raise NotFound(f"there is no delivery {delivery_id}")

    async def this() -> list[int]:
        return [delivery_id]

    with heading(f"Delivery {delivery_id}", found["topic"]):
        if found["status"] in ("dead", "delivered"):
            button(
                "Redeliver",
                confirmed(
                    "Redeliver this message?",
                    f"It {AGAIN}",
                    "Redeliver",
                    _redeliver(view, this, reload_page(view)),
                ),
                view=view,
                needs=UserRole.OPERATOR,
                kind="primary",
            )
    with columns():
        with card("Result"):
            facts(
                {
                    "State": lambda: badge(found["status"], STATES[found["status"]]),
                    "Attempts": found["attempts"],
                    "Last answer": _status_text(found),
                    "Took": _took(found),
                    "Made": found["created_at"],
                    "Delivered": found["delivered_at"],
                    "Next attempt": found["next_attempt_at"] if found["status"] == "pending" else None,
                    "Message id": found["message_id"],
                    "About": found["key"],
                }
            )
        with card("Receiver"):
            facts(
                {
                    "Receiver": receiver["name"] if receiver else "callback of a job",
                    "Address": found["url"],
                    "Channel": formatting.humanize(found["channel"]),
                }
            )
            with row():
                if receiver is not None:
                    link("The receiver", f"/webhooks/{receiver['id']}", cls="w-button")
                if found["job_id"] is not None:
                    link("The job", f"/jobs/{found['job_id']}", cls="w-button")
        with card("Message", wide=True):
            mono(json.dumps(found["payload"], indent=2, ensure_ascii=False, default=str))


def _redeliver(view: View, chosen: Any, then: Callable[[], Any]) -> Any:
    async def work(context: ActionContext) -> str:
        ids = await chosen() if chosen is not None else [int(context.arguments)]
        if not ids:
            raise InvalidInput("nothing to do: select deliveries that are dead or delivered")
        async with context.parts.database.transaction() as conn:
            done = await webhooks.redeliver(conn, context.actor, ids)
        return f"{len(done)} of {len(ids)} sent again." if len(ids) > 1 else "The message is sent again."

    return act(view, UserRole.OPERATOR, "redeliver", work, then=then)


def _row(found: Row, names: dict[str, str], view: View) -> dict[str, Any]:
    over = found["status"] in ("dead", "delivered") and view.may(UserRole.OPERATOR)
    return {
        "id": found["id"],
        "label": f"delivery {found['id']}",
        "actions": [action("again", "Redeliver")] if over else [],
        "topic": cell(found["topic"], found["key"], path=f"/deliveries/{found['id']}"),
        "to": cell(_receiver(found["endpoint_id"], names), found["url"]),
        "status": state(found["status"], STATES[found["status"]]),
        "tries": str(found["attempts"]),
        "said": cell(_status_text(found)),
        "made": when(found["created_at"]),
    }


def _receiver(endpoint_id: int | None, names: dict[str, str]) -> str:
    if endpoint_id is None:
        return "Callback of a job"
    return names.get(str(endpoint_id), f"Receiver {endpoint_id}")  # of very many, not all have a name here


def _status_text(found: Row) -> str | None:
    if found["last_error"]:
        return str(found["last_error"])[:160]
    return f"HTTP {found['last_status_code']}" if found["last_status_code"] is not None else None


def _took(found: Row) -> str | None:
    return None if found["last_duration_ms"] is None else f"{found['last_duration_ms']} ms"
