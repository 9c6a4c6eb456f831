"""The test run of a feed: a worker reads its first rows and writes nothing (F-107, FN-11)."""

from __future__ import annotations

import time
from typing import Any
from uuid import UUID

from nicegui import ui

from winnow.actions import feeds as feed_actions
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.html import Tag, div, quiet, tag
from winnow.console.widgets.parts import badge, button, card, facts, row
from winnow.errors import WinnowError
from winnow.observe.users import UserRole

LOOK_SECONDS = 0.7
PATIENCE_SECONDS = 15.0  # after that it is said that there may be no worker
SAMPLE = {"item_id": "Item", "sku": "SKU", "title": "Title", "price": "Price", "in_stock": "In stock", "gtin": "GTIN",
          "url": "Address"}  # fmt: skip
PROBLEM = {"row_number": "Row", "code": "Code", "message": "Problem"}


def test_card(view: View, feed_id: int) -> None:
    with card("Test", "Fetches the file and reads its first 100 rows. Nothing is stored or activated."):
        buttons, box = row(), div()

        async def ask(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                task_id = await feed_actions.test(conn, feed_id)
            _Waiting(view, box, UUID(task_id))
            return ""

        with buttons:
            button("Test the feed", act(view, UserRole.OPERATOR, "feed.test", ask, about=feed_id), view=view,
                   needs=UserRole.OPERATOR)  # fmt: skip


class _Waiting:
    """Looks for the answer of the worker until it is there."""

    def __init__(self, view: View, box: Tag, task_id: UUID) -> None:
        self._view, self._box, self._task, self._since = view, box, task_id, time.monotonic()
        box.clear()
        with box, div("w-progress", role="status"):
            self._status_text = tag("span", "Waiting for a worker …")
            tag("progress", aria_label="The test is running")
            self._timer = ui.timer(LOOK_SECONDS, self._look)

    async def _look(self) -> None:
        if await self._view.current() is None:
            self._timer.cancel()
            return
        try:
            async with self._view.connection() as conn:
                found = await feed_actions.job(conn, self._task)
        except WinnowError as error:
            found = {"status": "failed", "error": str(error), "result": None}
        if found["status"] in ("queued", "running"):
            if found["status"] == "running":
                self._status_text.set_text("Fetching and reading the file …")
            elif time.monotonic() - self._since > PATIENCE_SECONDS:
                self._status_text.set_text("Still waiting for a worker. Is `winnow up` (or `winnow worker`) running?")
            return
        self._timer.cancel()
        self._box.clear()
        with self._box:
            show_result(found["result"] or {"success": False, "error": found["error"] or "the test did not run"})


def show_result(result: dict[str, Any]) -> None:
    with div("w-stack", role="status"):
        if result.get("error"):
            with row():
                badge("failed", "The file could not be read", tone="bad")
            facts({"Why": result["error"], "Code": result.get("error_code"), "What to do": result.get("hint")})
            return
        good = result["success"]
        with row():
            badge(
                "ok",
                "The file is readable" if good else "The file is readable, with errors",
                tone="good" if good else "warn",
            )
        facts({"Rows checked": result["rows_detected"], "Format": result["format_detected"],
               "Encoding": result["encoding_detected"], "Columns": _columns(result.get("columns_detected") or {}),
               "Host key": result.get("host_key_fingerprint")})  # fmt: skip
        _table("The first rows, as they would be stored", SAMPLE, [_sample(one) for one in result["rows"]])
        _table("Rows that would be rejected", PROBLEM, result["errors"])
        _table("Warnings", PROBLEM, result["warnings"])


def _columns(found: dict[str, str]) -> str:
    return "; ".join(f"{field}: {names}" for field, names in found.items())


def _sample(one: dict[str, Any]) -> dict[str, Any]:
    return {**one, "price": formatting.money(one.get("price_minor"), one.get("currency"))}


def _table(title: str, columns: dict[str, str], rows: list[dict[str, Any]]) -> None:
    """A few rows of text: no paging, no actions."""
    if not rows:
        return
    quiet(title)
    with div("w-grid-wrap", tabindex="0", role="region", aria_label=title), tag("table", cls="w-grid"):
        with tag("thead"), tag("tr"):
            for label in columns.values():
                tag("th", label, scope="col")
        with tag("tbody"):
            for one in rows:
                with tag("tr"):
                    for name, label in columns.items():
                        with tag("td", data_label=label):
                            tag("span", formatting.text(one.get(name)))
