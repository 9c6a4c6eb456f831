"""`winnow agenda URL` reads an agenda at once; `winnow events …` lists events, merges, separates and hides them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.agendas import daily_runs
from winnow.cli.session import AsJson, Limit, actor, assembled, run

if TYPE_CHECKING:
    from winnow.kinds.assess import Judged

app = typer.Typer(help="Events: what agendas list, each once.", no_args_is_help=True)

app.command("run")(daily_runs.start)
app.command("day")(daily_runs.day)
app.command("days")(daily_runs.days)

EventId = Annotated[int, typer.Argument(help="Id of an event.", show_default=False, min=1)]
Why = Annotated[str | None, typer.Option("--reason", help="Kept in the audit trail.")]
COLUMNS = {
    "ID": "id",
    "DAY": "event_date",
    "HOUR": "event_time",
    "TITLE": "title",
    "VENUE": "venue_name",
    "CATEGORY": "category",
    "STATUS": "event_status",
    "SOURCE": "source_name",
}
AGENDA = {"DAY": "event_date", "HOUR": "event_time", "TITLE": "title", "VENUE": "venue_name", "VERDICT": "verdict"}
STATES = ("published", "hidden", "gone", "merged", "missing")


def agenda(
    url: Annotated[str, typer.Argument(help="A page, calendar or feed that lists events.", show_default=False)],
    browser: Annotated[bool, typer.Option("--browser", help="Use a browser, for pages built by scripts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows the events a page lists, each with its verdict; stores nothing."""
    run(_agenda(url, browser, as_json))


async def _agenda(url: str, browser: bool, as_json: bool) -> None:
    from winnow.actions import scrape_url
    from winnow.cli import show
    from winnow.fetch.tiers import Way
    from winnow.kinds.event import EVENT

    async with assembled() as parts:
        way = Way.DYNAMIC if browser else Way.STATIC
        scraped = await scrape_url.scrape_kind(parts.database, parts.settings, url, EVENT, None, way=way)
    seen = scraped.assessment
    found = [_listed(judged) for judged in seen.records] if seen is not None else []
    if seen is None:
        typer.echo(f"the page was not read: {scraped.result.error or scraped.result.outcome}", err=True)
    if as_json:
        show.as_json(found)
    elif seen is not None:
        show.table(AGENDA, found, seen.empty or f"no events found: {seen.details or seen.failure or 'nothing listed'}")
        for note in _notes(found):
            show.message(note)
    if seen is None or (seen.failure is not None and not found):
        raise typer.Exit(1)


def _notes(found: list[dict[str, Any]]) -> list[str]:
    """What a source of this page has to know, as its events do not say it."""
    notes = []
    if any("zone" in (one.get("inferred") or []) for one in found):
        notes.append("no time zone is named: its source needs one, such as --timezone Europe/Amsterdam")
    if any(one.get("latitude") is None and not (one.get("location") or {}).get("city") for one in found):
        notes.append("not every event names its town: its source needs a place, such as --coordinates 52.01,4.36")
    return notes


def _listed(judged: Judged) -> dict[str, Any]:
    verdict = judged.verdict
    reasons = "; ".join(finding.details or str(finding.reason) for finding in verdict.findings)
    return judged.data | {"verdict": f"{verdict.decision}: {reasons}" if reasons else str(verdict.decision)}


@app.command("list")
def list_(
    text: Annotated[str | None, typer.Option("--text", help="Words of title, venue, town or performer.")] = None,
    category: Annotated[str | None, typer.Option(help="One of the ten categories.")] = None,
    source: Annotated[int | None, typer.Option(help="Id of a source.", min=1)] = None,
    state: Annotated[
        str | None, typer.Option(help=f"All rows of one state, also past ones: {', '.join(STATES)}.")
    ] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows events to come as consumers see them; with --state also what they do not see."""
    if state is not None and state not in STATES:
        raise typer.BadParameter(f"one of {', '.join(STATES)}", param_hint="--state")
    run(_list(text, category, source, state, limit, as_json))


async def _list(
    text: str | None, category: str | None, source: int | None, state: str | None, limit: int, as_json: bool
) -> None:
    from datetime import UTC, datetime

    from winnow.cli import show
    from winnow.queries.events import lists
    from winnow.queries.reading import reader

    since = datetime.now(UTC) if state is None else None
    wanted = lists.Filters(
        since=since, categories=(category,) if category else (), text=text, source_id=source, status=state
    )
    query = lists.listed if state is None else lists.all_rows
    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await query(conn, wanted, limit=limit)
    if as_json:
        show.as_json(found)
    else:
        show.table(COLUMNS, found, "no events")


@app.command("show")
def show_(event_id: EventId, as_json: AsJson = False) -> None:
    """Shows one event: its values, every source that lists it, and what changed."""
    run(_show(event_id, as_json))


async def _show(event_id: int, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries.events import lists
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found = await lists.one(conn, event_id)
    if found is None:
        raise NotFound(f"there is no event {event_id}")
    if as_json:
        show.as_json(found)
        return
    known = {name: value for name, value in found.items() if name not in ("members", "changes", "merges")}
    show.fields({name: value for name, value in known.items() if value not in (None, "", [], {})})
    show.table(COLUMNS, found["members"], "listed nowhere")
    show.table({"WHEN (UTC)": "changed_at", "CAUSE": "cause", "CHANGES": "changes"}, found["changes"], "never changed")


@app.command()
def merge(
    event_id: EventId,
    other: Annotated[int, typer.Argument(help="The event that is the same.", show_default=False, min=1)],
    reason: Why = None,
    as_json: AsJson = False,
) -> None:
    """Shows two events as one. Both are kept, and `winnow events unmerge` restores them."""
    run(_merge(event_id, other, reason, as_json))


async def _merge(event_id: int, other: int, reason: str | None, as_json: bool) -> None:
    from winnow.actions import events
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        merged = await events.merge(conn, actor(), event_id, other, reason=reason or "by a person")
    summary = f"event {merged.merged_id} is shown as event {merged.kept_id}"
    show.done(as_json, summary, kept_id=merged.kept_id, merged_id=merged.merged_id)


@app.command()
def unmerge(event_id: EventId, reason: Why = None, as_json: AsJson = False) -> None:
    """Takes an event out of the one it is shown as; the rules never merge the two again."""
    run(_unmerge(event_id, reason, as_json))


async def _unmerge(event_id: int, reason: str | None, as_json: bool) -> None:
    from winnow.actions import events
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        undone = await events.unmerge(conn, actor(), event_id, reason=reason)
    summary = f"event {undone.merged_id} is no longer shown as event {undone.kept_id}"
    show.done(as_json, summary, kept_id=undone.kept_id, merged_id=undone.merged_id)


@app.command()
def hide(event_id: EventId, reason: Why = None, as_json: AsJson = False) -> None:
    """Hides an event from consumers until it is restored."""
    run(_set_hidden(event_id, reason, as_json, hidden=True))


@app.command()
def restore(event_id: EventId, reason: Why = None, as_json: AsJson = False) -> None:
    """Shows a hidden event again."""
    run(_set_hidden(event_id, reason, as_json, hidden=False))


async def _set_hidden(event_id: int, reason: str | None, as_json: bool, *, hidden: bool) -> None:
    from winnow.actions import events
    from winnow.cli import show

    change = events.hide if hidden else events.restore
    async with assembled() as parts, parts.database.transaction() as conn:
        await change(conn, actor(), event_id, reason=reason)
    show.done(as_json, f"event {event_id} is {'hidden' if hidden else 'shown again'}", event_id=event_id)


@app.command()
def doubts(limit: Limit = 50, as_json: AsJson = False) -> None:
    """Shows pairs of events that may be the same and wait for a decision."""
    run(_doubts(limit, as_json))


async def _doubts(limit: int, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.queries.events import lists
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await lists.doubts(conn, limit=limit)
    columns = {
        "ID": "id",
        "SCORE": "score",
        "FIRST": "low_title",
        "SECOND": "high_title",
        "DAY": "low_event_date",
        "VENUE": "low_venue_name",
    }
    if as_json:
        show.as_json(found)
    else:
        show.table(columns, found, "no pair waits for a decision")


@app.command()
def decide(
    doubt_id: Annotated[int, typer.Argument(help="Id of a doubt.", show_default=False, min=1)],
    same: Annotated[bool, typer.Option("--same/--distinct", help="Whether both are one event.", show_default=False)],
    reason: Why = None,
    as_json: AsJson = False,
) -> None:
    """Decides whether two events are one."""
    run(_decide(doubt_id, same, reason, as_json))


async def _decide(doubt_id: int, same: bool, reason: str | None, as_json: bool) -> None:
    from winnow.actions import events
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await events.decide_doubt(conn, actor(), doubt_id, same=same, reason=reason)
    show.done(as_json, f"doubt {doubt_id}: {'one event' if same else 'two events'}", doubt_id=doubt_id, same=same)
