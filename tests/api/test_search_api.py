"""The search endpoint: one shape for everything it says, and a sentence for what it cannot answer."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.searchable import index_offers
from tests.store.offer_rows import offer, source, write
from winnow.db.engine import Database

PATH = "/api/v1/products/search"


@pytest.fixture
async def stocked(database: Database) -> None:
    one = await source(database, visibility_status="ELIGIBLE")
    other = await source(database, "hidden")
    await write(database, one, offer("a", 1500, title="Dome tent", brand="Alp", category="Tents"))
    await write(database, other, offer("b", 2500, title="Secret tent", brand="Nemo", url="https://hidden.test/b"))
    index_offers(database.url)


async def asked(client: httpx.AsyncClient, **params: Any) -> dict[str, Any]:
    answer = await client.get(PATH, params=params)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_c056_hits_counts_and_facets_come_in_the_envelope(admin: httpx.AsyncClient, stocked: None) -> None:
    answer = await asked(admin, q="tent", sort="price_desc", limit=1)
    data = answer["data"]
    assert [(hit["sku"], hit["amount"], hit["category"]) for hit in data["hits"]] == [("b", "25.00", None)]
    assert (data["total"], data["capped"], data["backend"], data["note"]) == (2, False, "postgresql", None)
    assert data["facets"]["brand"] == [{"value": "Alp", "count": 1}, {"value": "Nemo", "count": 1}]
    assert data["facets"]["price"] == [
        {"currency": "USD", "low": 10, "high": 25, "count": 1}, {"currency": "USD", "low": 25, "high": 50, "count": 1}
    ]  # fmt: skip
    following = answer["meta"]["next"]
    assert [
        hit["sku"]
        for hit in (await asked(admin, q="tent", sort="price_desc", limit=1, after=following))["data"]["hits"]
    ] == ["a"]


async def test_c056_a_key_that_reads_finds_what_consumers_may_see(consumer: httpx.AsyncClient, stocked: None) -> None:
    data = (await asked(consumer, q="tent"))["data"]
    assert ([hit["sku"] for hit in data["hits"]], data["total"]) == (["a"], 1)
    assert data["facets"]["brand"] == [{"value": "Alp", "count": 1}]
    assert (await asked(consumer, brand="Nemo"))["data"]["total"] == 0
    assert (await asked(consumer, price_min=20))["data"]["total"] == 0


@pytest.mark.parametrize(
    "params",
    [
        {"q": "x" * 60_000}, {"q": "a\x00b"}, {"brand": [str(n) for n in range(51)]}, {"sort": "cheapest"},
        {"price_min": "many"}, {"price_min": -1}, {"price_min": 9, "price_max": 2}, {"currency": "EURO"},
        {"availability": "MAYBE"}, {"after": 5_000}, {"limit": 1_000}, {"source_id": 0}, {"rating_min": 7},
    ],
)  # fmt: skip
async def test_what_cannot_be_answered_is_a_422(
    admin: httpx.AsyncClient, stocked: None, params: dict[str, Any]
) -> None:
    answer = await admin.get(PATH, params=params)
    assert (answer.status_code, answer.json()["success"]) == (422, False)


async def test_an_empty_catalogue_finds_nothing(admin: httpx.AsyncClient) -> None:
    assert (await asked(admin, q="tent"))["data"]["hits"] == []
    assert (await asked(admin))["data"]["total"] == 0
