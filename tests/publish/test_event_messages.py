"""Who hears of events: new, changed, cancelled, gone and merged ones."""

from __future__ import annotations

from typing import Any

from tests.publish.receiver import Receiver
from tests.store.events.event_rows import event, list_events, source
from winnow.actions import events as actions
from winnow.db.engine import Database
from winnow.publish.publisher import Publisher

KEY = {"key": "URL:jazz"}


def topics(receiver: Receiver) -> list[str]:
    return [got.data["topic"] for got in receiver.got]


async def send_all(publisher: Publisher) -> None:
    while (await publisher.run_once()).delivered:
        pass


async def test_e081_an_event_is_reported_when_it_is_new_changed_and_cancelled(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any
) -> None:
    await subscribe(receiver.url, "event.*")
    own = await source(database)
    await list_events(database, own, event("Jazz", **KEY))
    await list_events(database, own, event("Jazz", **KEY))  # says nothing new
    await list_events(database, own, event("Jazz", hour="21:00", **KEY))
    await list_events(database, own, event("Jazz", hour="21:00", status="cancelled", **KEY))
    await send_all(publisher)
    assert topics(receiver) == ["event.created", "event.changed", "event.changed", "event.cancelled"]
    moved = receiver.got[1].data["data"]
    assert (moved["cause"], moved["changes"]["event_time"]) == ("moved", ["20:30", "21:00"])


async def test_e113_a_consumer_hears_only_of_events_that_are_shown(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, rows: Any
) -> None:
    await subscribe(receiver.url, "*", audience="consumer")
    ((event_id, other),) = [(await list_events(database, await source(database), event("Jazz"), event("Fado"))).ids]
    await rows("UPDATE events SET latitude = NULL, longitude = NULL, precision = NULL WHERE id = %s", other)
    await send_all(publisher)
    assert [(m.data["topic"], m.data["data"]["event_id"]) for m in receiver.got] == [("event.created", event_id)]
    async with database.transaction() as conn:
        await actions.hide(conn, "ann", event_id)
    async with database.transaction() as conn:
        await actions.correct(conn, "ann", event_id, {"title": "Jazz!"})
    await send_all(publisher)
    assert [m.data["data"].get("cause") for m in receiver.got] == [None, "hidden"]


async def test_a_receiver_of_one_source_hears_of_its_merges(
    database: Database, publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any
) -> None:
    own, paper = await source(database), await source(database, "Uitkrant")
    third = await source(database, "Theatre")
    (kept,) = (await list_events(database, own, event("Jazz"))).ids
    (merged,) = (await list_events(database, paper, event("Jazz in Paradiso"))).ids
    await subscribe(receiver.url, "event.merged", source_ids=[own])
    await subscribe(other_receiver.url, "event.merged", source_ids=[third])
    async with database.transaction() as conn:
        await actions.merge(conn, "ann", kept, merged)
    await send_all(publisher)
    (told,) = receiver.got
    assert (told.data["data"]["event_id"], told.data["data"]["merged_id"]) == (kept, merged)
    assert other_receiver.got == []
