"""`winnow prices URL|ID`: the history of a page's offers, as a table and a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, assembled, run

if TYPE_CHECKING:
    from sqlalchemy.ext.asyncio import AsyncConnection

    from winnow.actions.parts import Parts

ROWS = 20  # of the table; the chart shows all that were read
COLUMNS = {"OBSERVED (UTC)": "observed_at", "PRICE": "amount", "": "currency", "AVAILABILITY": "availability"}


def prices(
    which: Annotated[str | None, typer.Argument(help="URL or target id. Omit to list all offers.")] = None,
    offer: Annotated[int | None, typer.Option(help="Id of an offer.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=10_000, help="Maximum number of prices.")] = 500,
    as_json: AsJson = False,
) -> None:
    """Shows the price history of an offer.

    Without a page: the current price of every offer."""
    if which is None and offer is None:
        run(_latest(limit, as_json))
    else:
        run(_history(which, offer, limit, as_json))


async def _latest(limit: int, as_json: bool) -> None:
    from winnow.api.models.offers import OfferResponse
    from winnow.cli import show
    from winnow.queries import prices as queries
    from winnow.queries.offer_state import describe_state
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.latest(conn, everything=True, limit=limit)
    offers = [OfferResponse.of(row) for row in found]
    if as_json:
        show.models(offers)
        return
    columns = {"OFFER": "source_product_id", **COLUMNS, "NOTE": "note", "TITLE": "title"}
    shown = [o.model_dump() | {"note": describe_state(o.model_dump())} for o in offers]
    show.table(columns, shown, "no prices yet: `winnow watch URL`, then `winnow up`")


async def _history(which: str | None, offer: int | None, limit: int, as_json: bool) -> None:
    from winnow.api.models.offers import PricePoint
    from winnow.cli import show
    from winnow.queries import prices as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        ids = [offer] if offer is not None else await _offers(parts, conn, which or "")
        products = {row["id"]: row for row in await queries.products(conn, ids)}
        found, _ = await queries.history(conn, list(products), everything=True, limit=limit)
    points = [PricePoint.of(row) for row in found]
    if as_json:
        show.models(points)
        return
    for product_id, product in products.items():
        _show(product, [p for p in points if p.source_product_id == product_id])
    if not products:
        show.message("no price yet: `winnow targets list --url …` shows whether it was visited")


async def _offers(parts: Parts, conn: AsyncConnection, which: str) -> list[int]:
    """A number is a target; anything else has to be a URL that is known."""
    from winnow.errors import NotFound
    from winnow.queries import prices as queries

    if which.isascii() and which.isdigit():
        ids = await queries.products_of_target(conn, int(which))
        if ids is None:
            raise NotFound(f"there is no target {which}")
        return ids
    checked = parts.intake.check(which)
    ids = await queries.products_of_url(conn, checked.url_hash)
    if not ids and not await queries.is_watched(conn, checked.url_hash):
        raise NotFound("this URL is not watched: start with `winnow watch URL`")
    return ids


def _show(product: dict[str, Any], points: list[Any]) -> None:
    from winnow.cli import show
    from winnow.cli.chart import chart
    from winnow.normalise.money.display import decimal_text

    show.message(f"\noffer {product['id']}: {product['title']}")
    show.message(product["url"])
    if not points:
        show.message("no price yet")
        return
    newest = points[0]
    drawn = [(p.observed_at, p.amount_minor) for p in reversed(points) if p.currency == newest.currency]
    width = min(show.console().width, 100)
    for line in chart(sorted(drawn), width, lambda minor: decimal_text(minor, newest.exponent)):
        show.console().print(line, markup=False, no_wrap=True, crop=True)
    show.table(COLUMNS, (p.model_dump() for p in points[:ROWS]), "")
    if len(points) > ROWS:
        show.message(f"… {len(points) - ROWS} older prices (use --json)")
