"""Jobs of the scraping service: what backends asked for, how far it is, and what came of each URL (S-027 … S-041)."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from winnow.actions import scraping
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, mono, quiet, tag
from winnow.console.widgets.parts import (
    Empty,
    badge,
    button,
    card,
    columns,
    confirmed,
    facts,
    figure,
    refresh_every,
    reload_page,
)
from winnow.errors import NotFound
from winnow.observe.users import UserRole
from winnow.queries import jobs as queries
from winnow.queries import scrape
from winnow.queries.reading import Row

COLUMNS = [
    Column("job", "Job"),
    Column("status", "State"),
    Column("done", "Done", "right"),
    Column("failed", "Failed", "right"),
    Column("total", "Tasks", "right"),
    Column("made", "Requested"),
    Column("ended", "Ended"),
]
TASKS = [
    Column("url", "Page"),
    Column("type", "Type"),
    Column("status", "State"),
    Column("why", "Why"),
    Column("ended", "Ended"),
]
STATES = {
    "": "All",
    "queued": "Queued or running",
    "completed": "Completed",
    "partially_completed": "Partly completed",
    "failed": "Failed",
    "cancelled": "Cancelled",
}
EMPTY = Empty(
    "No jobs",
    "A job is a batch of pages requested through the API (POST /api/v1/scrape/batch). "
    "There is none yet, or none matches the filters.",
)
NO_TASKS = Empty("The tasks are deleted", "Finished tasks are listed for WINNOW_KEEP_TASKS_DAYS.")
SECONDS = 3.0  # between two looks at a job under way


@page("/jobs", "Jobs", group="Work", icon="work_history", order=20, key="j")
async def build(view: View) -> None:
    heading("Jobs", "Batches of pages requested through the scraping API.")
    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status")
        workspace = filters.search("Workspace", "workspace")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.listed(
                conn,
                status=status.wanted,
                workspace_id=workspace.wanted,
                after=UUID(after) if after else None,
                limit=limit,
            )
        return [_row(one) for one in found], following

    grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Jobs"))
    await grid.refresh()
    refresh_every(SECONDS, grid.refresh, view)


@page("/jobs/{job_id}", "Job", parent="/jobs")
async def build_one(view: View, job_id: str) -> None:
    key = _id(job_id)
    found = await _job(view, key)
    with heading(f"Job {str(key)[:8]}…", f"{found['workspace_id'] or 'no workspace'} · {key}") as buttons:
        pass
    with div("w-figures"):
        shown = {name: figure(label, formatting.number(found[name])) for name, label in FIGURES.items()}
    with div("w-progress"):
        progress = tag("progress", aria_label="Progress of the job", max=found["total_tasks"], value=_over(found))
    with columns():
        with card("The job"):
            facts(
                {
                    "State": lambda: _badge(found),
                    "Requested": found["created_at"],
                    "Ended": found["finished_at"],
                    "Callback": found["callback_url"],
                }
            )

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            tasks, following = await queries.tasks(conn, key, after=UUID(after) if after else None, limit=limit)
        return [_task(one, key) for one in tasks], following

    with card("Its tasks", "One per page, in the order of the request."):
        grid = Grid(view, TASKS, load, empty=NO_TASKS, caption="Tasks of the job")
        await grid.refresh()

    reload = reload_page(view)

    async def look() -> None:
        now = await _job(view, key)
        for name, element in shown.items():
            element.show(formatting.number(now[name]))
        progress.props["value"] = _over(now)
        progress.update()
        await grid.refresh()
        if now["finished_at"] is not None and found["finished_at"] is None:
            reload()

    if found["finished_at"] is None:
        refresh_every(SECONDS, look, view)
        with buttons:
            button(
                "Cancel the job",
                confirmed(
                    "Cancel this job?",
                    "Its queued tasks will not run. Those that run now finish, and what is finished "
                    "stays. "
                    "The callback is sent as usual.",
                    "Cancel the job",
                    act(view, UserRole.OPERATOR, "cancel a job", _cancel(key), about=key, then=reload),
                ),
                view=view,
                needs=UserRole.OPERATOR,
                kind="danger",
            )


FIGURES = {
    "total_tasks": "Tasks",
    "completed_tasks": "Completed",
    "failed_tasks": "Failed",
    "cancelled_tasks": "Cancelled",
}


@page("/jobs/{job_id}/tasks/{task_id}", "Task of a job", parent="/jobs")
async def build_task(view: View, job_id: str, task_id: str) -> None:
    async with view.reading() as conn:
        found = await scrape.task(conn, _id(task_id))
    if found is None or found["job_id"] != _id(job_id):
        raise NotFound(f"there is no task {task_id} in job {job_id}")
    with heading("Task of a job", found["target_url"]):
        link("The job", f"/jobs/{job_id}", cls="w-button")
    with columns():
        with card("Result"):
            facts(
                {
                    "State": lambda: badge(found["status"]),
                    "Type": found["target_type"],
                    "Why": found["error"],
                    "Attempts": found["attempts"],
                    "Requested": found["created_at"],
                    "Ended": found["completed_at"],
                    "Fields": found["requested_fields"] or "all",
                }
            )
        with card("Result"):
            if found["result"] is None:
                quiet("No result: the task is not done, was not accepted, or its data was erased.")
            else:
                mono(json.dumps(found["result"], indent=2, ensure_ascii=False, default=str))
        if found["problems"]:
            with card("Why fields are empty"):
                facts(found["problems"])


def _cancel(key: UUID) -> Any:
    async def work(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            gone = await scraping.cancel_job(conn, context.actor, key)
        return f"The job is cancelled: {gone} queued tasks will not run."

    return work


async def _job(view: View, key: UUID) -> Row:
    async with view.reading() as conn:
        found = await scrape.job(conn, key)
    if found is None:
        raise NotFound(f"there is no job {key}")
    return found


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound(f"there is no job {text!r}") from None


def _over(found: Row) -> int:
    return int(found["completed_tasks"] + found["failed_tasks"] + found["cancelled_tasks"])


def _badge(found: Row) -> Any:
    return badge(found["status"], formatting.humanize(found["status"]))


def _row(found: Row) -> dict[str, Any]:
    return {
        "id": str(found["id"]),
        "label": f"job {found['id']}",
        "job": cell(
            f"{str(found['id'])[:8]}…",
            found["workspace_id"],
            path=f"/jobs/{found['id']}",
            mono=True,
            title=str(found["id"]),
        ),
        "status": state(found["status"]),
        "done": number(found["completed_tasks"]),
        "failed": number(found["failed_tasks"]),
        "total": number(found["total_tasks"]),
        "made": when(found["created_at"]),
        "ended": when(found["finished_at"]),
    }


def _task(found: Row, job: UUID) -> dict[str, Any]:
    status = scrape.status_of(found["status"], found["outcome"])
    why = found["reason"] if status in ("failed", "cancelled") else None
    return {
        "id": str(found["id"]),
        "label": found["url"],
        "url": cell(found["url"], path=f"/jobs/{job}/tasks/{found['id']}"),
        "type": cell(found["adapter_id"]),
        "status": state(status),
        "why": cell(formatting.humanize(why) if why else None, found["last_error"]),
        "ended": when(found["finished_at"]),
    }
