"""Search in OpenSearch or Elasticsearch: the same question as postgres.py, in its query language.

Which words count, and what a mistyped one may mean, is read from PostgreSQL for both (lexemes.py), so both find the
same.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from winnow.errors import SearchServerFailed
from winnow.queries.search import lexemes
from winnow.queries.search.postgres import CODE_SCORE
from winnow.queries.search.request import (
    MAX_FACET,
    MAX_MATCHES,
    PRICE_STEPS,
    Facets,
    FacetValue,
    Found,
    PriceRange,
    SearchRequest,
    price_range,
)
from winnow.queries.search.words import Part, Words, read_words
from winnow.store.search.server.client import SearchServer
from winnow.store.search.server.mapping import LANGUAGES

_LIVE = text("SELECT name, version FROM search_indexes WHERE live")
_FIELDS = {"brand": "brand", "category": "category", "domain": "domain_name"}
_SORTS: dict[str, list[Any]] = {
    "relevance": [{"_score": "desc"}, {"product_id": "asc"}],
    "newest": [{"created_at": "desc"}, {"product_id": "asc"}],
    "price_asc": [{"PRICE": "asc"}, {"product_id": "asc"}],
    "price_desc": [{"PRICE": "desc"}, {"product_id": "asc"}],
}
CODE_BOOST = 1_000.0 * CODE_SCORE  # above any score of words


class ServerSearch:
    """Opened with the process; the server may be away at any time."""

    name = "search_server"

    def __init__(self, server: SearchServer) -> None:
        self._server = server

    async def version(self, conn: AsyncConnection) -> int:
        return (await self._live(conn))[1]

    async def find(self, conn: AsyncConnection, request: SearchRequest, hidden: list[int]) -> Found:
        name, _ = await self._live(conn)
        if not request.q:
            return await self._find(name, request, {"match_all": {}}, hidden)
        words = read_words(request.q)
        known = await lexemes.languages(conn)
        insisted = await lexemes.insisted(conn, words, known)
        found = await self._find(name, request, _wanted(insisted, words, known, {}), hidden)
        if found.total or not words.is_plain:
            return found
        corrected = await lexemes.corrections(conn, words)
        if not corrected:
            return found
        found = await self._find(name, request, _wanted(insisted, words, known, corrected), hidden)
        return Found(found.hits, found.total, found.capped, found.facets, corrected) if found.total else Found()

    async def _live(self, conn: AsyncConnection) -> tuple[str, int]:
        row = (await conn.execute(_LIVE)).first()
        if row is None:
            raise SearchServerFailed("the index of the search server is being built")
        return str(row.name), int(row.version)

    async def _find(self, name: str, request: SearchRequest, wanted: dict[str, Any] | None, hidden: list[int]) -> Found:
        if wanted is None or request.is_past_the_end:
            return Found()
        answer = await self._server.ask("POST", f"/{name}/_search", _body(request, wanted, hidden))
        if answer.get("timed_out") or answer["_shards"]["failed"]:
            raise SearchServerFailed("a part of the search server did not answer")
        return _read(answer)


def _wanted(
    insisted: list[Part], words: Words, known: list[str], corrected: dict[str, list[str]]
) -> dict[str, Any] | None:
    languages = [language for language in known if language in LANGUAGES]
    ways: list[dict[str, Any]] = []
    if insisted:
        must = [_either(part, corrected.get(part.text, [part.text]), languages) for part in insisted]
        must_not = [_either(part, [part.text], languages) for part in words.unwanted]
        ways.append({"bool": {"must": must, "must_not": must_not}})
    if words.codes and not corrected:
        ways.append({"constant_score": {"filter": {"terms": {"codes": words.codes}}, "boost": CODE_BOOST}})
    return {"dis_max": {"queries": ways}} if ways else None


def _either(part: Part, spellings: list[str], languages: list[str]) -> dict[str, Any]:
    """The part in any of its spellings, in the words of a name, or in the text in the language it is written in."""
    simple = ["words_simple^3", "text_simple"]
    fields = [*simple, *(f"words_{name}^3" for name in languages), *(f"text_{name}" for name in languages)]
    more: dict[str, Any] = {"type": "phrase"} if part.phrase else {"operator": "and"}
    queries = [{"multi_match": {"query": spelling, "fields": fields, **more}} for spelling in spellings]
    return {"dis_max": {"queries": queries}}


def _body(request: SearchRequest, wanted: dict[str, Any], hidden: list[int]) -> dict[str, Any]:
    prefix = "" if request.everything else "shown_"
    filters, excluded = _filters(request, hidden, prefix)
    body: dict[str, Any] = {
        "query": {"bool": {"must": [wanted], "filter": filters, "must_not": excluded}},
        "from": request.after,
        "size": request.to_fetch,
        "sort": [_named(key, prefix) for key in _SORTS[request.order]],
        "track_scores": True,
        "track_total_hits": MAX_MATCHES + 1,
        "_source": False,
        "docvalue_fields": ["product_id"],
    }
    if request.facets:
        body["aggs"] = _facets(prefix)
    return body


def _named(key: dict[str, str], prefix: str) -> dict[str, str]:
    return {name.replace("PRICE", f"{prefix}price"): order for name, order in key.items()}


def _filters(request: SearchRequest, hidden: list[int], prefix: str) -> tuple[list[Any], list[Any]]:
    filters: list[dict[str, Any]] = []
    excluded: list[dict[str, Any]] = []
    if not request.everything:
        filters.append({"exists": {"field": "shown_price"}})
        excluded.append({"range": {"shown_until": {"lte": "now"}}})
        if hidden:
            excluded.append({"terms": {"source_id": hidden}})
    fields = {**_FIELDS, "availability": f"{prefix}availability"}
    filters += [{"terms": {f: list(values)}} for name, f in fields.items() if (values := getattr(request, name))]
    if request.source_id is not None:
        filters.append({"term": {"source_id": request.source_id}})
    if request.currency is not None:
        filters.append({"term": {f"{prefix}currency": request.currency}})
    bounds = {"gte": request.price_min, "lte": request.price_max}
    if given := {name: float(value) for name, value in bounds.items() if value is not None}:
        filters.append({"range": {f"{prefix}price": given}})
    if request.rating_min is not None:
        filters.append({"range": {"rating": {"gte": float(request.rating_min)}}})
    if request.sort.startswith("price"):
        filters.append({"exists": {"field": f"{prefix}price"}})
    return filters, excluded


def _facets(prefix: str) -> dict[str, Any]:
    fields = {**_FIELDS, "availability": f"{prefix}availability"}
    order = [{"_count": "desc"}, {"_key": "asc"}]
    found: dict[str, Any] = {
        name: {"terms": {"field": field, "size": MAX_FACET, "order": order}} for name, field in fields.items()
    }
    steps = [*zip([None, *PRICE_STEPS], [*PRICE_STEPS, None], strict=True)]
    ranges = [{k: v for k, v in (("from", low), ("to", high)) if v is not None} for low, high in steps]
    found["price"] = {
        "terms": {"field": f"{prefix}currency", "size": MAX_FACET, "order": order},
        "aggs": {"ranges": {"range": {"field": f"{prefix}price", "ranges": ranges}}},
    }
    return found


def _read(answer: Any) -> Found:
    hits = [(int(hit["fields"]["product_id"][0]), float(hit["_score"] or 0)) for hit in answer["hits"]["hits"]]
    total = answer["hits"]["total"]
    counted = min(int(total["value"]), MAX_MATCHES)
    capped = total["relation"] != "eq" or int(total["value"]) > MAX_MATCHES
    groups = answer.get("aggregations") or {}
    named = {name: _values(groups[name]) for name in (*_FIELDS, "availability") if name in groups}
    return Found(hits, counted, capped, Facets(**named, price=_prices(groups.get("price"))))


def _values(group: Any) -> list[FacetValue]:
    return [FacetValue(str(bucket["key"]), int(bucket["doc_count"])) for bucket in group["buckets"]]


def _prices(group: Any) -> list[PriceRange]:
    found = [
        price_range(str(currency["key"]), n, int(bucket["doc_count"]))
        for currency in (group or {"buckets": []})["buckets"]
        for n, bucket in enumerate(currency["ranges"]["buckets"])
        if bucket["doc_count"]
    ]
    return sorted(found, key=lambda r: (-r.count, r.currency, r.low or 0))


def backend_of(server: SearchServer | None) -> ServerSearch | None:
    """What `search` asks first; None where PostgreSQL answers."""
    return None if server is None else ServerSearch(server)
