"""`winnow dead-letters …`: work that failed for good."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, one_of, run

app = typer.Typer(help="Tasks that failed permanently and can be retried.", no_args_is_help=True)

STAGES = "fetch extract normalise persist"
MOST = 10_000  # letters in one command
Ids = Annotated[list[int] | None, typer.Argument(help="Ids of letters.", show_default=False)]
All = Annotated[bool, typer.Option("--all", help="All pending ones that match.")]
ErrorType = Annotated[str | None, typer.Option("--error", help="Only with this error, e.g. timeout.")]
Stage = Annotated[str | None, typer.Option(help="fetch, extract, normalise or persist.")]
COLUMNS = {
    "ID": "id",
    "STATUS": "status",
    "STAGE": "stage",
    "ERROR": "error_type",
    "RETRIES": "retry_count",
    "NEXT (UTC)": "next_retry_at",
    "URL": "url",
    "MESSAGE": "error_message",
}


@app.command("list")
def list_(
    status: Annotated[str | None, typer.Option(help="pending, retrying, resolved, discarded or all.")] = "pending",
    stage: Stage = None,
    error: ErrorType = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows dead letters, newest first."""
    wanted = one_of("pending retrying resolved discarded all", status, "status")
    run(_list(None if wanted == "all" else wanted, one_of(STAGES, stage, "stage"), error, limit, as_json))


async def _list(status: str | None, stage: str | None, error: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.work import DeadLetterResponse
    from winnow.cli import show
    from winnow.queries import dead_letters as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, status=status, stage=stage, error_type=error, limit=limit)
    show.listing(as_json, DeadLetterResponse, COLUMNS, found, "no dead letters")


@app.command("retry")
def retry(
    ids: Ids = None, everything: All = False, stage: Stage = None, error: ErrorType = None, as_json: AsJson = False
) -> None:
    """Puts them back into the queue."""
    run(_change(ids, everything, one_of(STAGES, stage, "stage"), error, None, as_json))


@app.command("discard")
def discard(
    ids: Ids = None,
    everything: All = False,
    stage: Stage = None,
    error: ErrorType = None,
    note: Annotated[str, typer.Option(help="Why; kept with the letter.")] = "",
    as_json: AsJson = False,
) -> None:
    """Gives them up for good."""
    run(_change(ids, everything, one_of(STAGES, stage, "stage"), error, note, as_json))


async def _change(
    ids: list[int] | None, everything: bool, stage: str | None, error: str | None, note: str | None, as_json: bool
) -> None:
    """`note` None: retry; otherwise discard with it."""
    from winnow.actions import dead_letters as dead_letter_actions
    from winnow.cli import show
    from winnow.errors import InvalidInput, NotFound
    from winnow.queries import dead_letters as queries
    from winnow.queries.reading import reader

    if bool(ids) == everything:
        raise InvalidInput("name letters by their ids, or use --all")
    async with assembled() as parts:
        if everything:
            async with reader(parts.database) as reading:
                ids, _ = await queries.pending(reading, stage=stage, error_type=error, source_id=None, limit=MOST)
        chosen = ids or []
        async with parts.database.transaction() as conn:
            if note is None:
                changed = await dead_letter_actions.retry(conn, actor(), chosen) if chosen else 0
            else:
                changed = await dead_letter_actions.discard(conn, actor(), chosen, note) if chosen else 0
    if not changed and not everything:
        raise NotFound("none of these letters is waiting: see `winnow dead-letters list`")
    summary = f"{changed} of {len(chosen)} letters {'put back into the queue' if note is None else 'discarded'}"
    show.done(as_json, summary, changed=changed, of=len(chosen))
