"""From the outbox to the receivers. Each chore may run in several processes at once: rows are leased, not shared.

publisher = Publisher(database, settings.publish, sender, secrets)
await publisher.run_once()   # fan out, take back what died with its sender, send what is due
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import msgspec
import orjson
import structlog

from winnow import webhooks
from winnow.db.engine import Connection, Database
from winnow.errors import SealBroken
from winnow.publish import alerts, attempt, deliveries, endpoints, outbox, slack
from winnow.publish.alerts import NOTE, PAGE, Alert
from winnow.publish.attempt import Channel, Conclusion, ReceiverResponse
from winnow.publish.deliveries import ClaimedDelivery
from winnow.publish.keys import Secrets
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings

log = structlog.get_logger(__name__)

FANNED_AT_ONCE, MOST_ROUNDS = 1_000, 50  # 50 000 messages a beat: more than workers write


class Published(msgspec.Struct, frozen=True, kw_only=True):
    """What one round did."""

    messages: int = 0
    deliveries: int = 0
    lost: int = 0
    delivered: int = 0
    failed: int = 0


class Publisher:
    def __init__(
        self,
        database: Database,
        settings: PublishSettings,
        sender: Sender,
        secrets: Secrets,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._database = database
        self._settings = settings
        self._sender = sender
        self._secrets = secrets
        self._clock = clock

    async def run_once(self) -> Published:
        messages, made = await self.fan_out()
        lost = await self.take_back_lost()
        sent = await self.send()
        return Published(
            messages=messages, deliveries=made, lost=lost, delivered=sum(sent), failed=len(sent) - sum(sent)
        )

    async def fan_out(self) -> tuple[int, int]:
        messages = made = 0
        for _ in range(MOST_ROUNDS):
            async with self._database.transaction() as conn:
                some, new = await outbox.fan_out(conn, FANNED_AT_ONCE)
            messages, made = messages + some, made + new
            if some < FANNED_AT_ONCE:
                break
        return messages, made

    async def take_back_lost(self) -> int:
        async with self._database.connection() as conn:
            lost = await deliveries.take_back_lost(conn)
        for delivery_id in lost:
            log.warning("delivery_rescued", delivery_id=delivery_id)
        return len(lost)

    async def drain(self, seconds: float = 10.0) -> int:
        """Sends until nothing is due, or for about so long; how many arrived."""
        until, arrived = time.monotonic() + seconds, 0
        while time.monotonic() < until:
            sent = await self.send()
            arrived += sum(sent)
            if not sent:
                break
        return arrived

    async def send(self) -> list[bool]:
        """Whether each of those that were due arrived. Each is settled as soon as its answer is there."""
        async with self._database.connection() as conn:
            claimed = await deliveries.claim(conn, self._settings.delivery_concurrency)
        return list(await asyncio.gather(*(self._deliver(one) for one in claimed)))

    async def _deliver(self, claimed: ClaimedDelivery) -> bool:
        answer = await self._attempt(claimed)
        conclusion = attempt.conclude(claimed.channel, claimed.attempts + 1, answer)

        async def settle(conn: Connection) -> bool:
            async with conn.transaction():
                return await self._settle(conn, claimed, answer, conclusion)

        if not await self._database.retry(settle):
            log.warning("stale_delivery", delivery_id=claimed.id, fence=claimed.fence)
        _report(claimed, answer, conclusion)
        return answer.ok

    async def _settle(
        self, conn: Connection, claimed: ClaimedDelivery, answer: ReceiverResponse, conclusion: Conclusion
    ) -> bool:
        if not await deliveries.settle(conn, claimed, answer, conclusion):
            return False
        if claimed.endpoint_id is not None:
            if answer.gone:
                await endpoints.gone(conn, claimed.endpoint_id, "the receiver answered 410 Gone")
            if conclusion.status != "pending":
                changed = await endpoints.count_failure(conn, claimed.endpoint_id, answer.ok)
                if changed and answer.ok:
                    await alerts.resolve(conn, "publisher", keys=[_alert_key(claimed)])
        if conclusion.status == "dead":
            await alerts.open_alert(conn, _alert(claimed, answer))
        return True

    async def _attempt(self, claimed: ClaimedDelivery) -> ReceiverResponse:
        try:
            hidden = await self._secrets.of(claimed.channel, claimed.endpoint_id)
        except SealBroken as broken:  # fails closed, and _alert says so
            return ReceiverResponse(error=f"{endpoints.UNSEALABLE}: {broken}", refused=True)
        if hidden is None:
            return ReceiverResponse(error="the receiver has no address or secret", refused=True)
        if claimed.channel == Channel.SLACK:
            return await self._sender.send(hidden, orjson.dumps(slack.message(claimed.topic, claimed.payload)), {})
        body = orjson.dumps(claimed.payload)
        signed = webhooks.headers(hidden, str(claimed.message_id), int(self._clock()), body)
        return await self._sender.send(claimed.url, body, signed)


def _alert(claimed: ClaimedDelivery, answer: ReceiverResponse) -> Alert:
    """One per receiver. A secret that cannot be decrypted means a changed database row or a lost key (R-23)."""
    sealed = (answer.error or "").startswith(endpoints.UNSEALABLE)
    return Alert(
        severity=PAGE if sealed else NOTE,
        code="secret_unreadable" if sealed else "delivery_dead",
        key=_alert_key(claimed),
        title=f"messages to {_receiver(claimed)} could not be delivered",
        details={"error": answer.error, "topic": claimed.topic, "delivery_id": claimed.id},
    )


def _receiver(claimed: ClaimedDelivery) -> str:
    return f"webhook {claimed.endpoint_id}" if claimed.endpoint_id else urlsplit(claimed.url).netloc


def _alert_key(claimed: ClaimedDelivery) -> str:
    return f"delivery:{_receiver(claimed)}"


def _report(claimed: ClaimedDelivery, answer: ReceiverResponse, conclusion: Conclusion) -> None:
    if conclusion.status == "pending":
        wait = conclusion.wait_s
        log.warning("delivery_failed", delivery_id=claimed.id, topic=claimed.topic, error=answer.error, again_in=wait)
    elif conclusion.status == "dead":
        log.error("delivery_dead", delivery_id=claimed.id, topic=claimed.topic, error=answer.error)
