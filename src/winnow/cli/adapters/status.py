"""`winnow adapters list | enable | disable`: site-specific extractors, and whether each may run."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, actor, assembled, run

app = typer.Typer()

Which = Annotated[
    str, typer.Argument(help="Id of the adapter; generic@12 means generic for source 12.", show_default=False)
]
Note = Annotated[str | None, typer.Option(help="Kept in the audit trail.")]
COLUMNS = {
    "ID": "id",
    "VERSION": "version",
    "DOMAIN": "domain",
    "KIND": "kind",
    "ENABLED": "enabled",
    "WHY NOT": "disabled_reason",
    "BY": "disabled_by",
}


@app.command("list")
def list_(as_json: AsJson = False) -> None:
    """Shows the adapters."""
    run(_list(as_json))


async def _list(as_json: bool) -> None:
    from winnow.api.models.adapters import AdapterResponse
    from winnow.cli import show
    from winnow.queries import adapters as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found = await queries.listed(conn, parts.registry)
    show.listing(as_json, AdapterResponse, COLUMNS, found, "no adapters")
    for broken in parts.registry.broken:
        typer.echo(f"cannot be used: {broken.reason}", err=True)


@app.command("disable")
def disable(
    adapter: Which,
    reason: Annotated[str, typer.Option(help="MANUAL, DRIFT_DETECTED or ToS_VIOLATION.")] = "MANUAL",
    note: Note = None,
    as_json: AsJson = False,
) -> None:
    """Disables an adapter: nothing is scheduled with it."""
    run(_change(adapter, reason, note, as_json))


@app.command("enable")
def enable(
    adapter: Which,
    note: Annotated[str | None, typer.Option("--note", "--reason", help="Why; kept in the audit trail.")] = None,
    as_json: AsJson = False,
) -> None:
    """Enables an adapter. Its first run is checked more strictly."""
    run(_change(adapter, None, note, as_json))


async def _change(adapter: str, reason: str | None, note: str | None, as_json: bool) -> None:
    """`reason` None: enable."""
    from winnow.actions import adapters as adapter_actions
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries.adapters import of_adapter

    async with assembled() as parts, parts.database.transaction() as conn:
        if parts.registry.get(of_adapter(adapter)) is None:
            raise NotFound(f"there is no adapter {adapter!r}: {', '.join(parts.registry.list())}")
        if reason is None:
            changed = await adapter_actions.enable(conn, actor(), adapter, note)
        else:
            changed = await adapter_actions.disable(conn, actor(), adapter, reason, note)
    word = "enabled" if reason is None else "disabled"
    summary = f"{adapter}: {word if changed else 'unchanged'}"
    show.done(as_json, summary, adapter_id=adapter, enabled=reason is None, changed=changed)
