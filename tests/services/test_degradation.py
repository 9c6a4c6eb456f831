"""Every outside service away, slow, rate-limited or lying: no event is lost, and what it had to give follows when it is
back (E-092 … E-096). The table of docs/how-to/outside-services.md, row by row, beside a server that does all of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.services.conftest import Opened
from tests.services.model_server import ModelServer, drops, hangs, says
from tests.services.test_embeddings import PAIR, Clock
from tests.store.events.event_rows import event, list_events, source
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.errors import ServiceFailed, Trouble
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.publish import endpoints, sender
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings
from winnow.run.event_upkeep import EventUpkeep
from winnow.run.events.geocoding import Geocoding
from winnow.run.services import Services
from winnow.services.llm.agenda import judge_agendas
from winnow.store.events.matching.api_vectors import ApiVectors
from winnow.store.events.matching.vectors import offline

FAULTS = {
    "away": drops,
    "slow": hangs,
    "rate-limited": says(429, "slow down"),
    "lying": says(200, '{"data": [], "choices": [], "organic": "none"}'),
}
EVENTS = "SELECT title, event_date::text, event_time, status FROM events ORDER BY id"
LATER = 7_200.0  # seconds: longer than any pause after a failure
PLACE = {"lat": "52.3622", "lon": "4.8839", "place_rank": 30, "address": {"city": "Amsterdam", "country_code": "nl"}}


@dataclass
class Scene:
    """Two sources with an event each, which may be one, and an application that wants to hear of them."""

    database: Database
    services: Services
    server: ModelServer
    publisher: Publisher
    clock: Clock

    def __post_init__(self) -> None:
        self.vectors = ApiVectors(self.database, self.services.embedder, offline(), self.clock)
        self.geocoding = Geocoding(self.database, self.services.geocoder, self.clock)

    async def rows(self, statement: str) -> list[Any]:
        async with self.database.connection() as conn:
            found = await conn.execute(statement)
            return await found.fetchall() if found.description else []

    async def later(self) -> None:
        self.clock.now += LATER
        await self.rows("UPDATE lanes SET slowed_until = NULL, held_until = NULL")
        await self.rows("UPDATE deliveries SET next_attempt_at = now() WHERE status = 'pending'")


async def ask_model(scene: Scene) -> bool:
    """E-092: without an opinion heuristics decide."""
    scene.server.answering = lambda items: [{"n": 0, "is_agenda": True, "confidence": 0.9}]
    return await judge_agendas(scene.services.llm, [("https://a.test/agenda", "Agenda")]) != [None]


async def ask_geocoder(scene: Scene) -> bool:
    """E-094: events stand at the coordinates of their source, or of their town."""
    await scene.geocoding.run_once()
    return bool(await scene.rows("SELECT 1 FROM events WHERE precision = 'exact'"))


async def ask_embeddings(scene: Scene) -> bool:
    """The offline model compares the titles."""
    await scene.rows("UPDATE events SET match_requested_at = now()")
    await EventUpkeep(scene.database, scene.vectors).match()
    doubts = await scene.rows("SELECT facts ->> 'model' FROM event_doubts")
    assert len(doubts) == 1
    return doubts == [("vec-1",)]


async def ask_search(scene: Scene) -> bool:
    """E-093: no new sources this week."""
    try:
        return bool(await scene.services.search.search("agenda Delft", "NL"))
    except ServiceFailed as failed:
        return failed.trouble is Trouble.OFF  # which would be wrong: it is set up


async def tell(scene: Scene) -> bool:
    """E-084: messages wait for their receiver, a chat as well as an application."""
    await scene.publisher.run_once()
    left = await scene.rows("SELECT count(*) FROM deliveries WHERE status <> 'delivered'")
    sent = await scene.rows("SELECT count(*) FROM deliveries")
    return bool(left == [(0,)] and sent[0][0] >= 2)


USES: dict[str, Callable[[Scene], Awaitable[bool]]] = {
    "llm": ask_model, "geocoder": ask_geocoder, "embeddings": ask_embeddings, "search": ask_search, "webhook": tell,
}  # fmt: skip


@pytest.fixture
async def scene(
    services: Services, server: ModelServer, database: Database, database_settings: DatabaseSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> Any:  # fmt: skip
    monkeypatch.setattr(sender, "TIMEOUT_SECONDS", 0.5)
    given = PublishSettings(SCRAPER_WEBHOOK_SECRET="a platform secret of some length")
    secrets = Secrets(database, database_settings, given)
    ring = await secrets.key_ring()
    async with database.transaction() as conn:
        await endpoints.add(conn, ring, name="app", url=server.url + "/hook", topics=("event.*",))
    sending = Sender(EgressGuard(AllowList(["127.0.0.0/8"])), "Winnow/1.0")
    server.places["Paradiso, Amsterdam"] = [PLACE]
    server.vectors = lambda text: [1.0, 0.0] if "Dagboek" in text else [0.8, 0.6]
    for name, title in zip(("Paradiso", "Uitkrant"), PAIR, strict=True):
        await list_events(database, await source(database, name), event(title))
    yield Scene(database, services, server, Publisher(database, given, sending, secrets), Clock())
    await sending.close()


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("service", USES)
async def test_e092_e093_e094_whatever_a_service_does_no_event_is_lost_and_it_helps_when_it_is_back(
    scene: Scene, service: str, fault: str
) -> None:
    if (service, fault) == ("webhook", "lying"):
        scene.server.faults.append(says(302, Location=scene.server.url + "/elsewhere"))  # its answers are not read
    else:
        scene.server.faults.append(FAULTS[fault])
    before = await scene.rows(EVENTS)
    assert not await USES[service](scene), "the fault was not met"
    assert await scene.rows(EVENTS) == before
    assert await scene.rows("SELECT count(*) FROM shown_events") == [(2,)]
    await scene.later()
    assert await USES[service](scene), "it did not help when it was back"
    assert await scene.rows(EVENTS) == before


async def test_e092_without_any_service_events_are_read_compared_and_shown(opened: Opened, database: Database) -> None:
    off = {f"{name}_url": None for name in ("llm", "geocoder", "embeddings", "search")}
    async with opened(**off, llm_model=None, embeddings_model=None) as services:
        assert not services.llm.is_on
        for name, title in zip(("Paradiso", "Uitkrant"), PAIR, strict=True):
            await list_events(database, await source(database, name), event(title))
        assert await Geocoding(database, services.geocoder).run_once() == 0
        assert await EventUpkeep(database).match() == 2
    async with database.connection() as conn:
        assert await (await conn.execute("SELECT count(*) FROM shown_events")).fetchone() == (2,)
        assert await (await conn.execute("SELECT count(*) FROM service_calls")).fetchone() == (0,)
