"""Waiting for a run or a test that a worker does."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from winnow.cli import show

POLL_SECONDS = 0.5
PATIENCE = 15.0  # seconds in the queue after which somebody should look whether a worker runs


async def watched(parts: Any, task_id: Any, quiet: bool) -> dict[str, Any]:
    """The run until it has ended; the bar counts rows, which are known only as they come. Whoever stops watching does
    not stop the run."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,} rows"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=show.console(), disable=quiet, transient=True) as bar:
        try:
            return await _until_it_ends(parts, task_id, bar)
        except asyncio.CancelledError:
            typer.echo("the run goes on without you; `winnow feed show FEED` says how", err=True)
            raise


async def _until_it_ends(parts: Any, task_id: Any, bar: Progress) -> dict[str, Any]:
    shown = bar.add_task("queued", total=None)
    began = time.monotonic()
    while True:
        job = await parts.feeds.task(task_id)
        if job["status"] == "queued" and time.monotonic() - began > PATIENCE:
            bar.update(shown, description="queued; is a worker running (`winnow up`)?")
        row = await parts.feeds.run(job["run_id"]) if job["run_id"] else None
        if row is not None:
            bar.update(shown, description=row["status"].lower(), completed=row["rows_read"] or 0)
        if job["status"] not in ("queued", "running"):
            return dict(row) if row is not None else {"status": job["status"], "error_message": job["error"]}
        await asyncio.sleep(POLL_SECONDS)


async def tested(parts: Any, task_id: Any) -> dict[str, Any]:
    hint: float | None = time.monotonic() + PATIENCE
    while True:
        job: dict[str, Any] = await parts.feeds.task(task_id)
        if job["status"] == "queued" and hint is not None and time.monotonic() > hint:
            typer.echo("still queued: is a worker running (`winnow up`)?", err=True)
            hint = None
        if job["status"] not in ("queued", "running"):
            return job
        await asyncio.sleep(POLL_SECONDS)
