"""`winnow discover …`: look for agendas that are not sources yet, and decide about what was found."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run
from winnow.cli.sources import read_coordinates
from winnow.errors import InvalidInput

app = typer.Typer(help="Discovery: agendas that are not sources yet.", no_args_is_help=True)

CANDIDATES = {
    "ID": "id",
    "SITE": "domain",
    "TITLE": "title",
    "CONFIDENCE": "confidence",
    "EVENTS": "events",
    "BY": "judged_by",
    "FOUND BY": "found_by",
    "PLACE": "municipality",
    "WHY": "reason",
    "URL": "url",
}
JOBS = {
    "ID": "id",
    "STATUS": "status",
    "PLACE": "municipality",
    "SEED": "seed_url",
    "PRIORITY": "priority",
    "QUERIES": "checkpoint",
    "SOURCES": "sources_found",
    "NEXT (UTC)": "next_attempt_at",
    "ERROR": "error_message",
}
REGIONS = {
    "ID": "id",
    "NAME": "name",
    "REGION": "region",
    "COUNTRY": "country",
    "PEOPLE": "population",
    "SEARCHED": "enabled",
    "LAST (UTC)": "last_searched_at",
}
STATUSES = ("pending", "accepted", "rejected", "not_added", "all")
CandidateIds = Annotated[list[int], typer.Argument(help="Ids of candidates.", show_default=False)]


@app.command()
def seed(
    urls: Annotated[list[str], typer.Argument(help="Pages to begin at: a town's site, a list of venues.")],
    as_json: AsJson = False,
) -> None:
    """Looks at these pages, at the agendas of their sites, and at the sites they link to. No search API is needed.

    The upkeep process does the work; `winnow discover work` does it here."""
    run(_seed(urls, as_json))


async def _seed(urls: list[str], as_json: bool) -> None:
    from winnow.actions.agendas import discovery
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        made = await discovery.add_seeds(conn, actor(), parts.intake, urls)
    show.done(as_json, f"{len(made)} of {len(urls)} pages queued", jobs=made)


@app.command()
def region(
    names: Annotated[list[str] | None, typer.Argument(help="Municipalities, such as Delft.")] = None,
    province: Annotated[list[str] | None, typer.Option(help="All of a province (repeat the option).")] = None,
    everything: Annotated[bool, typer.Option("--all", help="All Dutch municipalities.")] = False,
    as_json: AsJson = False,
) -> None:
    """Searches municipalities now, and every week from now on. It needs a search API (WINNOW_WEB_SEARCH_URL)."""
    run(_region(names or [], province or [], everything, as_json))


async def _region(names: list[str], provinces: list[str], everything: bool, as_json: bool) -> None:
    from winnow.actions.agendas import regions as actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        made = await actions.search(conn, actor(), parts.settings.services, names, provinces, all_of_them=everything)
    show.done(as_json, f"{len(made)} municipalities queued", jobs=made)


@app.command()
def regions(
    stop: Annotated[list[int] | None, typer.Option(help="Id of one to search no more (repeat the option).")] = None,
    csv: Annotated[
        Path | None,
        typer.Option("--import", help="CSV of municipalities: name, population; region, country, latitude, longitude."),
    ] = None,
    limit: Limit = 500,
    as_json: AsJson = False,
) -> None:
    """Shows the municipalities that are searched, imports them with their population, or stops searching some."""
    run(_regions(stop or [], csv, limit, as_json))


async def _regions(stop: list[int], csv: Path | None, limit: int, as_json: bool) -> None:
    from winnow.actions.agendas import regions as actions
    from winnow.api.models.discovery import MunicipalityResponse
    from winnow.cli import show
    from winnow.queries.events import discovery as queries
    from winnow.queries.reading import reader

    async with assembled() as parts:
        async with parts.database.transaction() as conn:
            if csv is not None:
                await actions.import_csv(conn, actor(), _text(csv))
            await actions.stop(conn, actor(), stop)
        async with reader(parts.database) as reading:
            found, _ = await queries.municipalities(reading, limit=limit)
    show.listing(as_json, MunicipalityResponse, REGIONS, found, "no municipality is searched")


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise InvalidInput(f"{file} is not UTF-8") from None


@app.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="A file that the alert names.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Imports what discovery found while the database was away; the file is renamed when it is stored."""
    run(_import(file, as_json))


async def _import(file: Path, as_json: bool) -> None:
    from winnow.actions.agendas import discovery
    from winnow.cli import show
    from winnow.run.discovery import spool

    async with assembled() as parts, parts.database.transaction() as conn:
        stored = await discovery.import_file(conn, actor(), file)
    spool.mark_imported(file)
    show.done(as_json, f"{stored} results stored", stored=stored)


@app.command()
def known(as_json: AsJson = False) -> None:
    """Looks at the pages of known event sources for links to others."""
    run(_known(as_json))


async def _known(as_json: bool) -> None:
    from winnow.actions.agendas import discovery
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        made = await discovery.add_known(conn, actor(), parts.intake)
    show.done(as_json, f"{len(made)} pages queued", jobs=made)


@app.command()
def work(as_json: AsJson = False) -> None:
    """Works on the queued jobs here until none is left, instead of waiting for the upkeep process."""
    run(_work(as_json))


async def _work(as_json: bool) -> None:
    from winnow.cli import show
    from winnow.run.discovery.discovery import Discovery

    async with assembled() as parts:
        done = await Discovery(parts.database, parts.settings).run_until_empty()
    show.done(as_json, f"{done} jobs done", jobs=done)


@app.command()
def jobs(limit: Limit = 20, as_json: AsJson = False) -> None:
    """Shows discovery jobs, newest first."""
    run(_jobs(limit, as_json))


async def _jobs(limit: int, as_json: bool) -> None:
    from winnow.api.models.discovery import DiscoveryJobResponse
    from winnow.cli import show
    from winnow.queries.events import discovery as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.jobs(conn, limit=limit)
    show.listing(as_json, DiscoveryJobResponse, JOBS, found, "no discovery job yet")


@app.command()
def candidates(
    status: Annotated[str, typer.Option(help=f"One of {', '.join(STATUSES)}.")] = "pending",
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows what was found: by default what waits for a decision."""
    if status not in STATUSES:
        raise typer.BadParameter(f"one of {', '.join(STATUSES)}", param_hint="--status")
    run(_candidates(None if status == "all" else status, limit, as_json))


async def _candidates(status: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.discovery import CandidateResponse
    from winnow.cli import show
    from winnow.queries.events import discovery as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.candidates(conn, status=status, limit=limit)
    show.listing(as_json, CandidateResponse, CANDIDATES, found, "no candidate waits for a decision")


@app.command()
def accept(
    candidate_ids: CandidateIds,
    timezone: Annotated[str | None, typer.Option(help="Zone of its times that name none: Europe/Amsterdam.")] = None,
    coordinates: Annotated[str | None, typer.Option(help="Where events without a place are: 52.01,4.36.")] = None,
    here: Annotated[
        bool, typer.Option("--at-municipality", help="Place and zone of the municipality it was found for.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Makes candidates event sources that the daily run visits.

    Hours without a time zone and events without a place are held: say here what the pages do not."""
    changes: dict[str, Any] = {} if timezone is None else {"timezone": timezone}
    if coordinates is not None:
        changes["default_latitude"], changes["default_longitude"] = read_coordinates(coordinates)
    run(_accept(candidate_ids, changes, here, as_json))


async def _accept(candidate_ids: list[int], changes: dict[str, Any], here: bool, as_json: bool) -> None:
    from winnow.actions.agendas import discovery
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        daily_run = parts.settings.schedule.has_daily_run
        made = [
            await discovery.accept(
                conn, actor(), parts.intake, one, daily_run=daily_run, changes=changes, at_municipality=here
            )
            for one in candidate_ids
        ]
    when = "the daily run visits them (`winnow events run`)" if daily_run else "visited once a day from now on"
    show.done(as_json, f"accepted: sources {', '.join(map(str, made))}; {when}", source_ids=made)


@app.command()
def reject(
    candidate_ids: CandidateIds,
    reason: Annotated[str | None, typer.Option("--reason", help="Kept with the candidate.")] = None,
    as_json: AsJson = False,
) -> None:
    """Refuses candidates; their sites are not proposed again."""
    run(_reject(candidate_ids, reason, as_json))


async def _reject(candidate_ids: list[int], reason: str | None, as_json: bool) -> None:
    from winnow.actions.agendas import discovery
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        for one in candidate_ids:
            await discovery.reject(conn, actor(), one, reason)
    show.done(as_json, f"{len(candidate_ids)} candidates rejected", rejected=candidate_ids)
