"""The catalogue's products: an offer with its newest observation, whether consumers may see it or not (C-031)."""

from __future__ import annotations

from sqlalchemy import column, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.queries.reading import Row, cut, first, page, rows

_COLUMNS = (
    "id domain_id domain_name source_id crawl_task_id url url_hash product_name description price currency "
    "availability rating review_count brand category sku image_url content_hash metadata parser_version observed_at "
    "created_at updated_at"
)
PRODUCTS = table("catalog_products", *(column(name) for name in _COLUMNS.split()))


async def listed(
    conn: AsyncConnection, *, source_id: int | None = None, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    statement = select(PRODUCTS)
    if source_id is not None:
        statement = statement.where(PRODUCTS.c.source_id == source_id)
    return cut(await rows(conn, page(statement, PRODUCTS.c.id, after, limit)), limit)


async def one(conn: AsyncConnection, product_id: int) -> Row | None:
    return await first(conn, select(PRODUCTS).where(PRODUCTS.c.id == product_id))
