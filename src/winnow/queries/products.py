"""Canonical products, their offers, and search. Consumers see what their views show (P-092), operators everything."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Select, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.db.tables.products import Product, ProductConflict, ProductLink
from winnow.db.tables.store import SourceProduct
from winnow.normalise.gtin import as_gtin14, read_gtin
from winnow.queries.prices import CONSUMER_OFFERS, offers_of
from winnow.queries.reading import Row, cut, first, page, rows

P, K, C, O = (m.__table__ for m in (Product, ProductLink, ProductConflict, SourceProduct))  # noqa: E741

MAX_HITS = 1_000  # of one search, over all pages
MAX_RANKED = 10_000  # a word that is in every name is not worth ranking a million of them
LIKENESS = 0.4  # of a word to a part of the name; pg_trgm's own limit of 0.6 misses one typo in six letters

# Words first (C-053), then identifiers exactly, then names that look like it, for typing errors.
_SEARCH = text("""
WITH wanted AS (SELECT websearch_to_tsquery('english', :q) AS words), hits AS (
    (SELECT d.product_id, 1 + ts_rank(d.document, d.words) AS score
     FROM (SELECT d.product_id, d.document, w.words FROM search_documents AS d, wanted AS w
           WHERE d.document @@ w.words LIMIT :ranked) AS d
     ORDER BY 2 DESC, 1 LIMIT :most)
    UNION ALL
    (SELECT i.source_product_id, 3 FROM source_product_codes AS i
     WHERE (i.type, i.value) IN (('SKU', :q), ('MPN', :q), ('ASIN', :q))
        OR (i.type IN ('GTIN', 'UPC', 'EAN', 'ISBN') AND i.value = ANY(:gtins))
     LIMIT :most)
    UNION ALL -- codes of feeds are words of their documents
    (SELECT d.product_id, 3 FROM search_documents AS d
     WHERE d.document @@ to_tsquery('simple', CAST(:digits AS text)) LIMIT :most)
    UNION ALL
    (SELECT d.product_id, word_similarity(:q, d.product_name)
     FROM (SELECT d.product_id, d.product_name FROM search_documents AS d
           WHERE :alike AND :q <% d.product_name LIMIT :ranked) AS d
     ORDER BY 2 DESC, 1 LIMIT :most)
)
SELECT product_id AS source_product_id, max(score)::float8 AS score FROM hits GROUP BY 1
ORDER BY 2 DESC, 1 LIMIT :most
""")


async def search(
    conn: AsyncConnection,
    q: str,
    *,
    everything: bool,
    in_stock: bool | None = None,
    source_id: int | None = None,
    after: int | None = None,
    limit: int = 50,
) -> tuple[list[Row], str | None]:
    """Offers that fit, best first, with their current price. The cursor counts hits."""
    await conn.execute(text(f"SET LOCAL pg_trgm.word_similarity_threshold = {LIKENESS}"))
    gtins = _spellings(q)
    given = {"q": q, "most": MAX_HITS, "ranked": MAX_RANKED, "gtins": gtins, "digits": " | ".join(gtins) or None,
             "alike": _is_plain(q)}  # fmt: skip
    hits = [dict(row) for row in (await conn.execute(_SEARCH, given)).mappings()]
    scores = {hit["source_product_id"]: hit["score"] for hit in hits}
    shown = {
        row["source_product_id"]: row
        for row in await _offers(conn, list(scores), everything)
        if in_stock in (None, row["in_stock"]) and source_id in (None, row["source_id"])
    }
    found = [{**shown[n], "score": round(score, 4)} for n, score in scores.items() if n in shown]
    start = after or 0
    following = str(start + limit) if len(found) > start + limit else None
    return found[start : start + limit], following


def _is_plain(q: str) -> bool:
    """Whoever quotes a phrase or excludes a word means exactly that."""
    return '"' not in q and not any(word.startswith("-") for word in q.split())


def _spellings(q: str) -> list[str]:
    """A GTIN may be stored as printed: with 8, 12, 13 or 14 digits."""
    gtin = read_gtin(q)
    if gtin is None:
        return []
    whole = as_gtin14(gtin)
    return [whole[-n:] for n in (8, 12, 13, 14) if not whole[:-n].strip("0")]


async def _offers(conn: AsyncConnection, ids: list[int], everything: bool) -> list[Row]:
    of: Any = offers_of(everything).subquery("offers")
    statement = select(of, K.c.product_id).outerjoin(K, K.c.source_product_id == of.c.source_product_id)
    return await rows(conn, statement.where(of.c.source_product_id.in_(ids)))


async def listed(
    conn: AsyncConnection, *, everything: bool, after: int | None = None, limit: int = 50
) -> tuple[list[Row], str | None]:
    return cut(await rows(conn, page(_products(everything), P.c.id, after, limit)), limit)


async def one(conn: AsyncConnection, product_id: int, *, everything: bool) -> Row | None:
    return await first(conn, _products(everything).where(P.c.id == product_id))


def _products(everything: bool) -> Select[Any]:
    """All products, or those with an offer that consumers may see."""
    if everything:
        return select(P)
    linked = K.join(CONSUMER_OFFERS, CONSUMER_OFFERS.c.source_product_id == K.c.source_product_id)
    return select(P).where(select(K.c.product_id).select_from(linked).where(K.c.product_id == P.c.id).exists())


async def offers(conn: AsyncConnection, product_id: int, *, everything: bool) -> list[Row]:
    """Of one product: those in stock first, then by price."""
    linked = select(K.c.source_product_id).where(K.c.product_id == product_id).limit(MAX_HITS)
    ids = [row["source_product_id"] for row in await rows(conn, linked)]
    found = await _offers(conn, ids, everything)
    return sorted(found, key=lambda row: (not row["in_stock"], row["currency"], row["amount_minor"]))


async def of_offer(conn: AsyncConnection, offer_id: int) -> Row | None:
    """The canonical product an offer is of; None as long as nothing proves one."""
    return await first(conn, select(P).join(K, K.c.product_id == P.c.id).where(K.c.source_product_id == offer_id))


async def conflicts(conn: AsyncConnection, after: int | None = None, limit: int = 50) -> tuple[list[Row], str | None]:
    statement = select(*C.c, O.c.title, O.c.url, O.c.brand, O.c.mpn).join(O, O.c.id == C.c.source_product_id)
    found = await rows(conn, page(statement, C.c.source_product_id, after, limit))
    return cut(found, limit, "source_product_id")
