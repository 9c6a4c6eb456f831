"""`winnow search`: offers by words, numbers and filters."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from winnow.cli.session import AsJson, assembled, run
from winnow.errors import InvalidInput

if TYPE_CHECKING:
    from winnow.queries.search.request import SearchPage

HITS = {
    "OFFER": "source_product_id",
    "PRICE": "amount",
    "": "currency",
    "STOCK": "availability",
    "BRAND": "brand",
    "TITLE": "title",
    "URL": "url",
}


def search(
    words: Annotated[
        list[str] | None,
        typer.Argument(help='Words, a "phrase", -excluded words, or a GTIN, SKU or part number.', show_default=False),
    ] = None,
    brand: Annotated[list[str] | None, typer.Option(help="Only this brand; several are alternatives.")] = None,
    category: Annotated[list[str] | None, typer.Option(help="Only this category.")] = None,
    domain: Annotated[list[str] | None, typer.Option(help="Only this shop.")] = None,
    in_stock: Annotated[bool, typer.Option("--in-stock", help="Only what is in stock.")] = False,
    price: Annotated[str | None, typer.Option(help="A range such as 10-100, 10- or -100.")] = None,
    currency: Annotated[str | None, typer.Option(help="Only prices in this currency.")] = None,
    sort: Annotated[str, typer.Option(help="relevance, newest, price_asc or price_desc.")] = "relevance",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=500, help="Maximum number of rows.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Finds offers by name, text or number, best first, and counts brands, categories, shops, stock and prices."""
    low, high = _range(price)
    filters: dict[str, Any] = {
        "brand": tuple(brand or ()),
        "category": tuple(category or ()),
        "domain": tuple(domain or ()),
        "availability": ("IN_STOCK",) if in_stock else (),
        "price_min": low,
        "price_max": high,
        "currency": currency,
        "sort": sort,
    }
    run(_search(" ".join(words or []), limit, filters, as_json))


def _range(text: str | None) -> tuple[Decimal | None, Decimal | None]:
    if text is None:
        return None, None
    low, dash, high = text.partition("-")
    try:
        numbers = [None if not part.strip() else Decimal(part.strip()) for part in (low, high)]
    except InvalidOperation:
        dash = ""
        numbers = []
    if not dash or not any(n is not None for n in numbers):
        raise InvalidInput("a price range is written 10-100, 10- or -100", field="price")
    return numbers[0], numbers[1]


async def _search(words: str, limit: int, filters: dict[str, Any], as_json: bool) -> None:
    from winnow.api.models.search import SearchResponse
    from winnow.cli import show
    from winnow.queries.reading import reader
    from winnow.queries.search.offers import search as find
    from winnow.queries.search.request import SearchRequest
    from winnow.queries.search.server import backend_of

    request = SearchRequest(q=words, everything=True, limit=limit, **filters)
    async with assembled() as parts, reader(parts.database) as conn:
        page = await find(conn, request, backend_of(parts.search_server))
    answer = SearchResponse.of_page(page)
    if as_json:
        show.as_json(answer.model_dump(mode="json"))
        return
    show.table(HITS, (hit.model_dump() for hit in answer.hits), "nothing found; new offers are found after a moment")
    for line in _summary(page):
        show.message(line)


def _summary(page: SearchPage) -> list[str]:
    """What was counted, in lines for a person."""
    found, lines = page.found, []
    for word, instead in found.corrected.items():
        lines.append(f"nothing has {word!r}: searched {' or '.join(instead)}")
    if found.total:
        lines.append(f"more than {found.total:,} matches; counts are of the first" if found.capped
                     else f"{found.total:,} matches")  # fmt: skip
    for name in ("brand", "category", "domain", "availability"):
        if values := getattr(found.facets, name)[:5]:
            lines.append(f"{name}: " + ", ".join(f"{v.value} ({v.count:,})" for v in values))
    return [*lines, page.note] if page.note else lines
