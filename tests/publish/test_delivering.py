"""Outbox to receivers: signed, in order, retried, never lost, never doubled (R-24, S-072 … S-075)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from aiohttp import web

from tests.publish.receiver import Receiver
from tests.waiting import LIMIT
from winnow import webhooks
from winnow.db.engine import Database
from winnow.publish import deliveries, outbox
from winnow.publish.publisher import Publisher


async def test_a_change_reaches_every_receiver_that_wants_its_topic(
    publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any
) -> None:
    _, secret = await subscribe(receiver.url + "/hook", "price.*")
    await subscribe(other_receiver.url, "run.completed")
    await tell("price.changed", "offer:7", amount=1)
    done = await publisher.run_once()
    assert (done.messages, done.deliveries, done.delivered) == (1, 1, 1)
    (got,) = receiver.got
    assert got.data["topic"] == "price.changed"
    assert got.data["data"] == {"amount": 1}
    assert got.data["id"] == got.id
    assert webhooks.verify(secret, got.headers, got.body).id == got.id
    assert other_receiver.got == []
    assert (await publisher.run_once()).delivered == 0


@pytest.mark.parametrize(
    ("topics", "heard"),
    [
        (["*"], True),
        (["price.*"], True),
        (["price.changed"], True),
        (["price"], False),
        (["pricey.*"], False),
        ([], False),
    ],
)
async def test_topics_are_named_whole_or_by_their_beginning(
    publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any, topics: list[str], heard: bool
) -> None:
    endpoint, _ = await subscribe(receiver.url)
    await rows("UPDATE webhook_endpoints SET topics = %s WHERE id = %s", topics, endpoint)
    await tell("price.changed")
    assert (await publisher.run_once()).delivered == int(heard)


async def test_a_message_addressed_to_one_receiver_reaches_only_that_one(
    database: Database, publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any
) -> None:
    await subscribe(other_receiver.url, "*")
    endpoint, _ = await subscribe(receiver.url, "nothing.else")
    async with database.transaction() as conn:
        await outbox.put(conn, [outbox.Message("watch.fired", "watch:1", {}, endpoint)])
    await publisher.run_once()
    assert (len(receiver.got), len(other_receiver.got)) == (1, 0)


async def test_s074_three_retries_after_2_4_and_8_seconds_then_dead_with_the_same_id(
    publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any, hurry: Any
) -> None:
    await subscribe(receiver.url, "price.*")
    await tell()
    receiver.answers.extend([500, 503, 404, 500])
    waits = []
    for _ in range(4):
        await publisher.run_once()
        waits += await rows(
            "SELECT round(extract(epoch FROM next_attempt_at - now()))::int FROM deliveries WHERE status = 'pending'"
        )
        await hurry()
    assert all(abs(waited - wanted) <= 1 for waited, wanted in zip(waits, [2, 4, 8], strict=True))
    assert len({got.id for got in receiver.got}) == 1
    assert len({got.body for got in receiver.got}) == 1
    assert await rows("SELECT status, attempts, last_status_code FROM deliveries") == [("dead", 4, 500)]
    assert (await publisher.run_once()).failed == 0
    assert len(receiver.got) == 4


async def test_a_dead_letter_is_redelivered_under_its_own_id(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any, hurry: Any
) -> None:
    await subscribe(receiver.url, "price.*")
    await tell()
    receiver.answers.extend([500] * 4)
    for _ in range(4):
        await publisher.run_once()
        await hurry()
    async with database.transaction() as conn:
        assert len(await deliveries.redeliver(conn, await rows("SELECT id FROM deliveries"))) == 1
    assert (await publisher.run_once()).delivered == 1
    assert len({got.id for got in receiver.got}) == 1
    assert await rows("SELECT status FROM deliveries") == ["delivered"]


async def test_r24_redirects_are_not_followed(
    publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await subscribe(receiver.url)
    await tell()
    receiver.answers.append(lambda _: web.Response(status=307, headers={"Location": other_receiver.url}))
    assert (await publisher.run_once()).failed == 1
    assert other_receiver.got == []
    assert "redirect" in (await rows("SELECT last_error FROM deliveries"))[0]


async def test_r24_410_disables_the_receiver_and_buries_what_waits_for_it(
    publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await subscribe(receiver.url)
    for n in range(3):
        await tell("price.changed", "offer:1", n=n)
    receiver.answers.append(410)
    await publisher.run_once()
    assert await rows("SELECT enabled FROM webhook_endpoints") == [False]
    assert await rows("SELECT DISTINCT status FROM deliveries") == ["dead"]
    assert len(receiver.got) == 1
    await tell()
    assert (await publisher.run_once()).deliveries == 0


async def test_r10_an_address_that_became_private_is_refused_when_it_is_sent(
    database: Database, publisher: Publisher, rows: Any
) -> None:
    async with database.transaction() as conn:
        for host in ("169.254.169.254", "10.0.0.1", "[::1]:9000", "localhost"):
            await deliveries.create_direct(conn, url=f"http://{host}/hook", topic="job.completed", payload={})
    await publisher.run_once()
    assert set(await rows("SELECT status FROM deliveries")) == {"dead"}
    assert all(
        error.startswith("refused") and "169" not in error for error in await rows("SELECT last_error FROM deliveries")
    )


async def test_the_messages_about_one_thing_arrive_in_their_order(
    publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, hurry: Any
) -> None:
    await subscribe(receiver.url)
    for n in range(3):
        await tell("price.changed", "offer:1", n=n)
    receiver.answers.append(500)
    for _ in range(4):
        await publisher.run_once()
        await hurry()
    assert [got.data["data"]["n"] for got in receiver.got] == [0, 0, 1, 2]


async def test_a_receiver_that_hangs_does_not_hold_up_the_others(
    publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any
) -> None:
    await subscribe(receiver.url, "a")
    await subscribe(other_receiver.url, "b")
    receiver.hang = True
    for n in range(100):
        await tell("a", f"offer:{n}")
    await publisher.fan_out()
    sending = asyncio.create_task(publisher.send())
    await receiver.wait_for(1)
    await tell("b")
    assert (await publisher.run_once()).delivered == 1
    assert len(other_receiver.got) == 1
    assert len(receiver.got) <= deliveries.AT_ONCE_EACH
    sending.cancel()


async def test_a_crash_between_sending_and_settling_repeats_it_with_the_same_id(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await subscribe(receiver.url)
    await tell()
    await publisher.fan_out()
    async with database.connection() as conn:
        (lost,) = await deliveries.claim(conn, 10)
    assert (await publisher.run_once()).delivered == 0, "it is leased to somebody"
    await rows("UPDATE deliveries SET lease_until = now() - interval '1 second'")
    done = await publisher.run_once()
    assert (done.lost, done.delivered) == (1, 1)
    assert receiver.got[0].id == str(lost.message_id)
    assert await rows("SELECT attempts FROM deliveries") == [1]


async def test_a_sender_that_was_asleep_settles_nothing(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    from winnow.publish.attempt import Conclusion, ReceiverResponse

    await subscribe(receiver.url)
    await tell()
    await publisher.fan_out()
    async with database.connection() as conn:
        (asleep,) = await deliveries.claim(conn, 10)
    await rows("UPDATE deliveries SET lease_until = now() - interval '1 second'")
    await publisher.run_once()
    async with database.connection() as conn:
        assert not await deliveries.settle(conn, asleep, ReceiverResponse(error="late"), Conclusion("dead"))
    assert await rows("SELECT status FROM deliveries") == ["delivered"]


async def test_several_publishers_at_once_send_each_message_once(
    database: Database, publish_settings: Any, sender: Any, secrets: Any, receiver: Receiver, subscribe: Any, tell: Any,
    rows: Any,
) -> None:  # fmt: skip
    await subscribe(receiver.url)
    for n in range(60):
        await tell("price.changed", f"offer:{n}", n=n)
    publishers = [Publisher(database, publish_settings, sender, secrets) for _ in range(4)]

    async def until_empty(one: Publisher) -> None:
        while await rows("SELECT 1 FROM outbox WHERE published_at IS NULL") or await rows(
            "SELECT 1 FROM deliveries WHERE status <> 'delivered'"
        ):
            await one.run_once()

    async with asyncio.timeout(LIMIT):
        await asyncio.gather(*(until_empty(one) for one in publishers))
    assert sorted(got.data["data"]["n"] for got in receiver.got) == list(range(60))
    assert len({got.id for got in receiver.got}) == 60


async def test_r23_a_moved_secret_fails_closed(
    publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    one, _ = await subscribe(receiver.url, "a")
    two, _ = await subscribe(other_receiver.url, "b")
    await rows(
        "UPDATE webhook_endpoints SET secret_ciphertext = "
        "(SELECT secret_ciphertext FROM webhook_endpoints WHERE id = %s) WHERE id = %s", one, two,
    )  # fmt: skip
    await tell("b")
    await publisher.run_once()
    assert other_receiver.got == []
    assert await rows("SELECT status, left(last_error, 6) FROM deliveries") == [("dead", "sealed")]
    assert await rows("SELECT severity, code FROM alerts") == [("P1", "secret_unreadable")]


async def test_an_answer_is_kept_as_a_short_text_only(
    publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await subscribe(receiver.url)
    await tell()
    receiver.answers.append(lambda _: web.Response(status=500, body=b"\x00token=abc123secret " + b"x" * 1_000_000))
    await publisher.run_once()
    (error,) = await rows("SELECT last_error FROM deliveries")
    assert len(error) < 300
    assert "abc123secret" not in error


async def test_old_messages_and_deliveries_are_forgotten(
    database: Database, publisher: Publisher, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await subscribe(receiver.url)
    await tell()
    await tell("price.changed", "offer:2")
    await publisher.run_once()
    await rows("UPDATE outbox SET published_at = now() - interval '8 days' WHERE key = 'offer:1'")
    await rows("UPDATE deliveries SET created_at = now() - interval '31 days' WHERE key = 'offer:1'")
    async with database.transaction() as conn:
        assert (await outbox.forget(conn), await deliveries.forget(conn, "delivered", 30)) == (1, 1)
    assert await rows("SELECT key FROM outbox") == ["offer:2"]
    assert await rows("SELECT key FROM deliveries") == ["offer:2"]


async def test_p092_a_consumer_hears_only_of_prices_it_may_see(
    publisher: Publisher, receiver: Receiver, other_receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    await rows("INSERT INTO retailers (name) VALUES ('shop')")
    await rows(
        "INSERT INTO sources (name, url, domain, retailer_id) "
        "SELECT 'shop', 'https://s.test', 's.test', id FROM retailers"
    )
    (offer,) = await rows(
        "INSERT INTO source_products (source_id, identity_type, identity_value, title, url) "
        "SELECT id, 'PID', '1', 'Tent', 'https://s.test/1' FROM sources RETURNING id"
    )
    await rows(
        "INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, "
        "ingestion_run_type) VALUES (%s, 1500, 'EUR', 'IN_STOCK', true, now(), 'SCRAPE')", offer,
    )  # fmt: skip
    await subscribe(receiver.url, "*")
    await subscribe(other_receiver.url, "*", audience="consumer")
    await tell("price.changed", "offer:1", source_product_id=offer)
    await tell("alert.opened", "alert:1", severity="P1")
    await publisher.run_once()
    assert (len(receiver.got), len(other_receiver.got)) == (2, 0)
    await rows("UPDATE source_trust_config SET visibility_status = 'ELIGIBLE'")
    await tell("price.changed", "offer:1", source_product_id=offer)
    await publisher.run_once()
    assert len(other_receiver.got) == 1


async def test_what_waits_for_a_receiver_that_is_disabled_is_not_sent(
    database: Database, publisher: Publisher, secrets: Any, receiver: Receiver, subscribe: Any, tell: Any, rows: Any
) -> None:
    from winnow.publish import endpoints

    endpoint, _ = await subscribe(receiver.url)
    await tell()
    await publisher.fan_out()
    ring = await secrets.key_ring()
    async with database.transaction() as conn:
        await endpoints.change(conn, ring, endpoint, {"enabled": False})
    assert (await publisher.run_once()).delivered == 0
    assert await rows("SELECT status, last_error FROM deliveries") == [("dead", "the receiver was disabled")]


async def test_many_at_once_need_no_more_connections_than_there_are(
    database_settings: Any, publish_settings: Any, sender: Any, receiver: Receiver, subscribe: Any, tell: Any
) -> None:
    from winnow.publish.keys import Secrets

    for n in range(4):
        await subscribe(f"{receiver.url}/{n}", "price.*")
    for n in range(8):
        await tell("price.changed", f"offer:{n}")
    small = database_settings.model_copy(update={"database_pool_size": 2})
    async with await Database.open(small) as few:
        publisher = Publisher(few, publish_settings, sender, Secrets(few, small, publish_settings))
        async with asyncio.timeout(LIMIT):
            assert (await publisher.run_once()).delivered == 32
