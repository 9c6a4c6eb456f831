"""Doctor: what this machine has and lacks, with what to do about it."""

from __future__ import annotations

from collections import Counter

from winnow.actions import doctor as doctor_actions
from winnow.actions.doctor import Check
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.html import Tag, div, quiet, tag
from winnow.console.widgets.parts import badge, button
from winnow.console.widgets.progress import ProgressBar, Report

LABELS = {"ok": "OK", "warn": "Warning", "fail": "Failed"}


@page("/doctor", "Doctor", group="System", icon="medical_services", order=60, key="h")
async def build(view: View) -> None:
    buttons = heading("Doctor", "The same checks as the command winnow doctor. They change nothing.")
    shown = div("w-stack")

    async def examine() -> None:
        shown.clear()
        with shown:
            progress = ProgressBar("Checking the machine, the database, the archive and the browser")
        await progress.track(lambda report: _checked(view, shown, report))

    with buttons:
        button("Run again", examine, sign="refresh")
    await _checked(view, shown)


async def _checked(view: View, shown: Tag, report: Report = lambda done, of, description: None) -> None:
    found = await doctor_actions.of(view.settings)
    with shown:
        tag("p", _summary(found), role="status")
        with div("w-card"):
            for check in sorted(found, key=lambda c: ("fail", "warn", "ok").index(c.state)):
                _check(check)


def _summary(found: list[Check]) -> str:
    """12 passed, 3 warnings, 1 failed; without the zeros."""
    by_state = Counter(check.state for check in found)
    parts = [f"{by_state['ok']} passed"]
    if by_state["warn"]:
        parts.append(formatting.count(by_state["warn"], "warning"))
    if by_state["fail"]:
        parts.append(f"{by_state['fail']} failed")
    return f"{', '.join(parts)}."


def _check(check: Check) -> None:
    with div("w-check-line"):
        badge(check.state, LABELS[check.state])
        with div():
            tag("strong", check.name.capitalize())
            tag("span", check.says, cls="w-sub")
            if check.todo:
                quiet(f"→ {check.todo}")
