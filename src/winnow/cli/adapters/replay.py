"""`winnow replay` and `winnow shadow …`: what would a new version of an adapter change?"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

if TYPE_CHECKING:
    from winnow.actions.replays import Order
    from winnow.extract.adapter import Registry
    from winnow.judge.difference_report import DifferenceReport

app = typer.Typer(
    help="Test a candidate version beside the live adapter on real traffic. It stores no prices.", no_args_is_help=True
)

Adapter = Annotated[str, typer.Argument(help="Id of the adapter.", show_default=False)]
COLUMNS = {"FIELD": "field", "SAME": "same", "CHANGED": "changed", "NOW FOUND": "found", "LOST": "lost"}
EXAMPLES = {"FIELD": "field", "": "kind", "BEFORE": "before", "AFTER": "after", "PAGE": "url"}
SHADOWS = {
    "ID": "id", "MODE": "mode", "ADAPTER": "adapter_id", "LIVE": "live_version", "CANDIDATE": "candidate_version",
    "STATUS": "status", "PAGES": "pages", "SAME": "same", "CHANGED": "changed", "GAINED": "gained", "LOST": "lost",
}  # fmt: skip


def replay(
    adapter: Annotated[str, typer.Option(help="Id of the adapter, or a TOML file.", show_default=False)],
    version: Annotated[str | None, typer.Option(help="Its version to try; `new` is the newest candidate.")] = None,
    source: Annotated[str | None, typer.Option(help="Only pages of this source (name or id).")] = None,
    since: Annotated[datetime | None, typer.Option(help="Only pages fetched since then (UTC).")] = None,
    limit: Annotated[
        int, typer.Option("--limit", "-n", min=1, max=1_000_000, help="Maximum number of pages, newest first.")
    ] = 1_000,
    tolerate: Annotated[float, typer.Option(min=0, max=100, help="Percent of pages that may change or be lost.")] = 0.0,
    as_json: AsJson = False,
) -> None:
    """Reads stored pages again with a candidate and shows which values would change. Nothing is fetched or stored.

    Exit code 1 when more pages would change or be lost than tolerated, or there was nothing to read."""
    run(_replay(adapter, version, source, since, limit, tolerate, as_json))


async def _replay(
    adapter: str, version: str | None, source: str | None, since: datetime | None, limit: int, tolerate: float,
    as_json: bool,
) -> None:  # fmt: skip
    from winnow.actions import replays
    from winnow.sources import sources

    async with assembled() as parts:
        source_id = None
        if source is not None:
            async with parts.database.connection() as conn:
                source_id = (await sources.find(conn, source)).id
        order = _order(parts.registry, adapter, version, source_id, since, limit)
        replay_id = await replays.begin(parts.database, actor(), order)
        report = await replays.run(parts.database, parts.settings, replay_id, order, _progress(as_json))
    _show(replay_id, order, report, as_json)
    if not report.pages or report.regressions * 100 > tolerate * report.pages:
        raise typer.Exit(1)


def _order(
    adapters: Registry, which: str, version: str | None, source_id: int | None, since: datetime | None, limit: int
) -> Order:
    from winnow.actions.replays import Order
    from winnow.kinds.adapters import choose, toml_of

    candidate = choose(adapters, which, version)
    live = adapters.get(candidate.id)
    named = adapters.get(which) is not None
    when = since if since is None or since.tzinfo else since.replace(tzinfo=UTC)
    return Order(
        candidate=candidate,
        live=None if live is None else live.version,
        file="" if named else str(toml_of(Path(which)).resolve()),
        source_id=source_id,
        since=when,
        limit=limit,
    )


def _progress(quiet: bool) -> Any:
    """Says on a terminal how far it is."""
    import sys

    if quiet or not sys.stderr.isatty():
        return None
    return lambda report: typer.echo(f"\r{report.pages + report.missing} pages", err=True, nl=False)


def _show(replay_id: int, order: Order, report: DifferenceReport, as_json: bool) -> None:
    import msgspec

    from winnow.cli import show

    candidate = {"adapter": order.candidate.id, "version": order.candidate.version, "live_version": order.live}
    if as_json:
        show.as_json({"replay_id": replay_id, **candidate, **msgspec.to_builtins(report)})
        return
    fields = [{"field": name, **msgspec.structs.asdict(of)} for name, of in report.fields.items()]
    show.table(COLUMNS, fields, "no stored page of this adapter was found")
    examples = [
        {"field": name, **msgspec.to_builtins(example)} for name, of in report.fields.items() for example in of.examples
    ]
    if examples:
        show.table(EXAMPLES, examples, "")
    for step, times in sorted(report.became.items()):
        show.message(f"{times} pages: {step}")
    missing = f", {report.missing} no longer in the archive" if report.missing else ""
    show.message(
        f"replay {replay_id} of {order.candidate.id} {order.candidate.version}: {report.pages} pages, "
        f"{report.same} the same, {report.changed} changed, {report.gained} gained, {report.lost} lost{missing}"
    )


@app.command("start")
def start(
    adapter: Adapter,
    version: Annotated[str, typer.Option(help="The candidate's version; `new` is the newest.")] = "new",
    as_json: AsJson = False,
) -> None:
    """From now on every page the live adapter reads is read by the candidate as well, and compared."""
    run(_start(adapter, version, as_json))


async def _start(adapter: str, version: str, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.run.commit import shadow

    async with assembled() as parts, parts.database.transaction() as conn:
        shadow_id = await shadow.start(conn, actor(), parts.registry, adapter, version)
    show.done(as_json, f"shadow {shadow_id} runs beside {adapter}", id=shadow_id, adapter_id=adapter)


@app.command("stop")
def stop(adapter: Adapter, as_json: AsJson = False) -> None:
    """Stops a shadow; its counters are kept."""
    run(_stop(adapter, as_json))


async def _stop(adapter: str, as_json: bool) -> None:
    from winnow.cli import show
    from winnow.run.commit import shadow

    async with assembled() as parts, parts.database.transaction() as conn:
        shadow_id = await shadow.stop(conn, actor(), adapter)
    show.done(as_json, f"shadow {shadow_id} stopped", id=shadow_id, adapter_id=adapter)


@app.command("list")
def list_(limit: Limit = 20, as_json: AsJson = False) -> None:
    """Shows shadows and replays, newest first."""
    run(_list(limit, as_json))


async def _list(limit: int, as_json: bool) -> None:
    from winnow.api.models.replays import ReplayResponse
    from winnow.cli import show
    from winnow.queries import replays as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, limit=limit)
    show.listing(as_json, ReplayResponse, SHADOWS, found, "no candidate was tested yet")


@app.command("show")
def show_(which: Annotated[int, typer.Argument(help="Id of a shadow or replay.")], as_json: AsJson = False) -> None:
    """Shows what one reads differently, field by field, with examples."""
    run(_show_one(which, as_json))


async def _show_one(which: int, as_json: bool) -> None:
    from winnow.api.models.replays import ReplayDetail
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries import replays as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        row = await queries.one(conn, which)
    if row is None:
        raise NotFound(f"there is no shadow or replay {which}")
    found = ReplayDetail.model_validate(row)
    if as_json:
        show.as_json(found.model_dump(mode="json"))
        return
    show.fields({name: row[name] for name in SHADOWS.values()})
    show.table(COLUMNS, [f.model_dump() for f in found.fields], "no differences so far")
    show.table(EXAMPLES, [e.model_dump() for e in found.examples], "")
