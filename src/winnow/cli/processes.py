"""The commands that stay: each is a process of its own, `up` supervises them all (DESIGN §11.19)."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from winnow.cli.session import process_settings, schema_ready

if TYPE_CHECKING:
    from winnow.settings import Settings


def up() -> None:
    """Starts everything and keeps it running; Ctrl-C stops it.

    Database, scheduler, workers, upkeep, the API and the console, each a process of its own."""
    loaded = process_settings()
    from winnow.run import up as supervisor
    from winnow.run.bind import listening

    listening(loaded).close()  # reports a port in use before anything starts

    def ready(password: str | None) -> None:
        where = f"http://{loaded.api.api_host}:{loaded.api.api_port}"
        typer.echo(f"Winnow is up. Console: {where}/console  API: {where}/api/v1  (Ctrl-C stops it)", err=True)
        if password is not None:
            kept = loaded.db.folder / "console-password"
            typer.echo(f"The console's first user is admin, password {password} (kept in {kept})", err=True)

    supervisor.main(loaded, lambda: _share_metrics(loaded), ready)


def worker(
    until_empty: Annotated[bool, typer.Option("--until-empty", help="Exit when the queue is empty.")] = False,
) -> None:
    """Runs a worker: fetches and stores queued tasks. Start several on any machine."""
    loaded = process_settings()
    schema_ready(loaded)
    from winnow.run import worker as process

    process.main(loaded, until_empty=until_empty)


def scheduler() -> None:
    """Runs the scheduler: queues due targets. Several may run; one is active at a time."""
    loaded = process_settings()
    schema_ready(loaded)
    from winnow.run import scheduler as process

    process.main(loaded)


def upkeep() -> None:
    """Runs maintenance: rescues lost tasks, retries, cleans up, delivers messages. Several may run."""
    loaded = process_settings()
    schema_ready(loaded)
    from winnow.run import upkeep as process

    process.main(loaded)


def api(
    console: Annotated[bool, typer.Option(help="Serve the console beside the API, under /console.")] = True,
) -> None:
    """Serves the REST API and the console.

    With --no-console start as many as you like behind a proxy of yours; the console belongs in one of them."""
    loaded = process_settings()
    schema_ready(loaded)
    from winnow.api import serve as process

    if console:
        from winnow.console.front import mount_console

        process.main(loaded, mount_console)
    else:
        process.main(loaded)


def demo(
    break_template: Annotated[
        bool, typer.Option("--break-template", help="Only the part in which the shop is redesigned and repaired.")
    ] = False,
    fast: Annotated[
        bool, typer.Option("--fast", help="Exit automatically; exit code 0 when every step was seen.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Port of API and console. Default: a free one.")
    ] = None,
) -> None:
    """Runs a demonstration with a small local shop and a guided tour.

    Prices arrive and move, an SFTP catalogue is connected, a site misbehaves; the template breaks and drift is caught,
    half of the catalogue goes missing, is blocked and approved; stored pages are replayed. Nothing is left behind."""
    from winnow.demo import tour

    tour.main(fast=fast, break_template=break_template, port=port)


def _share_metrics(loaded: Settings) -> None:
    """The processes started from here add their metrics up through files (prometheus multiprocess mode).
    What an earlier start left there is gone: counters begin at zero, as Prometheus expects."""
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
        return
    folder = loaded.db.folder / "metrics"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True, mode=0o700)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder)
