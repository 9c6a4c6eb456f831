"""`winnow feed …`: runs of feeds that wait for a decision, and feeds that are copied or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from winnow.cli import feed as feed_commands
from winnow.cli.feed import Which
from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.cli.targets import ByHand, Every, Schedule, cadence

if TYPE_CHECKING:
    from winnow.actions.intake import Cadence

app = feed_commands.app
RunId = Annotated[int, typer.Argument(help="Id of the run.", show_default=False, min=1, max=(1 << 63) - 1)]
ERRORS = {"ROW": "row_number", "CODE": "code", "MESSAGE": "message", "WHAT IT SAYS": "raw_row"}


@app.command("clone")
def clone(
    feed: Which,
    name: Annotated[str, typer.Argument(help="Name of the new feed.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Adds a draft with the settings and the password of another feed."""
    run(_clone(feed, name, as_json))


async def _clone(which: str, name: str, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        made = await feeds.clone(conn, actor(), parts.feed_setup, feed.id, name)
    if as_json:
        show.as_json(feeds.to_dict(made))
    else:
        show.message(f"feed {made.id}: {made.name} (draft), a copy of feed {feed.id}")


@app.command("delete")
def delete(
    feed: Which,
    confirmed: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Removes a feed and its runs and hides its offers; prices stay in the history."""
    if not confirmed:
        typer.confirm(f"Remove the feed {feed}, its runs and its password?", abort=True, err=True)
    run(_delete(feed, as_json))


async def _delete(which: str, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        await feeds.delete(conn, actor(), feed.id)
    show.done(as_json, f"feed {feed.id}: removed", id=feed.id, removed=True)


@app.command("targets")
def targets(
    feed: Which,
    offer: Annotated[list[int] | None, typer.Option(help="Id of a shown offer; may be repeated.")] = None,
    sku: Annotated[list[str] | None, typer.Option(help="Or its SKU; may be repeated.")] = None,
    schedule: Schedule = None,
    every: Every = None,
    by_hand: ByHand = False,
    priority: Annotated[int, typer.Option(help="Higher runs first.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Makes offers of the feed targets: their pages are visited, and what is found belongs to the offer."""
    run(_targets(feed, offer or [], sku or [], cadence(schedule, every, by_hand), priority, as_json))


async def _targets(which: str, offers: list[int], skus: list[str], when: Cadence, priority: int, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show
    from winnow.feeds import feed as stored

    async with assembled() as parts, parts.database.transaction() as conn:
        feed = await stored.find(conn, which)
        done = await feeds.add_targets(
            conn, actor(), parts.intake, feed.id, when, offer_ids=offers, skus=skus, priority=priority
        )
    if as_json:
        show.as_json(msgspec.to_builtins(done))
        return
    for linked in done.linked:
        state = "added" if linked.created else "there already"
        show.message(f"target {linked.target_id}: {state}, refreshes offer {linked.offer_id}")
    for refused in done.refused:
        show.message(f"offer {refused.offer_id}: {refused.reason} ({refused.url})")


@app.command("errors")
def errors(run_id: RunId, limit: Limit = 100, as_json: AsJson = False) -> None:
    """Shows rows that a run rejected or repaired, with the reason; a sample when there are many."""
    run(_errors(run_id, limit, as_json))


async def _errors(run_id: int, limit: int, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.queries import feeds as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        await queries.run(conn, run_id)
        found = await queries.first_errors(conn, run_id, limit)
    if as_json:
        show.as_json(found)
    else:
        show.table(ERRORS, found, "nothing was wrong")


@app.command("approve")
def approve(run_id: RunId, as_json: AsJson = False) -> None:
    """Activates the offers of a run that was blocked."""
    run(_approve(run_id, as_json))


async def _approve(run_id: int, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show

    async with assembled() as parts:
        promoted = await feeds.approve(parts.database, actor(), run_id)
    message = f"run {run_id}: approved, {promoted} offers activated"
    show.done(as_json, message, run_id=run_id, activated=promoted)


@app.command("rollback")
def rollback(
    run_id: RunId,
    reason: Annotated[str, typer.Option(help="For the audit trail.")],
    as_json: AsJson = False,
) -> None:
    """Takes the newest run of a feed back: its prices are hidden, its activation is undone."""
    run(_rollback(run_id, reason, as_json))


async def _rollback(run_id: int, reason: str, as_json: bool) -> None:
    from winnow.actions import feeds
    from winnow.cli import show

    async with assembled() as parts:
        await feeds.roll_back(parts.database, actor(), run_id, reason)
    show.done(as_json, f"run {run_id}: taken back", run_id=run_id, taken_back=True)
