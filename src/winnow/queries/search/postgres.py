"""Search in PostgreSQL: full text and codes of `search_documents`, and the words of names for what was mistyped
(C-053).

At most MAX_MATCHES documents are ranked and counted: of a word that is in every name, ranking a million takes seconds
and says little. `Found.capped` is true then.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.queries.search import lexemes
from winnow.queries.search.request import (
    MAX_FACET,
    MAX_MATCHES,
    PRICE_STEPS,
    Facets,
    FacetValue,
    Found,
    SearchRequest,
    price_range,
)
from winnow.queries.search.words import Words, read_words

CODE_SCORE = 3.0  # above any rank of words

# Filters go first: the planner then knows that it may walk along an index until it has enough.
_MATCHES = """
SELECT d.product_id, d.brand, d.category, d.domain_name, {price} AS price, {currency} AS currency,
       {availability} AS availability, d.created_at, {score} AS score
FROM (SELECT * FROM search_documents AS d WHERE {where} {order} LIMIT :matches) AS d
"""
_BY_CODE = """
SELECT d.product_id, d.brand, d.category, d.domain_name, {price} AS price, {currency} AS currency,
       {availability} AS availability, d.created_at, :code_score AS score
FROM search_documents AS d WHERE d.codes && CAST(:codes AS text[]) AND {filters} LIMIT :matches
"""
_NOT_BY_CODE = "NOT d.codes && CAST(:codes AS text[])"
_ORDER = {
    "relevance": "score DESC, product_id",
    "newest": "created_at DESC, product_id",
    "price_asc": "price, product_id",
    "price_desc": "price DESC, product_id",
}
_INNER_ORDER = {
    "relevance": "",
    "newest": "ORDER BY d.created_at DESC",
    "price_asc": "ORDER BY {price}",
    "price_desc": "ORDER BY {price} DESC",
}
_FIND = """
WITH matches AS MATERIALIZED ({matches}),
hits AS (SELECT product_id, score FROM matches ORDER BY {order} OFFSET :after LIMIT :hits)
SELECT 'hit' AS part, product_id::text AS value, NULL::text AS low, score AS n FROM hits
UNION ALL SELECT 'total', NULL, NULL, (SELECT count(*) FROM matches)
{facets}
"""
_FACET = """
UNION ALL (SELECT '{name}', {column}, NULL, count(*) FROM matches WHERE {column} IS NOT NULL
           GROUP BY {column} ORDER BY count(*) DESC, {column} COLLATE "C" LIMIT :facet)
"""
_PRICE_FACET = """
UNION ALL (SELECT 'price', currency::text, width_bucket(price, CAST(:steps AS numeric[]))::text, count(*) FROM matches
           WHERE price IS NOT NULL GROUP BY 2, 3 ORDER BY 4 DESC, 2, 3 LIMIT 50)
"""
_COLUMNS = {"brand": "brand", "category": "category", "domain": "domain_name", "availability": "availability"}


class PostgresSearch:
    name = "postgresql"

    async def find(self, conn: AsyncConnection, request: SearchRequest, hidden: list[int]) -> Found:
        """`hidden`: sources of which consumers find nothing at the moment."""
        await conn.execute(text("SET LOCAL plan_cache_mode = force_custom_plan"))  # a plan for these very words
        if not request.q:
            return await self._find(conn, request, hidden, None, [])
        words = read_words(request.q)
        known = await lexemes.languages(conn)
        query = await lexemes.tsquery(conn, words, known, {})
        found = await self._find(conn, request, hidden, query, words.codes)
        return found if found.total else await self._find_corrected(conn, request, hidden, words, known)

    async def _find_corrected(
        self, conn: AsyncConnection, request: SearchRequest, hidden: list[int], words: Words, known: list[str]
    ) -> Found:
        """Nothing has these words: those that no name has are taken for mistyped ones."""
        corrected = await lexemes.corrections(conn, words) if words.is_plain else {}
        if not corrected:
            return Found()
        query = await lexemes.tsquery(conn, words, known, corrected)
        found = await self._find(conn, request, hidden, query, [])
        return Found(found.hits, found.total, found.capped, found.facets, corrected) if found.total else Found()

    async def _find(
        self, conn: AsyncConnection, request: SearchRequest, hidden: list[int], query: str | None, codes: list[str]
    ) -> Found:
        if request.is_past_the_end or (request.q and not query and not codes):
            return Found()
        statement, given = _statement(request, hidden, query, codes)
        rows = (await conn.execute(text(statement), given)).all()
        return _read(rows)


def _statement(
    request: SearchRequest, hidden: list[int], query: str | None, codes: list[str]
) -> tuple[str, dict[str, Any]]:
    prefix = "" if request.everything else "shown_"
    seen = {name: f"d.{prefix}{name}" for name in ("price", "currency", "availability")}
    filters, given = _filters(request, hidden, seen)
    given |= {"matches": MAX_MATCHES + 1, "after": request.after, "hits": request.to_fetch, "facet": MAX_FACET,
              "steps": list(PRICE_STEPS), "code_score": CODE_SCORE}  # fmt: skip
    branches = []
    if codes:
        branches.append(_BY_CODE.format(filters=filters, **seen))
        given["codes"] = codes
        filters += f" AND {_NOT_BY_CODE}"
    if query or not request.q:
        where = f"d.document @@ CAST(:query AS tsquery) AND {filters}" if query else filters
        score = "ts_rank(d.document, CAST(:query AS tsquery))::float8" if query else "0::float8"
        order = _INNER_ORDER[request.sort if query else _browsing(request)].format(**seen)
        branches.append(_MATCHES.format(where=where, score=score, order=order, **seen))
        given["query"] = query
    matches = " UNION ALL ".join(f"({branch})" for branch in branches)
    facets = "".join(_FACET.format(name=n, column=c) for n, c in _COLUMNS.items()) + _PRICE_FACET
    order = _ORDER[request.sort if request.q else _browsing(request)]
    return _FIND.format(matches=matches, order=order, facets=facets if request.facets else ""), given


def _browsing(request: SearchRequest) -> str:
    """Without words nothing is more relevant than another."""
    return "newest" if request.sort == "relevance" else request.sort


def _filters(request: SearchRequest, hidden: list[int], seen: dict[str, str]) -> tuple[str, dict[str, Any]]:
    conditions, given = ["true"], dict[str, Any]()
    if not request.everything:
        conditions.append("d.shown_price IS NOT NULL AND (d.shown_until IS NULL OR d.shown_until > now())")
        if hidden:
            conditions.append("d.source_id <> ALL(CAST(:hidden AS bigint[]))")
            given["hidden"] = hidden
    columns = {"brand": "d.brand", "category": "d.category", "domain": "d.domain_name",
               "availability": seen["availability"]}  # fmt: skip
    for name, column in columns.items():
        if values := getattr(request, name):
            conditions.append(f"{column} = ANY(CAST(:{name} AS text[]))")
            given[name] = list(values)
    compared = {"source_id": "d.source_id = :source_id", "currency": f"{seen['currency']} = :currency",
                "price_min": f"{seen['price']} >= :price_min", "price_max": f"{seen['price']} <= :price_max",
                "rating_min": "d.rating >= :rating_min"}  # fmt: skip
    for name, condition in compared.items():
        if (value := getattr(request, name)) is not None:
            conditions.append(condition)
            given[name] = value
    if request.sort.startswith("price"):
        conditions.append(f"{seen['price']} IS NOT NULL")
    return " AND ".join(conditions), given


def _read(rows: Any) -> Found:
    parts: dict[str, list[Any]] = {}
    for row in rows:
        parts.setdefault(row.part, []).append(row)
    total = int(parts["total"][0].n)
    facets = Facets(
        **{name: [FacetValue(row.value, int(row.n)) for row in parts.get(name, [])] for name in _COLUMNS},
        price=[price_range(row.value, int(row.low), int(row.n)) for row in parts.get("price", [])],
    )
    hits = [(int(row.value), float(row.n)) for row in parts.get("hit", [])]
    return Found(hits, min(total, MAX_MATCHES), total > MAX_MATCHES, facets)
