"""Alerts and who hears of them (P-099, E-083, E-084)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.publish.receiver import Receiver
from winnow.db.engine import Database
from winnow.publish import alerts, attempt, endpoints, slack
from winnow.publish.alerts import NOTE, PAGE, SLACK, Alert
from winnow.publish.attempt import ReceiverResponse
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings

TOPICS = "SELECT topic FROM outbox ORDER BY id"


def alert(severity: str = SLACK, key: str = "k", **details: Any) -> Alert:
    return Alert(severity=severity, code="test", key=key, title="something is wrong", details=details)


async def happen(database: Database, *what: Alert) -> None:
    for one in what:
        async with database.transaction() as conn:
            await alerts.open_alert(conn, one)


async def test_an_alert_is_told_once_and_counted_after_that(database: Database, rows: Any) -> None:
    await happen(database, alert(), alert(), alert())
    assert await rows(TOPICS) == ["alert.opened"]
    assert await rows("SELECT occurrences FROM alerts") == [3]


async def test_one_that_flaps_is_not_told_again_within_the_hour(database: Database, rows: Any) -> None:
    for _ in range(3):
        await happen(database, alert())
        async with database.transaction() as conn:
            await alerts.resolve(conn, "x", keys=["k"])
    assert await rows(TOPICS) == ["alert.opened", "alert.resolved"]
    assert await rows("SELECT count(*) FROM alerts") == [3]
    await rows("UPDATE alerts SET notified_at = now() - interval '61 minutes'")
    await happen(database, alert())
    assert (await rows(TOPICS))[-1] == "alert.opened"


async def test_one_that_keeps_happening_is_repeated_after_the_window_unless_acknowledged(
    database: Database, rows: Any
) -> None:
    async def repeated() -> int:
        async with database.transaction() as conn:
            return await alerts.repeat(conn, timedelta(minutes=30))

    await happen(database, alert(key="a"), alert(key="b"), alert(key="c"))
    assert await repeated() == 0
    await rows(
        "UPDATE alerts SET notified_at = now() - interval '31 minutes', last_seen_at = now() - interval '31 minutes'"
    )
    assert await repeated() == 0, "nothing has happened since"
    await happen(database, alert(key="a"), alert(key="b"))
    async with database.transaction() as conn:
        await alerts.acknowledge(conn, "ada", await rows("SELECT id FROM alerts WHERE dedupe_key = 'b'"))
    assert await repeated() == 1
    assert await repeated() == 0
    assert await rows("SELECT key, payload -> 'occurrences' FROM outbox WHERE topic = 'alert.repeated'") == [
        ("alert:a", 2)
    ]


async def test_a_state_that_lasts_counts_only_when_it_changes(database: Database, rows: Any) -> None:
    lasting = Alert(severity=SLACK, code="x", key="x", title="x", details={"n": 1}, lasting=True)
    worse = Alert(severity=SLACK, code="x", key="x", title="x", details={"n": 2}, lasting=True)
    await happen(database, lasting, lasting, worse, worse)
    assert await rows("SELECT occurrences FROM alerts") == [2]


@pytest.mark.parametrize(
    ("severities", "heard"), [(["P1"], ["P1"]), (["P1", "P2", "P3"], ["P1", "P2", "P3"]), ([], [])]
)
async def test_p099_a_receiver_hears_the_severities_it_is_for(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, rows: Any,
    severities: list[str], heard: list[str],
) -> None:  # fmt: skip
    await subscribe(receiver.url, "alert.*")
    await rows("UPDATE webhook_endpoints SET severities = %s", severities)
    await happen(database, *(alert(severity, key=severity) for severity in (PAGE, SLACK, NOTE)))
    await publisher.run_once()
    assert sorted(got.data["data"]["severity"] for got in receiver.got) == heard


@pytest.fixture
def slack_settings(receiver: Receiver) -> PublishSettings:
    return PublishSettings(slack_webhook_url=f"{receiver.url}/services/T/B/verysecret", slack_topics=("alert.*",))


@pytest.fixture
async def to_slack(
    database: Database, database_settings: Any, slack_settings: PublishSettings, sender: Sender
) -> Publisher:
    async with database.transaction() as conn:
        await endpoints.follow_settings(conn, slack_settings)
    return Publisher(database, slack_settings, sender, Secrets(database, database_settings, slack_settings))


async def test_e084_slack_being_away_is_waited_out_and_said_in_the_log(
    database: Database, to_slack: Publisher, receiver: Receiver, rows: Any, hurry: Any, logged: list[Any]
) -> None:
    receiver.answers.extend([503] * 12)
    await happen(database, alert(PAGE))
    for _ in range(12):
        await to_slack.run_once()
        await hurry()
    assert await rows("SELECT status, attempts FROM deliveries") == [("pending", 12)]
    assert sum(entry["event"] == "delivery_failed" for entry in logged) == 12
    assert (await to_slack.run_once()).delivered == 1
    assert receiver.got[-1].path == "/services/T/B/verysecret"
    assert "something is wrong" in receiver.got[-1].data["text"]
    assert "P1" in receiver.got[-1].data["text"]
    stored = await rows("SELECT d::text FROM deliveries AS d UNION ALL SELECT w::text FROM webhook_endpoints AS w")
    assert not any("verysecret" in row for row in stored)
    assert not any("verysecret" in str(entry) for entry in logged)


async def test_the_slack_channel_follows_the_settings(
    database: Database, to_slack: Publisher, slack_settings: PublishSettings, rows: Any
) -> None:
    async with database.transaction() as conn:
        await endpoints.follow_settings(conn, PublishSettings())
    assert await rows("SELECT enabled, disabled_reason FROM webhook_endpoints") == [(False, "not configured")]
    async with database.transaction() as conn:
        await endpoints.follow_settings(conn, slack_settings)
    assert await rows("SELECT enabled, topics FROM webhook_endpoints") == [(True, ["alert.*"])]


@pytest.mark.parametrize(("attempts", "wait"), [(1, 2), (2, 4), (5, 32), (10, 900), (99, 900)])
def test_e084_waits_for_slack_double_up_to_a_quarter_of_an_hour(attempts: int, wait: float) -> None:
    assert attempt.conclude("slack", attempts, ReceiverResponse(status_code=500)).wait_s == wait
    assert attempt.conclude("slack", attempts, ReceiverResponse(status_code=429, retry_after_s=1000)).wait_s == 900
    assert attempt.conclude("slack", 100, ReceiverResponse(status_code=500)).status == "dead"


def test_slack_obeys_nothing_that_a_page_says() -> None:
    data = {"title": "<!channel> *free* <https://evil.example|shop> & more", "url": "https://a.example/?<b>",
            "before": {"minor": 1999, "currency": "EUR"}, "after": {"minor": 500, "currency": "JPY"}}  # fmt: skip
    said = str(slack.message("price.changed", {"data": data}))
    assert "<!channel>" not in said
    assert "<https" not in said
    assert "&lt;!channel&gt;" in said
    assert "19.99 EUR → 500 JPY" in said


def test_e082_one_summary_per_run_marks_what_went_wrong() -> None:
    good = slack.message(
        "run.completed", {"data": {"run_id": 1, "status": "SUCCESS", "source": "shop", "offers_valid": 9}}
    )
    bad = slack.message(
        "run.completed",
        {"data": {"run_id": 1, "status": "SUCCESS", "source": "shop", "urls_failed": 2, "open_circuits": 1}},
    )
    assert "check_mark" in good["text"]
    assert "circuits open" not in str(good)
    assert "warning" in bad["text"]
    assert "circuits open" in str(bad)


async def test_a_dead_delivery_is_an_alert_until_one_arrives_again(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any, hurry: Any
) -> None:
    await subscribe(receiver.url, "price.*")
    await tell("price.changed", "offer:1")
    receiver.answers.extend([500] * 4)
    for _ in range(4):
        await publisher.run_once()
        await hurry()
    assert await rows("SELECT severity, code, resolved_at IS NULL FROM alerts") == [("P3", "delivery_dead", True)]
    await tell("price.changed", "offer:2")
    await publisher.run_once()
    assert await rows("SELECT resolved_by FROM alerts") == ["publisher"]


def test_e082_the_day_is_told_with_its_figures_and_its_tripped_breakers_only_if_any() -> None:
    day = {"day": "2026-05-01", "sources_processed": 12, "events_inserted": 40, "events_updated": 3, "errors": 0}
    good = slack.message("events.day_completed", {"data": day | {"circuit_breakers_tripped": []}})
    bad = slack.message(
        "events.day_completed", {"data": day | {"errors": 2, "circuit_breakers_tripped": ["De <!channel> Kroon"]}}
    )
    assert "Daily scrape complete" in good["text"]
    assert [field["text"] for field in good["blocks"][1]["fields"]] == [
        "*Sources*\n12", "*Inserted*\n40", "*Updated*\n3", "*Errors*\n0",
    ]  # fmt: skip
    assert "check_mark" in good["text"]
    assert len(good["blocks"]) == 2
    assert "warning" in bad["text"]
    assert "Circuit breakers tripped" in bad["blocks"][2]["text"]["text"]
    assert "<!channel>" not in str(bad)
