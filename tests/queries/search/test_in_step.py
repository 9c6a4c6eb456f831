"""What keeps the indexes of a real search server in step: set-up, rebuild, restarts, and a server that is away (C-051,
C-052, C-061)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.queries.search.conftest import Rows, Shop, search_settings
from tests.servers.opensearch import OpenSearch
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database
from winnow.errors import SearchServerFailed
from winnow.queries.reading import reader
from winnow.queries.search.offers import search
from winnow.queries.search.request import SearchRequest
from winnow.queries.search.server import backend_of
from winnow.run.search.upkeep import SearchUpkeep
from winnow.store.search import lag
from winnow.store.search.server import indexes, push
from winnow.store.search.server.client import SearchServer

pytestmark = pytest.mark.servers

C051 = {
    "product_id": {"type": "integer"},
    "product_name": {"type": "text", "analyzer": "standard"},
    "description": {"type": "text", "analyzer": "standard"},
    "brand": {"type": "keyword"},
    "category": {"type": "keyword"},
    "domain_name": {"type": "keyword"},
    "created_at": {"type": "date"},
}


@pytest.fixture
def shop(database: Database, server: SearchServer) -> Shop:
    return Shop(database, server)


@pytest.fixture
async def one(shop: Shop, database: Database) -> int:
    made = await source(database)
    await shop.write(made, *(offer(f"n{n}", 1000 + n, title=f"Tent {n}") for n in range(5)))
    return made


async def live(shop: Shop) -> str:
    async with shop.database.connection() as conn:
        (name,) = [index.name for index in await indexes.listed(conn) if index.live]
    return name


async def stored(shop: Shop, name: str | None = None) -> dict[int, dict[str, Any]]:
    """Everything the index has."""
    assert shop.server is not None
    name = name or await live(shop)
    await shop.server.ask("POST", f"/{name}/_refresh")
    answer = await shop.server.ask("POST", f"/{name}/_search", {"size": 1_000, "query": {"match_all": {}}})
    return {hit["_source"]["product_id"]: hit["_source"] for hit in answer["hits"]["hits"]}


async def wanted(rows: Rows) -> dict[int, tuple[str, float]]:
    return {n: (name, float(price)) for n, name, price in
            await rows("SELECT product_id, product_name, price FROM search_documents")}  # fmt: skip


def figures(found: dict[int, dict[str, Any]]) -> dict[int, tuple[str, float]]:
    return {n: (one["product_name"], one["price"]) for n, one in found.items()}


async def test_c051_c061_the_index_is_made_with_the_mapping_when_first_needed(shop: Shop, one: int) -> None:
    assert shop.server is not None
    name = await live(shop)
    answer = await shop.server.ask("GET", f"/{name}/_mapping")
    mapping = answer[name]["mappings"]
    assert {field: kind for field, kind in mapping["properties"].items() if field in C051} == C051
    assert mapping["dynamic"] == "strict"
    alias = shop.server.settings.search_index
    assert list(await shop.server.ask("GET", f"/_alias/{alias}")) == [name]


async def test_c052_each_change_and_deletion_reaches_the_index(shop: Shop, one: int, rows: Rows) -> None:
    await shop.write(one, offer("n1", 7777, title="Tent 1"), offer("new", title="Lamp"))
    await rows(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, resolve_requested_at) "
        "VALUES (%s, 'SKU', 'brief', 'Brief', 'https://shop.test/brief', now())", one,
    )  # fmt: skip
    await shop.settle()
    assert "Brief" in [found["product_name"] for found in (await stored(shop)).values()]
    await rows("DELETE FROM source_products WHERE identity_value = 'brief'")
    await shop.settle()
    assert figures(await stored(shop)) == await wanted(rows)
    await shop.settle()
    assert await rows("SELECT count(*) FROM search_deletions") == [0], "every index has heard of it"


async def test_c052_a_deleted_document_that_comes_back_is_there(shop: Shop, one: int, rows: Rows) -> None:
    await rows("DELETE FROM search_documents WHERE product_name = 'Tent 2'")
    await shop.settle()
    assert len(await stored(shop)) == 4
    await rows("UPDATE source_products SET resolve_requested_at = now() WHERE title = 'Tent 2'")
    await shop.settle()
    assert figures(await stored(shop)) == await wanted(rows)
    assert len(await stored(shop)) == 5


async def test_a_batch_that_is_sent_twice_changes_nothing(shop: Shop, one: int, rows: Rows) -> None:
    await rows("UPDATE search_indexes SET version = 1")
    await shop.write(one, offer("n0", 4242, title="Tent 0"))
    assert figures(await stored(shop)) == await wanted(rows)


async def test_an_old_batch_that_arrives_late_is_refused(shop: Shop, one: int, rows: Rows) -> None:
    assert shop.server is not None
    name = await live(shop)
    (before,) = [found for found in (await stored(shop)).values() if found["product_name"] == "Tent 0"]
    old = await rows("SELECT version FROM search_documents WHERE product_name = 'Tent 0'")
    await shop.write(one, offer("n0", 9900, title="Tent 0"))
    action = {"_index": indexes.write_alias(name), "_id": str(before["product_id"]), "version": old[0],
              "version_type": "external_gte"}  # fmt: skip
    await shop.server.bulk([{"index": action}, before])
    assert figures(await stored(shop)) == await wanted(rows)


async def test_a_rebuild_takes_the_place_of_the_live_index(shop: Shop, one: int, rows: Rows) -> None:
    assert shop.server is not None
    old, alias = await live(shop), shop.server.settings.search_index
    async with shop.database.connection() as conn:
        name = await indexes.request_new(conn, alias)
        assert name is not None
        assert await indexes.request_new(conn, alias) is None, "one at a time"
    assert await shop.found("tent", sort="price_asc") == [f"n{n}" for n in range(5)], "the old one answers meanwhile"
    await shop.write(one, offer("n0", 5000, title="Tent 0"))
    assert await live(shop) == name != old
    assert list(await shop.server.ask("GET", f"/_alias/{alias}")) == [name]
    assert figures(await stored(shop)) == await wanted(rows)
    with pytest.raises(SearchServerFailed) as gone:
        await shop.server.ask("GET", f"/{old}/_mapping")
    assert gone.value.status == 404


async def test_an_index_that_is_gone_is_built_anew(shop: Shop, one: int, rows: Rows) -> None:
    assert shop.server is not None
    await shop.server.ask("DELETE", f"/{await live(shop)}")
    async with reader(shop.database) as conn:
        page = await search(conn, SearchRequest(q="tent", everything=True), backend_of(shop.server))
    assert (page.backend, len(page.offers)) == ("postgresql", 5)
    assert page.note is not None
    await write(shop.database, one, offer("n0", 8800, title="Tent 0"))
    upkeep = SearchUpkeep(shop.database, shop.server, 300)
    await upkeep.apply()
    assert await upkeep.push() == 0
    await shop.settle()
    assert figures(await stored(shop)) == await wanted(rows)


async def test_nobody_guesses_fields_of_an_index_that_is_gone(shop: Shop, one: int) -> None:
    """A bulk request to an index that is not there makes one, unless it goes through an alias."""
    assert shop.server is not None
    name = await live(shop)
    await shop.server.ask("DELETE", f"/{name}")
    await write(shop.database, one, offer("n0", 8800, title="Tent 0"))
    await SearchUpkeep(shop.database, None, 300).apply()
    async with shop.database.connection() as conn:
        with pytest.raises(SearchServerFailed):
            await push.run_once(conn, shop.server)
    with pytest.raises(SearchServerFailed) as gone:
        await shop.server.ask("GET", f"/{name}/_mapping")
    assert gone.value.status == 404


async def test_p092_consumers_find_nothing_of_a_source_until_the_server_knows_too(
    shop: Shop, one: int, rows: Rows
) -> None:
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    await shop.settle()
    assert (await shop.page("tent", everything=False)).found.total == 5
    await rows("UPDATE source_trust_config SET visibility_status = 'INELIGIBLE'")
    await SearchUpkeep(shop.database, None, 300).apply()  # PostgreSQL's documents have it, the server has not
    assert (await shop.page("tent", everything=False)).found.total == 0
    assert (await shop.page("tent", everything=False)).found.facets.price == []
    await shop.send()
    assert (await shop.page("tent", everything=False)).found.total == 0
    assert len(await shop.found("tent")) == 5


async def test_a_server_that_is_away_is_told_of_everything_when_it_is_back(
    database: Database, rows: Rows, tmp_path: Path
) -> None:
    """PostgreSQL answers meanwhile and says so, nothing waits, and an alert is raised."""
    opensearch = OpenSearch(tmp_path)
    opensearch.start()
    server = SearchServer(search_settings(opensearch.url).model_copy(update={"search_timeout_seconds": 30.0}))
    shop = Shop(database, server)
    try:
        one = await source(database)
        await shop.write(one, offer("n0", title="Tent 0"))
        opensearch.stop()
        upkeep = SearchUpkeep(database, server, 0)
        await write(database, one, offer("n0", 3300, title="Tent 0"), offer("n1", title="Tent 1"))
        await Shop(database, None).settle()
        assert await upkeep.push() == 0
        async with reader(database) as conn:
            page = await search(conn, SearchRequest(q="tent", everything=True), backend_of(server))
        assert (page.backend, len(page.offers)) == ("postgresql", 2)
        assert page.note == "the search server cannot be reached (ClientConnectorError); PostgreSQL answered instead"
        await upkeep.check_lag()
        assert await rows("SELECT code, severity FROM alerts WHERE resolved_at IS NULL") == [("search_behind", "P2")]
        opensearch.start()
        await shop.send()
        assert figures(await stored(shop)) == await wanted(rows)
        await upkeep.check_lag()
        assert await rows("SELECT count(*) FROM alerts WHERE resolved_at IS NULL") == [0]
        async with database.connection() as conn:
            (state,) = await lag.read(conn)
        assert (state.documents_waiting, state.index_seconds, state.last_error) == (0, 0, None)
    finally:
        await server.close()
        opensearch.stop()
