"""`winnow products …`: offers of all sellers, and manual links."""

from __future__ import annotations

from typing import Annotated

import typer

from winnow.cli.session import AsJson, Limit, actor, assembled, run

app = typer.Typer(help="Products and their offers.", no_args_is_help=True)

HITS = {
    "OFFER": "source_product_id",
    "PRODUCT": "product_id",
    "PRICE": "amount",
    "": "currency",
    "AVAILABILITY": "availability",
    "TITLE": "title",
    "URL": "url",
}
CONFLICTS = {
    "OFFER": "source_product_id",
    "WHY": "reason",
    "EVIDENCE": "evidence",
    "COULD BE": "candidates",
    "TITLE": "title",
    "URL": "url",
}
Offer = Annotated[int, typer.Argument(help="The id of an offer.", show_default=False)]
Product = Annotated[int, typer.Argument(help="The id of a product.", show_default=False)]


@app.command("show")
def show_(product: Product, as_json: AsJson = False) -> None:
    """Shows a product with every offer of it."""
    run(_show(product, as_json))


async def _show(product: int, as_json: bool) -> None:
    from winnow.api.models.products import ProductDetail, ProductOffer
    from winnow.cli import show
    from winnow.errors import NotFound
    from winnow.queries import products as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        row = await queries.one(conn, product, everything=True)
        if row is None:
            raise NotFound(f"there is no product {product}")
        offers = [ProductOffer.of(offer) for offer in await queries.offers(conn, product, everything=True)]
    detail = ProductDetail.of({**row, "offers": offers})
    if as_json:
        show.as_json(detail.model_dump(mode="json"))
        return
    show.fields({n: getattr(detail, n) for n in ("id", "name", "brand", "mpn", "gtin", "category")})
    show.table(HITS, (offer.model_dump() for offer in offers), "no offers")


@app.command("conflicts")
def conflicts(limit: Limit = 50, as_json: AsJson = False) -> None:
    """Shows offers that could not be linked to a product without guessing."""
    run(_conflicts(limit, as_json))


async def _conflicts(limit: int, as_json: bool) -> None:
    from winnow.api.models.products import ConflictResponse
    from winnow.cli import show
    from winnow.queries import products as queries
    from winnow.queries.reading import reader

    async with assembled() as parts, reader(parts.database) as conn:
        found, _ = await queries.conflicts(conn, limit=limit)
    show.listing(as_json, ConflictResponse, CONFLICTS, found, "no conflicts")


@app.command("link")
def link(
    offer: Offer,
    product: Product,
    reason: Annotated[str, typer.Option(help="Why; kept with it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Links an offer to a product. The resolver no longer changes it."""
    run(_link(offer, product, reason, as_json))


async def _link(offer: int, product: int, reason: str, as_json: bool) -> None:
    from winnow.actions import products as product_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await product_actions.link(conn, actor(), offer, product, reason)
    show.done(as_json, f"offer {offer} is of product {product}", offer_id=offer, product_id=product)


@app.command("unlink")
def unlink(offer: Offer, as_json: AsJson = False) -> None:
    """Removes the link of an offer; the resolver checks it again."""
    run(_unlink(offer, as_json))


async def _unlink(offer: int, as_json: bool) -> None:
    from winnow.actions import products as product_actions
    from winnow.cli import show

    async with assembled() as parts, parts.database.transaction() as conn:
        await product_actions.unlink(conn, actor(), offer)
    summary = f"offer {offer} is unlinked until the resolver has checked it"
    show.done(as_json, summary, offer_id=offer, product_id=None)
