"""`winnow corrections …`: wrong prices are hidden or scaled; the history itself never changes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

app = typer.Typer(help="Corrections of the price history.", no_args_is_help=True)

COLUMNS = {
    "ID": "id",
    "ACTION": "action",
    "FACTOR": "factor",
    "PRICE": "price_id",
    "OFFER": "source_product_id",
    "SOURCE": "source_id",
    "RUN": "scrape_run_id",
    "FEED RUN": "affiliate_feed_run_id",
    "REASON": "reason",
    "BY": "created_by",
    "REVOKED": "revoked_at",
}
When = Annotated[datetime | None, typer.Option(help="Only prices observed since or until then (UTC).")]


@app.command("add")
def add(
    reason: Annotated[str, typer.Option(help="Why; kept with it.")],
    multiply: Annotated[str | None, typer.Option(help="Scale by this factor, e.g. 0.01; default: hide.")] = None,
    price: Annotated[int | None, typer.Option(help="One price.")] = None,
    offer: Annotated[int | None, typer.Option(help="The prices of an offer.")] = None,
    source: Annotated[int | None, typer.Option(help="The prices of a source.")] = None,
    run_id: Annotated[int | None, typer.Option("--run", help="The prices of a run.")] = None,
    feed_run: Annotated[int | None, typer.Option(help="The prices of a feed run.")] = None,
    since: When = None,
    until: When = None,
    as_json: AsJson = False,
) -> None:
    """Hides or scales prices until the correction is revoked. A price must match every option."""
    given = {
        "action": "IGNORE" if multiply is None else "MULTIPLY",
        "factor": multiply,
        "price_id": price,
        "source_product_id": offer,
        "source_id": source,
        "scrape_run_id": run_id,
        "affiliate_feed_run_id": feed_run,
        "observed_from": since,
        "observed_until": until,
        "reason": reason,
    }
    run(_add({name: value for name, value in given.items() if value is not None}, as_json))


async def _add(given: dict[str, object], as_json: bool) -> None:
    from datetime import UTC
    from decimal import Decimal, InvalidOperation

    from winnow.actions import products as product_actions
    from winnow.cli import show
    from winnow.errors import InvalidInput

    try:
        factor = {"factor": Decimal(str(given["factor"]))} if "factor" in given else {}
    except InvalidOperation:
        raise InvalidInput("a factor is a number like 0.01", field="factor") from None
    moments = {n: v.replace(tzinfo=UTC) for n, v in given.items() if isinstance(v, datetime) and v.tzinfo is None}
    async with assembled() as parts, parts.database.transaction() as conn:
        made = await product_actions.correct(conn, actor(), {**given, **moments, **factor})
    if as_json:
        show.as_json({"id": made})
    else:
        show.message(f"correction {made} is active; undo it with `winnow corrections revoke {made}`")


@app.command("list")
def list_(
    everything: Annotated[bool, typer.Option("--all", help="Include revoked keys.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """Shows the corrections in force, newest first."""
    run(_list(everything, limit, as_json))


async def _list(everything: bool, limit: int, as_json: bool) -> None:
    from winnow.api.models.products import CorrectionResponse
    from winnow.cli import show
    from winnow.queries import corrections as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.listed(conn, everything=everything, limit=limit)
    show.listing(as_json, CorrectionResponse, COLUMNS, found, "no corrections")


@app.command("revoke")
def revoke(
    correction: Annotated[int, typer.Argument(help="Its id.", show_default=False)], as_json: AsJson = False
) -> None:
    """Revokes a correction: prices are shown as observed again."""
    run(_revoke(correction, as_json))


async def _revoke(correction: int, as_json: bool) -> None:
    from winnow.actions import products as product_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await product_actions.revoke_correction(conn, actor(), correction)
    show.done(as_json, f"correction {correction} is revoked", id=correction, revoked=True)
