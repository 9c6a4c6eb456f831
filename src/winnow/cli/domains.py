"""`winnow domains …`: how each site is treated, and why."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

app = typer.Typer(help="Domains: request limits of each site and where they come from.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(help="shop.example.com, host:port, or a URL.", show_default=False)]
COLUMNS = {
    "DOMAIN": "domain",
    "QUEUED": "queued",
    "RUNNING": "in_flight",
    "RATE": "rate",
    "APART": "spacing_seconds",
    "AT ONCE": "max_concurrent",
    "FROM": "limits_from",
    "CIRCUIT": "circuit",
    "ACTIVE": "is_active",
}


@app.command("list")
def list_(
    q: Annotated[str | None, typer.Argument(help="Only domains whose name contains this.")] = None,
    limit: Limit = 100,
    as_json: AsJson = False,
) -> None:
    """Shows domains with their limits and their next request."""
    run(_list(q, limit, as_json))


async def _list(q: str | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.domains import DomainResponse
    from winnow.cli import show
    from winnow.queries import domains as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, q=q, limit=limit)
    if as_json:
        show.models([DomainResponse.of(row) for row in found])
        return
    rated = ({**row, "rate": f"{row['tokens']} / {row['interval_now']:g} s"} for row in found)
    show.table(COLUMNS, rated, "no domains yet")


@app.command("limit")
def limit_(
    domain: Which,
    rate: Annotated[float | None, typer.Option(help="Requests per second.", min=0.0001, max=10_000)] = None,
    apart: Annotated[float | None, typer.Option(help="Seconds between requests.", min=0)] = None,
    at_once: Annotated[int | None, typer.Option(help="Requests at the same time.", min=1)] = None,
    every: Annotated[
        str | None, typer.Option(help="How often its URLs are visited where nothing else says it: 30m, 4h, 1d.")
    ] = None,
    reason: Annotated[str | None, typer.Option(help="Kept in the audit trail.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sets limits for a domain, for all processes at once. Allowing more than before is audited."""
    run(_limit(domain, rate, apart, at_once, every, reason, as_json))


async def _limit(
    which: str,
    rate: float | None,
    apart: float | None,
    at_once: int | None,
    every: str | None,
    reason: str | None,
    as_json: bool,
) -> None:
    from winnow.actions import domains, validation
    from winnow.cli import show
    from winnow.errors import InvalidInput
    from winnow.schedule.ledger.policy import rate_of

    changes: dict[str, Any] = {}
    if rate is not None:
        rule = rate_of(rate)
        changes |= {"tokens_per_interval": rule.tokens_per_interval, "interval_seconds": rule.interval_seconds}
    if apart is not None:
        changes["crawl_delay_seconds"] = apart
    if at_once is not None:
        changes["max_concurrent_requests"] = at_once
    if every is not None:
        changes["crawl_frequency"] = validation.every(every)
    if not changes:
        raise InvalidInput("name a limit: --rate, --apart, --at-once or --every")
    domain = domains.domain_named(which)
    async with assembled() as parts:
        now = await domains.change_limits(parts.database, actor(), parts.politeness, domain, changes, reason)
    summary = (
        f"{domain}: {now.tokens} in {now.interval_seconds:g} s, {now.spacing_seconds:g} s apart, "
        f"{now.max_concurrent} at once"
    )
    show.done(
        as_json,
        summary,
        domain=domain,
        tokens=now.tokens,
        interval_seconds=now.interval_seconds,
        spacing_seconds=now.spacing_seconds,
        max_concurrent=now.max_concurrent,
    )


@app.command("pause")
def pause(domain: Which, reason: Annotated[str | None, typer.Option()] = None, as_json: AsJson = False) -> None:
    """Pauses a domain: nothing is scheduled or fetched until it is resumed."""
    run(_pause(domain, True, reason, as_json))


@app.command("resume")
def resume(domain: Which, reason: Annotated[str | None, typer.Option()] = None, as_json: AsJson = False) -> None:
    """Resumes it; queued work continues."""
    run(_pause(domain, False, reason, as_json))


@app.command("stop")
def stop(domain: Which, as_json: AsJson = False) -> None:
    """Pauses a domain and cancels what is queued."""
    run(_stop(domain, as_json))


async def _stop(which: str, as_json: bool) -> None:
    from winnow.actions import domains
    from winnow.actions.catalogue import control
    from winnow.cli import show

    domain = domains.domain_named(which)
    async with assembled() as parts:
        cancelled = await control.stop_domain(parts.database, actor(), parts.politeness.ledger, domain)
    show.done(as_json, f"{domain}: stopped, {cancelled} visits cancelled", domain=domain, cancelled=cancelled)


async def _pause(which: str, paused: bool, reason: str | None, as_json: bool) -> None:
    from winnow.actions import domains
    from winnow.cli import show

    domain = domains.domain_named(which)
    async with assembled() as parts:
        change = domains.pause if paused else domains.resume
        changed = await change(parts.database, actor(), parts.politeness.ledger, domain, reason)
    word = "paused" if paused else "resumed"
    summary = f"{domain}: {word if changed else 'unchanged'}"
    show.done(as_json, summary, domain=domain, paused=paused, changed=changed)
