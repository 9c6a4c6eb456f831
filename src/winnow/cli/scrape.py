"""`winnow scrape URL`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, actor, assembled, run

if TYPE_CHECKING:
    from winnow.actions.parts import Parts
    from winnow.actions.scrape_url import Scraped
    from winnow.fetch.tiers import Way
    from winnow.kinds.assess import Judged

Url = Annotated[str, typer.Argument(help="The page.", show_default=False)]


def scrape(
    url: Url,
    save: Annotated[bool, typer.Option("--save", help="Also watch the page and store its prices.")] = False,
    currency: Annotated[str | None, typer.Option(help="Currency of ambiguous symbols such as $ (ISO code).")] = None,
    adapter: Annotated[str | None, typer.Option(help="Default: the domain's own, else generic.")] = None,
    kind: Annotated[
        str | None,
        typer.Option("--type", help="What to read instead of an offer: company_website, job_posting, event …"),
    ] = None,
    fields: Annotated[str | None, typer.Option(help="With --type: only these fields, separated by commas.")] = None,
    browser: Annotated[bool, typer.Option("--browser", help="Use a browser, for pages built by scripts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetches one page and shows what it says; stores nothing.

    The verdict says whether that would be trusted, and why not. With --save it is watched as well."""
    if kind is not None:
        if save:
            raise typer.BadParameter("--save watches offers; it does not go with --type")
        run(_scrape_type(url, kind, fields, browser, as_json))
    else:
        run(_scrape(url, save, currency, adapter, browser, as_json))


async def _scrape_type(url: str, kind: str, fields: str | None, browser: bool, as_json: bool) -> None:
    from winnow.actions import scrape_url as scrape_url_actions
    from winnow.cli import show
    from winnow.kinds.registry import all_kinds
    from winnow.kinds.results import check_fields

    target = all_kinds().named(kind)
    requested = [name.strip() for name in fields.split(",") if name.strip()] if fields else None
    check_fields(target, requested)
    async with assembled() as parts:
        scraped = await scrape_url_actions.scrape_kind(
            parts.database, parts.settings, url, target, requested, way=_way(browser), notify=_print_status
        )
    found = _fetched(scraped) | _read(scraped, kind)
    if as_json:
        show.as_json(found)
    else:
        show.fields(found)
    if scraped.assessment is None or not scraped.assessment.records:
        raise typer.Exit(1)


def _read(scraped: Scraped, target_type: str) -> dict[str, Any]:
    """One record with its verdict; of pages with several (events) all of them."""
    seen = scraped.assessment
    if seen is None:
        return {}
    described: dict[str, Any] = {"target_type": target_type, "strategy": seen.strategy}
    if seen.failure is not None:
        return described | {"failure": seen.failure, "details": seen.details}
    results = [_record(judged) for judged in seen.records]
    return described | (results[0] if len(results) == 1 else {"results": results})


def _record(judged: Judged) -> dict[str, Any]:
    from winnow.kinds.results import null_reasons

    verdict, content = judged.verdict, judged.content
    return {
        "verdict": verdict.decision.value,
        "reasons": [f"{f.reason} ({f.details})" for f in verdict.findings],
        "record": judged.data,
        "problems": null_reasons(judged.data, content.problems),
        "provenance": content.provenance,
    }


async def _scrape(
    url: str, save: bool, currency: str | None, adapter: str | None, browser: bool, as_json: bool
) -> None:
    from winnow.actions import scrape_url as scrape_url_actions
    from winnow.actions import validation
    from winnow.cli import show

    currency = None if currency is None else validation.currency(currency)
    async with assembled() as parts:
        scraped = await scrape_url_actions.scrape(
            parts.database,
            parts.settings,
            url,
            currency=currency,
            adapter_id=adapter,
            way=_way(browser),
            notify=_print_status,
        )
        found = _described(scraped)
        if save:
            found |= await _save_target(parts, url)
    if as_json:
        show.as_json(found)
    else:
        show.fields(found)
    if scraped.assessment is None or not scraped.assessment.records:
        raise typer.Exit(1)


def _print_status(sentence: str) -> None:
    typer.echo(sentence, err=True)


def _way(browser: bool) -> Way:
    from winnow.fetch.tiers import Way

    return Way.DYNAMIC if browser else Way.STATIC


async def _save_target(parts: Parts, url: str) -> dict[str, Any]:
    """The target is visited by a worker like any other: one way into the history, with one set of rules."""
    from winnow.actions import runs as run_actions
    from winnow.actions import targets as target_actions
    from winnow.errors import Conflict

    async with parts.database.transaction() as conn:
        watched = await target_actions.watch(conn, actor(), parts.intake, url)
        saved: dict[str, Any] = {"target": watched.target_id, "source": watched.source_id}
        try:
            started = await run_actions.start(
                conn, actor(), watched.source_id, parts.settings.schedule, [watched.target_id], gated=parts.gated
            )
        except Conflict as busy:
            return saved | {"saving": f"queued: the domain is busy ({busy})"}
    return saved | {"run": started.run_id, "saving": "stored by the next worker: `winnow up` or `winnow worker`"}


def _described(scraped: Scraped) -> dict[str, Any]:
    return _fetched(scraped) | _assessed(scraped)


def _fetched(scraped: Scraped) -> dict[str, Any]:
    result = scraped.result
    return {
        "url": result.final_url,
        "fetch": result.outcome.value,
        "status_code": result.status_code,
        "duration_ms": result.duration_ms,
        "error": result.error,
        "robots": scraped.robots,
    }


def _assessed(scraped: Scraped) -> dict[str, Any]:
    from winnow.normalise.money.currencies import exponent
    from winnow.normalise.money.display import decimal_text
    from winnow.normalise.record import Offer

    seen = scraped.assessment
    if seen is None or not seen.records:
        return {} if seen is None else {"failure": seen.failure, "details": seen.details}
    if scraped.kind not in ("offer", "product"):
        return _read(scraped, scraped.kind or "")
    offer, verdict = seen.records[0].decode(Offer), seen.records[0].verdict
    price = offer.price
    return {
        "verdict": verdict.decision.value,
        "reasons": [f"{f.reason} ({f.details})" for f in verdict.findings],
        "title": offer.title,
        "price": None if price is None else decimal_text(price.minor, exponent(price.currency)),
        "currency": None if price is None else price.currency,
        "availability": offer.availability.value,
        "identity": offer.identity.key,
        "brand": offer.brand,
        "sku": offer.sku,
        "gtin": offer.gtin,
        "mpn": offer.mpn,
        "image_url": offer.image_url,
        "strategy": seen.strategy,
        "provenance": offer.provenance,
    }
