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

_MATCHES = """
SELECT d.product_id, d.brand, d.category, d.domain_name, {price} AS price, {currency} AS currency,
       {availability} AS availability, {score} AS score
FROM (SELECT * FROM search_documents AS d WHERE {where} LIMIT :matches) AS d
"""
_BY_RELEVANCE = """
SELECT product_id, score FROM matches ORDER BY score DESC, product_id OFFSET :after LIMIT :hits
"""
# Along an index, until there are enough: the newest of those that were counted are not the newest of all.
_IN_ORDER = """
SELECT d.product_id, 0::float8 AS score FROM search_documents AS d WHERE {where} ORDER BY {order}
OFFSET :after LIMIT :hits
"""
_ORDER = {
    "newest": "d.created_at DESC, d.product_id",
    "price_asc": "{price}, d.product_id",
    "price_desc": "{price} DESC, d.product_id",
}
_FIND = """
WITH matches AS MATERIALIZED ({matches}), hits AS ({hits})
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
_QUERY = "CAST(:query AS tsquery)"
_WORDS = f"d.document @@ {_QUERY}"
_CODE = "d.codes && CAST(:codes AS text[])"
_COLUMNS = {"brand": "brand", "category": "category", "domain": "domain_name", "availability": "availability"}


# A plan for these very words, and no workers started for a page of hits.
_PLANNED = text("""
SELECT set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('max_parallel_workers_per_gather', '0', true)
""")


class PostgresSearch:
    name = "postgresql"

    async def find(self, conn: AsyncConnection, request: SearchRequest, hidden: list[int]) -> Found:
        """`hidden`: sources of which consumers find nothing at the moment."""
        await conn.execute(_PLANNED)
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
              "steps": list(PRICE_STEPS), "code_score": CODE_SCORE, "query": query, "codes": codes}  # fmt: skip
    if request.order == "relevance":
        hits = _BY_RELEVANCE
    else:
        order = _ORDER[request.order].format(**seen)
        hits = _IN_ORDER.format(where=_fitting(request, query, codes, filters), order=order)
    facets = "".join(_FACET.format(name=n, column=c) for n, c in _COLUMNS.items()) + _PRICE_FACET
    matches = _matches(request, query, codes, filters, seen)
    return _FIND.format(matches=matches, hits=hits, facets=facets if request.facets else ""), given


def _matches(request: SearchRequest, query: str | None, codes: list[str], filters: str, seen: dict[str, str]) -> str:
    """Those with the code, then those with the words: together in one condition no index would be enough."""
    branches = []
    if codes:
        branches.append(_MATCHES.format(where=f"{_CODE} AND {filters}", score=":code_score", **seen))
        filters = f"NOT {_CODE} AND {filters}"
    if query:
        branches.append(_MATCHES.format(where=f"{_WORDS} AND {filters}", score=_score(request), **seen))
    elif not request.q:
        branches.append(_MATCHES.format(where=filters, score="0::float8", **seen))
    return " UNION ALL ".join(f"({branch})" for branch in branches)


def _score(request: SearchRequest) -> str:
    return f"ts_rank(d.document, {_QUERY})::float8" if request.order == "relevance" else "0::float8"


def _fitting(request: SearchRequest, query: str | None, codes: list[str], filters: str) -> str:
    ways = [way for way, given in ((_WORDS, query), (_CODE, codes)) if given]
    return f"({' OR '.join(ways)}) AND {filters}" if ways else filters


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
