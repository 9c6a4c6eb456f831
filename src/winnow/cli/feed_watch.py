"""Waiting for a run or a test that a worker does."""

from __future__ import annotations

import asyncio
import time
from typing import Any
from uuid import UUID

import typer
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from winnow.actions import feeds
from winnow.cli import show
from winnow.db.engine import Database
from winnow.queries import feeds as queries
from winnow.queries.reading import Row, reader

POLL_SECONDS = 0.5
PATIENCE = 15.0  # seconds in the queue after which a missing worker is suspected


async def wait_for_run(database: Database, task_id: UUID, quiet: bool) -> dict[str, Any]:
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
            return await _until_it_ends(database, task_id, bar)
        except asyncio.CancelledError:
            typer.echo("the run continues in the background; `winnow feed show FEED` shows its result", err=True)
            raise


async def _until_it_ends(database: Database, task_id: UUID, bar: Progress) -> dict[str, Any]:
    shown = bar.add_task("queued", total=None)
    began = time.monotonic()
    while True:
        job = await _job(database, task_id)
        if job["status"] == "queued" and time.monotonic() - began > PATIENCE:
            bar.update(shown, description="queued; is a worker running (`winnow up`)?")
        row = await _run(database, job["run_id"]) if job["run_id"] else None
        if row is not None:
            bar.update(shown, description=row["status"].lower(), completed=row["rows_read"] or 0)
        if job["status"] not in ("queued", "running"):
            return dict(row) if row is not None else {"status": job["status"], "error_message": job["error"]}
        await asyncio.sleep(POLL_SECONDS)


async def wait_for_test(database: Database, task_id: UUID) -> dict[str, Any]:
    hint: float | None = time.monotonic() + PATIENCE
    while True:
        job: dict[str, Any] = await _job(database, task_id)
        if job["status"] == "queued" and hint is not None and time.monotonic() > hint:
            typer.echo("still queued: is a worker running (`winnow up`)?", err=True)
            hint = None
        if job["status"] not in ("queued", "running"):
            return job
        await asyncio.sleep(POLL_SECONDS)


async def _job(database: Database, task_id: UUID) -> dict[str, Any]:
    async with database.connection() as conn:
        return await feeds.job(conn, task_id)


async def _run(database: Database, run_id: int) -> Row:
    async with reader(database) as conn:
        return await queries.run(conn, run_id)
