"""`winnow deliveries …`: messages to receivers and their delivery."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, one_of, run

app = typer.Typer(help="Messages to receivers, and those that could not be delivered.", no_args_is_help=True)

MOST = 10_000  # in one command
COLUMNS = {
    "ID": "id",
    "STATUS": "status",
    "TOPIC": "topic",
    "ABOUT": "key",
    "TO": "url",
    "ATTEMPTS": "attempts",
    "CREATED (UTC)": "created_at",
    "ERROR": "last_error",
}
Status = Annotated[str | None, typer.Option(help="pending, sending, delivered or dead.")]


@app.command("list")
def list_(
    status: Status = None,
    topic: Annotated[str | None, typer.Option(help="Only of this topic.")] = None,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows deliveries, newest first."""
    run(_list(one_of("pending sending delivered dead", status, "status"), topic, limit, as_json))


async def _list(status: str | None, topic: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.publish import DeliveryResponse
    from winnow.cli import show
    from winnow.queries import publish as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.deliveries(conn, status=status, topic=topic, limit=limit)
    show.listing(as_json, DeliveryResponse, COLUMNS, found, "no deliveries")


@app.command("redeliver")
def redeliver(
    ids: Annotated[list[int] | None, typer.Argument(help="Ids of deliveries.", show_default=False)] = None,
    everything: Annotated[bool, typer.Option("--all-dead", help="All that could not be delivered.")] = False,
    as_json: AsJson = False,
) -> None:
    """Sends deliveries again under their own ids, so that receivers can recognise duplicates."""
    run(_redeliver(ids, everything, as_json))


async def _redeliver(ids: list[int] | None, everything: bool, as_json: bool) -> None:
    from winnow.actions import webhooks
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.queries import publish as queries
    from winnow.queries.reading import reader

    if bool(ids) == everything:
        raise InvalidInput("name deliveries by their ids, or use --all-dead")
    async with assembled() as parts:
        if everything:
            async with reader(parts.database) as reading:
                found, _ = await queries.deliveries(reading, status="dead", limit=MOST)
            ids = [row["id"] for row in found]
        if not ids:
            return show.done(as_json, "there are no dead deliveries", changed=[], of=0)
        async with parts.database.transaction() as conn:
            again = await webhooks.redeliver(conn, actor(), ids)
    show.done(as_json, f"{len(again)} of {len(ids)} deliveries are sent again", changed=again, of=len(ids))
