"""Doctor: what this machine has and lacks, with what to do about it."""

from __future__ import annotations

from winnow.actions import doctor as doctor_actions
from winnow.actions.doctor import Check
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.html import Tag, div, quiet, tag
from winnow.console.widgets.parts import badge, button
from winnow.console.widgets.progress import Progress, Report

SAID = {"ok": "Fine", "warn": "Look at it", "fail": "Broken"}


@page("/doctor", "Doctor", group="System", icon="medical_services", order=60, key="h")
async def build(view: View) -> None:
    buttons = heading("Doctor", "The same checks as `winnow doctor`. None of them changes anything that lasts.")
    shown = div("w-stack")

    async def examine() -> None:
        shown.clear()
        with shown:
            progress = Progress("Looking at the machine, the database, the archive and the browser")
        await progress.during(lambda report: _checked(view, shown, report))

    with buttons:
        button("Look again", examine, sign="refresh")
    await _checked(view, shown)


async def _checked(view: View, shown: Tag, report: Report = lambda done, of, says: None) -> None:
    found = await doctor_actions.of(view.settings)
    failed = sum(check.state == "fail" for check in found)
    with shown:
        tag("p", f"{failed} of {len(found)} checks failed." if failed else f"All {len(found)} checks passed or warn.",
            role="status")  # fmt: skip
        with div("w-card"):
            for check in sorted(found, key=lambda c: ("fail", "warn", "ok").index(c.state)):
                _check(check)


def _check(check: Check) -> None:
    with div("w-check-line"):
        badge(check.state, SAID[check.state])
        with div():
            tag("strong", check.name.capitalize())
            tag("span", check.says, cls="w-sub")
            if check.todo:
                quiet(f"→ {check.todo}")
