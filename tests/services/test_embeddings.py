"""The embedding API's seam, beside a server that is away, slow, rate-limited and lies (E-073)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.services.conftest import Opened
from tests.services.model_server import ModelServer, dribbles, drops, floods, hangs, says
from tests.store.events.event_rows import event, list_events, source
from winnow.db.engine import Database
from winnow.errors import Trouble
from winnow.run.event_upkeep import EventUpkeep, vectors_of
from winnow.run.services import Services
from winnow.store.events.matching.api_vectors import FIRST_PAUSE, ApiVectors
from winnow.store.events.matching.vectors import MODEL, offline

PAIR = ("Het Dagboek van Anna Leeuw", "Anna Leeuw: gelezen brieven")  # some words agree, and too few of them
FAULTS = [
    (hangs, Trouble.AWAY),
    (drops, Trouble.AWAY),
    (dribbles, Trouble.AWAY),
    (floods, Trouble.NONSENSE),
    (says(503), Trouble.AWAY),
    (says(429), Trouble.BUSY),
    (says(402), Trouble.SPENT),
    (says(401), Trouble.REFUSED),
    (says(200, "<html>"), Trouble.NONSENSE),
    (says(200, '{"data": []}'), Trouble.NONSENSE),
    (says(200, '{"data": [{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]}'), Trouble.NONSENSE),
    (says(200, '{"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1, 2]}]}'), Trouble.NONSENSE),
    (says(200, '{"data": [{"index": 0, "embedding": [0]}, {"index": 1, "embedding": [1]}]}'), Trouble.NONSENSE),
    (says(200, '{"data": [{"index": 0, "embedding": ["1"]}, {"index": 1, "embedding": [1]}]}'), Trouble.NONSENSE),
    (says(200, '{"data": [{"index": 0, "embedding": null}, {"index": 9, "embedding": [1]}]}'), Trouble.NONSENSE),
]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def rows(database: Database, statement: str) -> list[Any]:
    async with database.connection() as conn:
        return await (await conn.execute(statement)).fetchall()


async def free_lane(database: Database) -> None:
    async with database.connection() as conn:
        await conn.execute("UPDATE lanes SET slowed_until = NULL, held_until = NULL")


def vectors(services: Services, database: Database, clock: Clock | None = None) -> ApiVectors:
    return ApiVectors(database, services.embedder, offline(), clock or Clock())


async def test_e073_titles_are_asked_for_once_and_compared_by_the_model_of_the_api(
    services: Services, server: ModelServer, database: Database
) -> None:
    server.vectors = lambda text: [3.0, 4.0] if "Anna" in text else [4.0, -3.0]
    ours = vectors(services, database)
    await ours.prepare([*PAIR, "Iets anders"])
    alike, other = await ours.similarities([PAIR, (PAIR[0], "Iets anders")])
    assert alike is not None
    assert other is not None
    assert (alike.cosine, alike.model, other.cosine) == (pytest.approx(1.0), "vec-1", pytest.approx(0.0))
    await vectors(services, database).prepare(PAIR)
    (asked,) = server.asked
    assert asked.body == {"model": "vec-1", "input": [*PAIR, "Iets anders"], "encoding_format": "float"}
    assert await rows(database, "SELECT service, outcome, questions, answered, tokens FROM service_calls") == [
        ("embeddings", "ok", 3, 3, 3)
    ]


@pytest.mark.parametrize(("fault", "trouble"), FAULTS)
async def test_e073_whatever_the_api_does_the_offline_model_compares_and_the_api_is_asked_again_later(
    services: Services, server: ModelServer, database: Database, fault: Any, trouble: Trouble
) -> None:
    clock = Clock()
    ours = vectors(services, database, clock)
    server.faults.append(fault)
    await ours.prepare(PAIR)
    (alike,) = await ours.similarities([PAIR])
    assert alike is not None
    assert alike.model == MODEL
    assert await rows(database, "SELECT outcome FROM service_calls") == [(trouble,)]
    assert await rows(database, "SELECT count(*) FROM event_embeddings") == [(0,)]
    await free_lane(database)
    await ours.prepare(PAIR)
    assert len(server.asked) == 1  # it is left alone for a while
    clock.now += FIRST_PAUSE + 1
    await ours.prepare(PAIR)
    (again,) = await ours.similarities([PAIR])
    assert again is not None
    assert again.model == "vec-1"


async def test_e073_vectors_of_two_models_are_never_compared(
    services: Services, server: ModelServer, database: Database
) -> None:
    ours = vectors(services, database)
    await ours.prepare([PAIR[0]])
    (mixed,) = await ours.similarities([PAIR])  # the API was not asked for the second title
    assert mixed is not None
    assert mixed.model == MODEL
    server.vectors = lambda text: [1.0, 2.0, 3.0]  # another model under the same name
    await ours.prepare(PAIR)
    (sizes,) = await ours.similarities([PAIR])
    assert sizes is not None
    assert sizes.model == MODEL


@pytest.mark.parametrize(("vector", "doubts"), [([1.0, 0.0], 1), (None, 0)])
async def test_e073_a_model_makes_a_doubt_or_a_merge_and_is_named_beside_it(
    services: Services, server: ModelServer, database: Database, vector: list[float] | None, doubts: int
) -> None:
    """Titles the API finds equal are merged where day, hour and place agree; else a person decides."""
    server.vectors = lambda text: [1.0, 0.0] if vector is None or "Dagboek" in text else [0.8, 0.6]
    for name, title in zip(("Paradiso", "Uitkrant"), PAIR, strict=True):
        await list_events(database, await source(database, name), event(title))
    upkeep = EventUpkeep(database, vectors_of(database, services.embedder))
    assert await upkeep.match() == 2
    assert await rows(database, "SELECT count(*) FROM event_doubts WHERE facts ->> 'model' = 'vec-1'") == [(doubts,)]
    assert await rows(database, "SELECT count(*) FROM event_merges WHERE facts ->> 'model' = 'vec-1'") == [
        (1 - doubts,)
    ]


async def test_e073_while_the_api_hangs_no_lock_is_held(
    services: Services, server: ModelServer, database: Database
) -> None:
    asked: list[int] = []

    async def looks(request: Any) -> Any:
        held = "SELECT count(*) FROM pg_locks AS l JOIN pg_database AS d ON d.oid = l.database "
        held += "WHERE l.locktype = 'advisory' AND d.datname = current_database()"
        asked.append((await rows(database, held))[0][0])
        return await says(503)(request)

    server.faults.append(looks)
    for name, title in zip(("Paradiso", "Uitkrant"), PAIR, strict=True):
        await list_events(database, await source(database, name), event(title))
    assert await EventUpkeep(database, vectors_of(database, services.embedder)).match() == 2
    assert asked == [0]


async def test_without_an_address_the_offline_model_compares(opened: Opened, database: Database) -> None:
    async with opened(embeddings_url=None, embeddings_model=None) as services:
        assert (await services.embedder.embed(PAIR)).trouble is Trouble.OFF
        assert type(vectors_of(database, services.embedder)) is type(offline())
