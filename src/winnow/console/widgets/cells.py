"""Cells of a grid. A cell is a text, or a dict with what else it has (grid.js draws it)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from winnow.console.urls import href
from winnow.console.widgets import formatting

Cell = dict[str, Any]


def cell(
    text: object,
    sub: object = None,
    *,
    path: str | None = None,
    tone: str | None = None,
    title: str | None = None,
    mono: bool = False,
) -> Cell:
    """`path` makes it a link to a page of ours, `tone` a badge, `sub` is a second, quieter line."""
    given = {
        "text": formatting.text(text), "sub": None if sub is None else formatting.text(sub),
        "href": None if path is None else href(path), "tone": tone, "title": title, "mono": mono or None,
    }  # fmt: skip
    return {name: value for name, value in given.items() if value is not None}


def when(moment: datetime | None, *, path: str | None = None) -> Cell:
    """How long ago, with the moment itself as its title."""
    if moment is None:
        return {"text": formatting.NOTHING}
    return cell(formatting.ago(moment, datetime.now(UTC)), title=formatting.absolute(moment), path=path)


def state(name: object, message: str | None = None) -> Cell:
    """A badge in the colour its word has everywhere."""
    if name is None:
        return {"text": formatting.NOTHING}
    return cell(message or formatting.humanize(name), tone=formatting.tone_of(name))


def with_picture(shown: Cell, path: str | None, alt: str = "") -> Cell:
    """`path` is an address of ours: pages load nothing from elsewhere."""
    return shown if path is None else {**shown, "image": path, "alt": alt}


def sparkline(values: list[int], message: str) -> Cell:
    """A small line from the oldest value to the newest; `message` says it in words."""
    return {"line": values, "title": message} if len(values) > 1 else {"text": formatting.NOTHING}


NOT_DONE = {"robots_blocked": "Forbidden by robots.txt", "cancelled": "Cancelled", "stale": "Waited too long"}


def task_state(task: dict[str, Any]) -> Cell:
    """How a visit ended. The queue calls a task done when nothing is left to do, also when nothing was fetched."""
    outcome = task["outcome"] or task["status"]
    if outcome in NOT_DONE:
        return cell(NOT_DONE[outcome], tone="warn")
    return state(task["status"])


def number(value: float | None) -> Cell:
    return {"text": formatting.number(value)}


def money(minor: int | None, currency: str | None) -> Cell:
    return {"text": formatting.money(minor, currency)}


def action(name: str, label: str, *, danger: bool = False) -> Cell:
    """A button in the row: row["actions"] = [action("retry", "Retry")]."""
    return {"name": name, "label": label, "danger": danger}
