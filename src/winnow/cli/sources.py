"""`winnow sources …`: add, list and change sources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

if TYPE_CHECKING:
    from winnow.actions.parts import Parts

app = typer.Typer(help="Sources: sites that are watched.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(help="Name or id of the source.", show_default=False)]
COLUMNS = {
    "ID": "id",
    "NAME": "name",
    "KIND": "kind",
    "DOMAIN": "domain",
    "TARGETS": "targets",
    "SCHEDULE": "schedule",
    "PAUSED": "paused",
    "CONSUMERS": "visibility_status",
    "LAST OK (UTC)": "last_success_at",
}


@app.command("add")
def add(
    name: Annotated[str, typer.Argument(help="A name of your choice.", show_default=False)],
    url: Annotated[str, typer.Argument(help="The site's address.", show_default=False)],
    kind: Annotated[str, typer.Option(help="What its pages are read as: offer, product, event, company …")] = "offer",
    retailer: Annotated[str | None, typer.Option(help="Retailer. Default: the domain.")] = None,
    adapter: Annotated[str | None, typer.Option(help="Adapter for all its targets.")] = None,
    schedule: Annotated[str | None, typer.Option(help="Cron for targets that have none.")] = None,
    rate: Annotated[float | None, typer.Option(help="Requests per second (default: 0.5).")] = None,
    currency: Annotated[
        str | None, typer.Option(help="Currency of its prices (ISO code), also for $ or kr. Other currencies are held.")
    ] = None,
    locale: Annotated[str | None, typer.Option(help="How its pages write numbers and dates: en-GB.")] = None,
    timezone: Annotated[str | None, typer.Option(help="Zone of its times that name none: Europe/Berlin.")] = None,
    coordinates: Annotated[
        str | None, typer.Option(help="Where its events are if no place is found: 52.01,4.36.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Its address is a page to visit; of events, by the daily run.")
    ] = False,
    notes: Annotated[str | None, typer.Option(help="For people.")] = None,
    as_json: AsJson = False,
) -> None:
    """Adds a source. Its prices are hidden from consumers until you make it eligible.

    Of an agenda: --kind event --watch, with --timezone and --coordinates where its pages name neither."""
    config: dict[str, Any] = {}
    if rate is not None:
        config["rateLimit"] = {"requestsPerSecond": rate}
    if currency is not None:
        config["currency"] = currency
    given: dict[str, Any] = {
        "name": name,
        "url": url,
        "kind": kind,
        "retailer": retailer,
        "adapter_id": adapter,
        "schedule": schedule,
        "scrape_config": config,
        "locale": locale,
        "timezone": timezone,
        "notes": notes,
    }
    if coordinates is not None:
        given["default_latitude"], given["default_longitude"] = read_coordinates(coordinates)
    run(_add(given, watch, as_json))


async def _add(given: dict[str, Any], watch: bool, as_json: bool) -> None:
    from winnow.actions import domains, targets
    from winnow.actions import sources as source_actions
    from winnow.actions.intake import Cadence
    from winnow.cli import show

    target_id: int | None = None
    async with assembled() as parts:
        daily = _by_daily_run(given["kind"], given["schedule"], parts)
        async with parts.database.transaction() as conn:
            made = await source_actions.add(conn, actor(), parts.intake, **given)
            if watch:
                when = Cadence(by_hand=daily)
                target_id = await targets.add(conn, actor(), parts.intake, made, given["url"], when=when)
        await domains.refresh(parts.database, parts.politeness, made.domain)
    if as_json:
        watched = {} if target_id is None else {"target_id": target_id}
        show.as_json({"id": made.id, "name": made.name, "domain": made.domain} | watched)
        return
    show.message(f"source {made.id}: {made.name} ({made.domain})")
    if target_id is None:
        show.message(f"next: its pages, `winnow targets add URL --source {made.id}`")
    elif daily:
        show.message(f"target {target_id}: visited by the daily run, now with `winnow events run`")
    else:
        show.message(f"target {target_id}: visited by itself from now on")


def _by_daily_run(kind: str, schedule: str | None, parts: Parts) -> bool:
    """Whether pages of a new source need no time of their own."""
    return kind == "event" and schedule is None and parts.settings.schedule.has_daily_run


@app.command("list")
def list_(
    q: Annotated[str | None, typer.Argument(help="Only names or domains that contain this.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Shows the sources."""
    run(_list(q, limit, as_json))


async def _list(q: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.sources import SourceResponse
    from winnow.cli import show
    from winnow.queries import sources as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, q=q, limit=limit)
    show.listing(
        as_json, SourceResponse, COLUMNS, found, "no sources yet: `winnow watch URL` or `winnow sources add NAME URL`"
    )


@app.command("pause")
def pause(source: Which, as_json: AsJson = False) -> None:
    """Pauses a source: nothing is scheduled or fetched until it is resumed. Running tasks finish."""
    run(_pause(source, True, as_json))


@app.command("resume")
def resume(source: Which, as_json: AsJson = False) -> None:
    """Resumes it; queued work continues."""
    run(_pause(source, False, as_json))


async def _pause(which: str, paused: bool, as_json: bool) -> None:
    from winnow.actions import sources as source_actions
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        changed = await source_actions.pause(conn, actor(), source.id, paused)
    word = "paused" if paused else "resumed"
    summary = f"source {source.id}: {word if changed else 'unchanged'}"
    show.done(as_json, summary, id=source.id, paused=paused, changed=changed)


@app.command("approve")
def approve(
    source: Which,
    by: Annotated[str | None, typer.Option(help="Who read its terms and robots.txt. Default: you.")] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw the approval.")] = False,
    as_json: AsJson = False,
) -> None:
    """Records that its terms were reviewed: an adapter made for the site may go live (P-103)."""
    run(_approve(source, by, withdraw, as_json))


async def _approve(which: str, by: str | None, withdraw: bool, as_json: bool) -> None:
    from winnow.actions import sources as source_actions
    from winnow.actions.intake import database_now
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        when, who = (None, None) if withdraw else (await database_now(conn), by or actor())
        changes = {"tos_reviewed_at": when, "tos_approved_by": who}
        await source_actions.update(conn, actor(), parts.intake, source.id, changes)
    summary = f"source {source.id}: {'approval withdrawn' if withdraw else f'approved by {who}'}"
    show.done(as_json, summary, id=source.id, **changes)


@app.command("trust")
def trust(
    source: Which,
    eligible: Annotated[bool, typer.Option("--eligible/--ineligible", help="Whether consumers see its prices.")],
    note: Annotated[str | None, typer.Option(help="Why; kept in the audit trail.")] = None,
    as_json: AsJson = False,
) -> None:
    """Shows its scraped prices to consumers, or hides them again."""
    run(_trust(source, eligible, note, as_json))


async def _trust(which: str, eligible: bool, note: str | None, as_json: bool) -> None:
    from winnow.actions import sources as source_actions
    from winnow.cli import show
    from winnow.sources import sources

    status = "ELIGIBLE" if eligible else "INELIGIBLE"
    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        changes: dict[str, Any] = {"visibility_status": status}
        await source_actions.change_trust(
            conn, actor(), source.id, changes if note is None else {**changes, "note": note}
        )
    show.done(as_json, f"source {source.id}: {status.lower()}", id=source.id, visibility_status=status)


@app.command("set")
def set_(
    source: Which,
    currency: Annotated[
        str | None, typer.Option(help='What it sells in (ISO code): what $ or kr means; "" takes it back.')
    ] = None,
    locale: Annotated[str | None, typer.Option(help='How its pages write numbers and dates: en-GB; "": none.')] = None,
    timezone: Annotated[str | None, typer.Option(help='Zone of its times that name none; "": none.')] = None,
    assume_in_stock: Annotated[
        bool | None,
        typer.Option(
            "--assume-in-stock/--require-stock",
            help="Take pages that say nothing about stock as in stock, marked as assumed; default: reject them.",
        ),
    ] = None,
    tier: Annotated[str | None, typer.Option(help="How deep a run of an agenda goes: light, standard or deep.")] = None,
    deep_scrape: Annotated[
        bool | None,
        typer.Option(
            "--deep-scrape/--listing-only", help="Visit the page of every event, or only where the day is missing."
        ),
    ] = None,
    feed_guessing: Annotated[
        bool | None,
        typer.Option("--guess-feeds/--named-feeds", help="Look for feeds of an agenda that its pages do not name."),
    ] = None,
    coordinates: Annotated[
        str | None, typer.Option(help='Where its events are if no place is found: 52.01,4.36; "": nowhere.')
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Sets how its pages are read; without options, shows it."""
    agenda = _agenda_changes(tier, deep_scrape, coordinates)
    texts = {"locale": locale, "timezone": timezone}
    changes = agenda | {name: value or None for name, value in texts.items() if value is not None}
    config: dict[str, Any] = {} if currency is None else {"currency": currency or None}
    if assume_in_stock is not None:
        config["assumeInStock"] = assume_in_stock or None
    tiers = {} if feed_guessing is None else {"feedGuessing": feed_guessing or None}
    run(_set(source, changes, config, tiers, as_json))


def _agenda_changes(tier: str | None, deep: bool | None, coordinates: str | None) -> dict[str, Any]:
    changes: dict[str, Any] = {} if tier is None else {"tier": tier}
    if deep is not None:
        changes["deep_scrape_enabled"] = deep
    if coordinates is not None:
        changes["default_latitude"], changes["default_longitude"] = read_coordinates(coordinates)
    return changes


def read_coordinates(text: str) -> tuple[float | None, float | None]:
    from winnow.errors import InvalidInput

    if not text.strip():
        return None, None
    latitude, _, longitude = text.partition(",")
    try:
        return float(latitude), float(longitude)
    except ValueError:
        raise InvalidInput(f"{text!r} is not a latitude and a longitude such as 52.01,4.36", "coordinates") from None


async def _set(
    which: str, changes: dict[str, Any], config: dict[str, Any], tiers: dict[str, Any], as_json: bool
) -> None:
    from winnow.actions import sources as source_actions
    from winnow.cli import show
    from winnow.sources import sources

    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        if changes:
            await source_actions.update(conn, actor(), parts.intake, source.id, changes)
        if config:
            await source_actions.configure(conn, actor(), parts.intake, source.id, config)
        if tiers:
            await source_actions.configure_tiers(conn, actor(), parts.intake, source.id, tiers)
        stored = await sources.scrape_config(conn, source.id)
        agenda = await sources.agenda_of(conn, source.id) if source.kind == "event" else {}
        found = await sources.reading_of(conn, source.id)
    settings = {
        "currency": stored.get("currency"),
        "assume_in_stock": stored.get("assumeInStock") is True,
        **found,
        **agenda,
    }
    described = ", ".join(f"{name.replace('_', ' ')} {_describe(value)}" for name, value in settings.items())
    show.done(as_json, f"source {source.id}: {described}", id=source.id, **settings)


def _describe(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if value not in (None, "") else "not set"


@app.command("tiers")
def tiers(
    source: Which,
    ways: Annotated[
        list[str] | None,
        typer.Argument(help="Of static, dynamic (a browser) and scrapingbee (a scraping API).", show_default=False),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Allow every configured way again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Sets the ways its pages may be fetched; without arguments, shows them."""
    run(_tiers(source, ways or [], every, as_json))


async def _tiers(which: str, ways: list[str], every: bool, as_json: bool) -> None:
    from winnow.actions import sources as source_actions
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.sources import sources

    if ways and every:
        raise InvalidInput("either name the ways or use --all", field="ways")
    async with assembled() as parts, parts.database.transaction() as conn:
        source = await sources.find(conn, which)
        if ways or every:
            changes = {"tiers": None if every else ways}
            await source_actions.configure_tiers(conn, actor(), parts.intake, source.id, changes)
        allowed = await sources.tiers(conn, source.id)
    summary = f"source {source.id}: {', '.join(allowed) if allowed else 'every configured way'}"
    show.done(as_json, summary, id=source.id, tiers=allowed)
