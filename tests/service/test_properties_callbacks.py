"""Properties 40 to 43: the message a job leaves behind when it is over."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import hypothesis
import orjson
import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import CALLBACK, SCRAPE, World
from winnow import webhooks
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.publish import callbacks
from winnow.publish.keys import Secrets
from winnow.publish.publisher import Publisher
from winnow.publish.sender import Sender
from winnow.publish.settings import PublishSettings

PROFILE = hypothesis.settings.get_profile("service")
DEFAULT = "https://default.example.org/hook"
texts = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=20)


class Receiver:
    """A backend on this machine: what came over the wire, as it came."""

    def __init__(self) -> None:
        self.heard: list[tuple[dict[str, str], bytes]] = []

    async def start(self) -> None:
        app = web.Application()
        app.router.add_post("/told", self._hear)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/told"

    async def stop(self) -> None:
        await self._runner.cleanup()

    async def _hear(self, request: web.Request) -> web.Response:
        self.heard.append((dict(request.headers), await request.read()))
        return web.Response()


@pytest.fixture
def receiver(world: World) -> Iterator[Receiver]:
    opened = Receiver()
    world.run(opened.start())
    yield opened
    world.run(opened.stop())


async def _sent(world: World, receiver: Receiver, secret: str, result: dict[str, Any]) -> tuple[dict[str, str], bytes]:
    """The callback of a job with this result, from the outbox over a socket."""
    await world._reset()
    settings = PublishSettings(_env_file=None, SCRAPER_WEBHOOK_SECRET=secret)
    sender = Sender(EgressGuard(AllowList(["127.0.0.0/8"])), "Winnow")
    try:
        await world.submit_job(1, callback_url=receiver.url)
        await world.finish([(task, True) for task in await world.claim(1)], result)
        publisher = Publisher(world.database, settings, sender, Secrets(world.database, world.settings.db, settings))
        assert await publisher.send() == [True]
    finally:
        await sender.close()
    return receiver.heard.pop()


# Feature: scraping-microservices, Property 40: HMAC-SHA256 webhook signature correctness
@hypothesis.settings(PROFILE)
@given(
    secret=st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), min_size=1, max_size=60),
    result=st.dictionaries(texts, texts | st.integers(-(2**53), 2**53) | st.none(), min_size=1),
    spoil=st.integers(0, 200),
)
def test_s132_the_signature_is_the_hmac_of_the_exact_body(
    world: World, receiver: Receiver, secret: str, result: dict[str, Any], spoil: int
) -> None:
    headers, body = world.run(_sent(world, receiver, secret, result))
    assert orjson.loads(body)["results"][0]["result"] == result
    assert headers["X-Webhook-Signature"] == hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    assert webhooks.verify_plain(secret, body, headers["X-Webhook-Signature"])
    assert webhooks.verify(secret, headers, body)
    at = spoil % len(body)
    other = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
    assert not webhooks.verify_plain(secret, other, headers["X-Webhook-Signature"])
    with pytest.raises(webhooks.NotGenuine):
        webhooks.verify(secret, headers, other)


# Feature: scraping-microservices, Property 41: Webhook payload size by job task count
@hypothesis.settings(PROFILE)
@given(total=st.integers(1, 300) | st.integers(99, 102), data=st.data())
def test_s133_up_to_a_hundred_results_are_inline_and_more_are_a_summary(
    world: World, total: int, data: st.DataObject
) -> None:
    completed = data.draw(st.integers(0, total))
    results = [{"task_id": str(n), "result": {}} for n in range(completed)]
    job_id = uuid4()

    async def ask() -> dict[str, Any]:
        async with world.database.transaction() as conn:
            assert await callbacks.create(
                conn, job_id=job_id, status="partially_completed", total=total, completed=completed,
                failed=total - completed, results=results, callback_url=CALLBACK,
            )  # fmt: skip
        (told,) = await world.rows("SELECT payload FROM deliveries WHERE job_id = %s", job_id)
        return dict(told)

    told = world.run(ask())
    assert told["summary"] == {"total": total, "completed": completed, "failed": total - completed}
    assert told["results"] == (results if total <= 100 else None)


# Feature: scraping-microservices, Property 42: Webhook callback URL override
@hypothesis.settings(PROFILE)
@given(own=st.booleans(), default=st.booleans(), path=st.text("abc/", max_size=10))
def test_s134_the_address_of_the_request_replaces_the_default(
    world: World, own: bool, default: bool, path: str
) -> None:
    parts = world.app.state.parts
    rules = parts.scrape_rules
    address = f"{CALLBACK}/{path}"

    async def ask() -> list[str]:
        await world._reset()
        await world.submit_job(1, **({"callback_url": address} if own else {}))
        await world.finish([(task, True) for task in await world.claim(1)])
        return await world.rows("SELECT url FROM deliveries")

    parts.scrape_rules = replace(rules, default_callback=DEFAULT if default else None)
    try:
        assert world.run(ask()) == ([address] if own else [DEFAULT] if default else [])
    finally:
        parts.scrape_rules = rules


# Feature: scraping-microservices, Property 43: Terminal job state triggers webhook
@hypothesis.settings(PROFILE)
@given(outcomes=st.lists(st.booleans(), min_size=1, max_size=4), cancelled=st.booleans(), begun=st.integers(0, 6))
def test_s135_every_end_of_a_job_is_told_once(world: World, outcomes: list[bool], cancelled: bool, begun: int) -> None:
    async def ask() -> None:
        await world._reset()
        job_id = await world.submit_job(len(outcomes), callback_url=CALLBACK)
        claimed = (
            await world.claim(min(begun, len(outcomes)) if cancelled else len(outcomes))
            if begun or not cancelled
            else []
        )
        if cancelled:
            await world.call("POST", f"{SCRAPE}/jobs/{job_id}/cancel", 200)
        ends = list(zip(claimed, outcomes, strict=False))
        for end in ends:
            assert not await world.told() or len(ends) == 0, "not before the last one"
            await world.finish([end])
        done = sum(ok for _, ok in ends)
        (told,) = await world.told()
        wanted = (
            "cancelled" if cancelled else "completed" if all(outcomes) else "partially_completed" if done else "failed"
        )
        assert (told["job_id"], told["status"]) == (job_id, wanted)
        assert told["summary"] == {"total": len(outcomes), "completed": done, "failed": len(ends) - done}
        assert len(told["results"]) == done

    world.run(ask())
