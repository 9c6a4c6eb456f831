"""`winnow alerts …`: list, acknowledge, silence and resolve alerts."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

app = typer.Typer(help="Alerts: conditions that need attention.", no_args_is_help=True)

Ids = Annotated[list[int], typer.Argument(help="Ids of alerts.", show_default=False)]
COLUMNS = {
    "ID": "id",
    "": "severity",
    "CODE": "code",
    "TIMES": "occurrences",
    "SINCE (UTC)": "opened_at",
    "ACKNOWLEDGED BY": "acknowledged_by",
    "TITLE": "title",
}


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include resolved alerts.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows open alerts, newest first."""
    run(_list(everything, limit, as_json))


async def _list(everything: bool, limit: int, as_json: bool) -> None:
    from winnow.api.models.alerts import AlertResponse
    from winnow.cli import show
    from winnow.queries import alerts as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, everything=everything, limit=limit)
    if as_json:
        show.models([AlertResponse.of(row) for row in found])
    else:
        show.table(COLUMNS, found, "no alerts" if everything else "no open alerts")


@app.command("ack")
@app.command("acknowledge")
def acknowledge(ids: Ids, as_json: AsJson = False) -> None:
    """Acknowledges alerts; they stay open."""
    run(_change(ids, resolved=False, as_json=as_json))


@app.command("silence")
def silence(
    ids: Ids,
    hours: Annotated[float, typer.Option(min=0, max=8_760, help="For how long; 0 ends it.")] = 8.0,
    as_json: AsJson = False,
) -> None:
    """Sends no notifications for a while, even if the alert closes and opens again."""
    run(_silence(ids, hours, as_json))


async def _silence(ids: list[int], hours: float, as_json: bool) -> None:
    from datetime import timedelta

    from winnow.actions import alerts as alert_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        changed = await alert_actions.silence(conn, actor(), ids, timedelta(hours=hours))
    summary = f"{len(changed)} of {len(ids)} alerts {f'silenced for {hours:g} h' if hours else 'no longer silenced'}"
    show.done(as_json, summary, changed=changed, of=len(ids))


@app.command("resolve")
def resolve(ids: Ids, as_json: AsJson = False) -> None:
    """Resolves alerts. A new alert opens if it happens again."""
    run(_change(ids, resolved=True, as_json=as_json))


async def _change(ids: list[int], *, resolved: bool, as_json: bool) -> None:
    from winnow.actions import alerts as alert_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        if resolved:
            changed = await alert_actions.resolve(conn, actor(), ids)
        else:
            changed = await alert_actions.acknowledge(conn, actor(), ids)
    summary = f"{len(changed)} of {len(ids)} alerts {'resolved' if resolved else 'acknowledged'}"
    show.done(as_json, summary, changed=changed, of=len(ids))
