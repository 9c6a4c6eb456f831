"""`winnow crawling …`: whether pages are visited at all."""

from __future__ import annotations

import typer

from winnow.cli.session import AsJson, actor, assembled, run

app = typer.Typer(help="Crawling: pause, resume or stop all visits of pages.", no_args_is_help=True)


@app.command("status")
def status(as_json: AsJson = False) -> None:
    """Shows whether everything is paused, and how many tasks there are."""
    run(_status(as_json))


async def _status(as_json: bool) -> None:
    from winnow.cli import show
    from winnow.queries import tasks
    from winnow.queries.reading import reader
    from winnow.schedule import crawling

    async with assembled() as parts:
        async with parts.database.connection() as conn:
            state = await crawling.state(conn)
        async with reader(parts.database) as reading:
            counted = await tasks.summary(reading)
    shown = {"paused": state["paused_at"] is not None, **state, **counted["by_status"]}
    if as_json:
        show.as_json(shown)
    else:
        show.fields(shown)


@app.command("pause")
def pause(as_json: AsJson = False) -> None:
    """Pauses everything: no page is scheduled or fetched. Running visits finish; feeds go on."""
    run(_change("pause_all", "paused", as_json))


@app.command("resume")
def resume(as_json: AsJson = False) -> None:
    """Resumes everything where it was."""
    run(_change("resume_all", "resumed", as_json))


@app.command("stop")
def stop(as_json: AsJson = False) -> None:
    """Pauses everything and cancels all queued visits."""
    run(_change("stop_all", "stopped, visits cancelled:", as_json))


async def _change(what: str, word: str, as_json: bool) -> None:
    from winnow.actions.catalogue import control
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        changed = await getattr(control, what)(conn, actor())
    summary = f"crawling: {word} {changed}" if what == "stop_all" else f"crawling: {word if changed else 'unchanged'}"
    show.done(as_json, summary, changed=changed)
