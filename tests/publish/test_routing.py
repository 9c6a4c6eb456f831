"""Who hears of what, for how long nobody does, and a Slack that is not there (P-099, E-082 … E-084)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.publish.receiver import Receiver
from winnow.db.engine import Database
from winnow.errors import InvalidInput, NotFound
from winnow.publish import alerts, slack
from winnow.publish.alerts import PAGE, SLACK, Alert
from winnow.publish.publisher import Publisher

TOPICS = "SELECT topic FROM outbox ORDER BY id"


def alert(key: str = "k", severity: str = SLACK, **details: Any) -> Alert:
    return Alert(severity=severity, code="test", key=key, title=f"{key} is wrong", details=details)


async def happen(database: Database, *what: Alert) -> None:
    for one in what:
        async with database.transaction() as conn:
            await alerts.open_alert(conn, one)


async def over(database: Database, *keys: str) -> None:
    async with database.transaction() as conn:
        await alerts.resolve(conn, "x", keys=keys)


async def silence(database: Database, ids: list[int], **length: float) -> list[int]:
    async with database.transaction() as conn:
        return await alerts.silence(conn, ids, timedelta(**length))


async def repeated(database: Database) -> int:
    async with database.transaction() as conn:
        return await alerts.repeat(conn, timedelta(minutes=30))


@pytest.fixture
async def sources(rows: Any) -> list[int]:
    await rows("INSERT INTO retailers (name) VALUES ('shop')")
    for name in ("a", "b"):
        await rows(
            "INSERT INTO sources (name, url, domain, retailer_id) SELECT %s, %s, %s, id FROM retailers",
            name, f"https://{name}.test/", f"{name}.test",
        )  # fmt: skip
        await rows(
            "INSERT INTO source_products (source_id, identity_type, identity_value, title, url, url_hash) "
            "SELECT max(id), 'SKU', '1', 'Tent', 'https://s.test/1', repeat('0', 64) FROM sources"
        )
    found: list[int] = await rows("SELECT id FROM sources ORDER BY id")
    return found


async def test_a_receiver_of_some_sources_hears_of_nothing_else(
    database: Database, publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any,
    sources: list[int],
) -> None:  # fmt: skip
    one, two = sources
    await subscribe(receiver.url, "*", source_ids=[one])
    await subscribe(other_receiver.url, "*")
    await happen(database, alert("mine", source_id=one), alert("theirs", source_id=two), alert("everybody's"))
    await over(database, "mine", "theirs")
    await tell("run.completed", "run:1", source_id=one)
    await tell("run.completed", "run:2", source_id=two)
    await tell("price.changed", "offer:1", source_product_id=1)
    await tell("price.changed", "offer:2", source_product_id=2)
    while (await publisher.run_once()).delivered:
        pass
    assert sorted(got.data["key"] for got in receiver.got) == ["alert:mine", "alert:mine", "offer:1", "run:1"]
    assert len(other_receiver.got) == 9


async def test_a_source_that_does_not_exist_is_refused(subscribe: Any, receiver: Receiver) -> None:
    with pytest.raises(InvalidInput, match="no source 7"):
        await subscribe(receiver.url, source_ids=[7])


async def test_nobody_is_told_of_a_silenced_alert_even_if_it_opens_again(database: Database, rows: Any) -> None:
    await happen(database, alert())
    ids = await rows("SELECT id FROM alerts")
    assert await silence(database, ids, hours=8) == ids
    await rows("UPDATE alerts SET notified_at = now() - interval '2 hours'")
    await happen(database, alert())
    assert await repeated(database) == 0
    await over(database, "k")
    await happen(database, alert())
    await over(database, "k")
    await happen(database, alert())
    assert await rows(TOPICS) == ["alert.opened"]
    assert await rows("SELECT count(*) FROM alerts WHERE resolved_at IS NULL AND silenced_until > now()") == [1]


async def test_what_is_still_open_when_its_silence_ends_is_told(database: Database, rows: Any) -> None:
    await happen(database, alert())
    await silence(database, await rows("SELECT id FROM alerts"), hours=8)
    assert await repeated(database) == 0
    await rows("UPDATE alerts SET silenced_until = now()")
    assert await repeated(database) == 1
    assert await repeated(database) == 0
    assert await rows(TOPICS) == ["alert.opened", "alert.repeated"]


async def test_a_silence_can_be_ended_and_needs_an_open_alert(database: Database, rows: Any) -> None:
    await happen(database, alert())
    ids = await rows("SELECT id FROM alerts")
    await silence(database, ids, hours=8)
    await silence(database, ids, hours=0)
    await over(database, "k")
    assert await rows(TOPICS) == ["alert.opened", "alert.resolved"]
    with pytest.raises(NotFound):
        await silence(database, ids, hours=8)


async def test_e084_a_slack_that_is_not_there_is_logged_and_told_when_it_is_back(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, rows: Any, hurry: Any,
    logged: list[Any],
) -> None:  # fmt: skip
    """A closed port, not an answer: nothing listens where the channel was."""
    await subscribe(f"{receiver.url}/services/T/B/x", "alert.*", channel="slack")
    port = int(receiver.url.rpartition(":")[2])
    await receiver.stop()
    await happen(database, alert("first", PAGE), alert("second"))
    for _ in range(3):
        await publisher.run_once()
        await hurry()
    assert set(await rows("SELECT status FROM deliveries")) == {"pending"}
    assert [entry for entry in logged if entry["event"] == "delivery_failed" and "could not be sent" in entry["error"]]
    await receiver.start(port)
    while (await publisher.run_once()).delivered:
        await hurry()
    assert sorted(got.data["text"].partition(" ")[2] for got in receiver.got) == [
        "P1 first is wrong",
        "P2 second is wrong",
    ]
    assert set(await rows("SELECT status FROM deliveries")) == {"delivered"}


@pytest.mark.parametrize(
    ("run", "sign", "said"),
    [
        ({"result": "SUCCEEDED", "rows_read": 5, "prices_written": 3}, "white_check_mark", "SUCCEEDED"),
        ({"result": "UNCHANGED", "skipped_reason": "UNCHANGED_HASH"}, "white_check_mark", "UNCHANGED"),
        ({"result": "FAILED", "error_message": "no <file>"}, "warning", "FAILED"),
        ({"result": "NOT_ACTIVATED", "rows_read": 5}, "warning", "NOT_ACTIVATED"),
        (
            {"result": "AWAITING_APPROVAL", "would_expire_count": 900},
            "warning",
            "waits for approval",
        ),
    ],
)
def test_f113_one_summary_per_run_of_a_feed(run: dict[str, Any], sign: str, said: str) -> None:
    message = slack.message("feed.completed", {"data": {"run_id": 3, "source": "shop", **run}})
    assert sign in message["text"]
    assert said in message["text"]
    assert "<file>" not in str(message)
