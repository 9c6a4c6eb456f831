"""One task: the trip of one URL, from the page as fetched to the verdict."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from nicegui import ui

from winnow.actions import runs as run_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import task_state
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.page_text import read_page, show_facts, show_text, text_of
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, show_empty, when
from winnow.errors import NotFound
from winnow.observe.users import UserRole
from winnow.queries import tasks
from winnow.queries.reading import Row

CANCEL_TEXT = "It is removed from the queue and counted as cancelled. Its target is visited again when it is due."


@page("/tasks/{task_id:uuid}", "Task", parent="/runs")
async def build(view: View, task_id: UUID) -> None:
    async with view.reading() as conn:
        task = await tasks.one(conn, task_id)
        drafts, records = await tasks.read(conn, task_id)
    if task is None:
        raise NotFound(f"there is no task {task_id}")
    buttons = heading("Task", task["url"])
    if task["status"] == "queued":
        with buttons:
            stop = confirmed("Cancel this task?", CANCEL_TEXT, "Cancel the task", _cancel(view, task_id))
            button("Cancel the task", stop, view=view, needs=UserRole.OPERATOR, kind="danger", sign="stop")
    with columns():
        _trip(task)
        _verdicts(records)
    _drafts(drafts)
    await _page(view, task["page_id"])
    _errors(task["errors"])


def _cancel(view: View, task_id: UUID) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await run_actions.cancel_task(conn, context.actor, task_id)
        return "The task is cancelled."

    return act(view, UserRole.OPERATOR, "cancel a task", work, about=task_id, then=ui.navigate.reload)


def _trip(task: Row) -> None:
    with card("Visit"):
        run = task["run_id"]
        facts({
            "Status": lambda: badge(task["status"], task_state(task)["text"], tone=task_state(task)["tone"]),
            "Outcome": (lambda: badge(task["outcome"])) if task["outcome"] else formatting.NOTHING,
            "Reason": task["reason"],
            "Error": task["last_error"],
            "Stage reached": task["stage"],
            "Run": (lambda: link(f"Run {run}", f"/runs/{run}")) if run else formatting.NOTHING,
            "Domain": task["domain"],
            "Adapter": task["adapter_id"],
            "Attempts": f"{task['attempts']} of {task['max_attempts']}, {task['losses']} lost workers",
            "Created": lambda: when(task["created_at"]),
            "Started": lambda: when(task["started_at"]),
            "Finished": lambda: when(task["finished_at"]),
        })  # fmt: skip


def _verdicts(records: list[Row]) -> None:
    with card("Verdict", "The decision about the values that were read."):
        if not records:
            show_empty(Empty("No record", "No decision: the page was not fetched, could not be read, or has not "
                                          "changed since the last decision."))  # fmt: skip
        for record in records:
            with div("w-row"):
                badge(record["verdict"])
                tag("span", record["payload"].get("title") or record["record_key"] or "")
            for finding in record["findings"]:
                with div("w-finding"):
                    tag("strong", finding.get("reason", ""))
                    tag("span", f"gate {finding.get('gate', '')}: {finding.get('details', '')}", cls="w-sub")
            facts(_status_text(record["payload"]))


def _status_text(payload: dict[str, Any]) -> dict[str, Any]:
    """The record's own values, the long and the empty ones left out."""
    shown: dict[str, Any] = {}
    for name, value in payload.items():
        if isinstance(value, dict) and set(value) == {"minor", "currency"}:
            shown[formatting.humanize(name)] = formatting.money(value["minor"], value["currency"])
        elif isinstance(value, str | int | float | bool) and value != "":
            shown[formatting.humanize(name)] = (
                value if not isinstance(value, str) or len(value) < 300 else value[:299] + "…"
            )
    return shown


def _drafts(drafts: list[Row]) -> None:
    with card("Drafts", "Raw values as found on the page, with their origin. The first value is used."):
        if not drafts:
            show_empty(Empty("No draft", "Nothing was extracted in this visit."))
        for draft in drafts:
            quiet(f"{formatting.humanize(draft['kind'])} by {draft['strategy']} · {draft['adapter_id'] or 'generic'} "
                  f"{draft['adapter_version'] or ''} · confidence {draft['confidence']:.2f}")  # fmt: skip
            _values(draft["values"])


def _values(values: dict[str, Any]) -> None:
    with div("w-grid-wrap", tabindex="0", role="region", aria_label="Values of the draft"), tag("table", cls="w-grid"):
        with tag("thead"), tag("tr"):
            for name in ("Field", "Raw value", "Strategy", "Place"):
                tag("th", name, scope="col")
        with tag("tbody"):
            for field, candidates in values.items():
                for candidate in candidates if isinstance(candidates, list) else [candidates]:
                    _value(field, candidate)


def _value(field: str, candidate: Any) -> None:
    given = candidate if isinstance(candidate, dict) else {"raw": candidate}
    raw = str(given.get("raw", ""))
    with tag("tr"):
        for label, text, mono in (
            ("Field", field, False),
            ("Raw value", raw if len(raw) <= 400 else raw[:399] + "…", True),
            ("Strategy", given.get("strategy", formatting.NOTHING), False),
            ("Place", given.get("path", formatting.NOTHING), True),
        ):
            with tag("td", data_label=label):
                tag("span", text, cls="w-mono" if mono else "")


async def _page(view: View, page_id: UUID | None) -> None:
    with card("The page as it was fetched", "Shown as text only, so that scripts of the site cannot run here."):
        found = await read_page(view, page_id) if page_id is not None else None
        if found is None:
            show_empty(
                Empty(
                    "No page", "Nothing was fetched in this visit, or the page was deleted by the retention settings."
                )
            )
            return
        show_facts(found)
        if found.body is None:
            quiet("Its body was not kept or was deleted by the retention settings.")
            return
        text = await text_of(found)
        with tag("details", open=True):
            tag("summary", "Visible text")
            show_text(text)
        with tag("details"):
            tag("summary", "Source")
            show_text(found.source())


def _errors(errors: list[Row]) -> None:
    if not errors:
        return
    with card("Failed attempts"):
        for error in errors:
            with div("w-finding"):
                tag("strong", f"{error['error_type']} in {error['stage']}")
                tag("span", error["error_message"] or "", cls="w-sub")
                when(error["occurred_at"])
