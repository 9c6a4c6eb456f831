"""`winnow monitors …`: whether the last run of each source looks like the ones before it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from winnow.cli.session import AsJson, actor, assembled, run
from winnow.errors import InvalidInput

app = typer.Typer(help="Monitors: whether runs look like the ones before them.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(help="Name or id of the source.", show_default=False)]
COLUMNS = {
    "SOURCE": "source_name",
    "RUN": "run_id",
    "READ (UTC)": "taken_at",
    "ITEMS": "items",
    "COVERAGE": "coverage",
    "PRICES": "prices",
    "HELD": "held",
    "FOUND": "found",
}


@app.command("list")
def list_(
    broken: Annotated[bool, typer.Option("--broken", help="Only sources that a monitor complains about.")] = False,
    as_json: AsJson = False,
) -> None:
    """Shows what the monitors say of the last run of each source."""
    run(_list(broken, as_json))


async def _list(broken: bool, as_json: bool) -> None:
    from winnow.api.models.monitors import MonitoredSource
    from winnow.cli import show
    from winnow.judge import monitor_readings

    async with assembled() as parts, parts.database.connection() as conn:
        found = await monitor_readings.newest(conn, broken=broken)
    if as_json:
        show.models([MonitoredSource.of(row) for row in found])
        return
    show.table(COLUMNS, map(_line, found), "no run has been read yet" if not broken else "every monitor is content")


def _line(row: dict[str, Any]) -> dict[str, Any]:
    states = {result["monitor"]: result["state"] for result in row["results"]}
    found = "; ".join(result["sentence"] for result in row["results"] if result["sentence"])
    return {**row, **{name: states.get(name, "learning") for name in ("items", "coverage", "prices", "held")},
            "found": found or None}  # fmt: skip


@app.command("set")
def set_(
    source: Which,
    items: Annotated[
        float | None, typer.Option(min=0, max=1, help="Fewest items, as a share of the usual: 0.5.")
    ] = None,
    coverage: Annotated[
        float | None, typer.Option(min=0, max=1, help="How far the share of a field may fall: 0.2.")
    ] = None,
    prices: Annotated[
        float | None, typer.Option(min=1, help="How many times the middle price may be the usual: 2.")
    ] = None,
    held: Annotated[
        float | None, typer.Option(min=0, max=1, help="How far the share of held records may rise: 0.2.")
    ] = None,
    enabled: Annotated[bool | None, typer.Option("--on/--off", help="Whether its runs are judged.")] = None,
    default: Annotated[bool, typer.Option("--default", help="Take the limits of the settings again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Sets the limits of one source, from its next run on."""
    wanted = {"items_share": items, "coverage_points": coverage, "price_factor": prices, "held_points": held,
              "enabled": enabled}  # fmt: skip
    changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    if default:
        changes = {"items_share": None, "coverage_points": None, "price_factor": None, "held_points": None} | changes
    if not changes:
        raise InvalidInput("say what to set: --items, --coverage, --prices, --held, --on, --off or --default")
    run(_set(source, changes, as_json))


async def _set(source: str, changes: dict[str, Any], as_json: bool) -> None:
    from winnow.actions import monitors
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts:
        async with parts.database.connection() as conn:
            found = await sources.find(conn, source)
        await monitors.change(parts.database, found.id, changes, actor())
    show.done(as_json, f"set for {found.name}, from its next run on", source_id=found.id, changes=changes)


@app.command()
def accept(source: Which, as_json: AsJson = False) -> None:
    """Takes what the last run brought for usual from now on, and resolves the alerts about it."""
    run(_accept(source, as_json))


async def _accept(source: str, as_json: bool) -> None:
    from winnow.actions import monitors
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts:
        async with parts.database.connection() as conn:
            found = await sources.find(conn, source)
        resolved = await monitors.accept(parts.database, found.id, actor())
    show.done(as_json, f"what {found.name} brought last is usual now", source_id=found.id, resolved=resolved)
