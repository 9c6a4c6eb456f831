"""Jobs call back when they are over (S-072 … S-075, properties 41 … 43)."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.publish.receiver import PLATFORM_SECRET, Receiver
from winnow import webhooks
from winnow.db.engine import Database
from winnow.publish import callbacks
from winnow.publish.publisher import Publisher


def results(n: int) -> list[dict[str, Any]]:
    return [{"task_id": str(k)} for k in range(n)]


@pytest.mark.parametrize(("n", "inline"), [(0, True), (1, True), (100, True), (101, False)])
def test_property_41_results_are_inline_up_to_a_hundred_tasks(n: int, inline: bool) -> None:
    said = callbacks.body(uuid4(), "completed", n, n, 0, results(n))
    assert said["results"] == (results(n) if inline else None)
    assert said["summary"] == {"total": n, "completed": n, "failed": 0}


def test_property_42_the_address_of_the_request_wins() -> None:
    assert callbacks.address("https://a.example/x", "https://b.example/y") == "https://a.example/x"
    assert callbacks.address(None, "https://b.example/y") == "https://b.example/y"
    assert callbacks.address(None, None) is None


@pytest.mark.parametrize("status", sorted(callbacks.TERMINAL))
async def test_s072_property_43_every_end_of_a_job_calls_back_once_and_signed(
    database: Database, publisher: Publisher, receiver: Receiver, status: str
) -> None:
    job = uuid4()
    what: dict[str, Any] = {"job_id": job, "status": status, "total": 2, "completed": 1, "failed": 1}
    for wanted in (True, False):
        async with database.transaction() as conn:
            assert await callbacks.create(conn, **what, results=results(2), callback_url=receiver.url + "/cb") is wanted
    await publisher.run_once()
    await publisher.run_once()
    (got,) = receiver.got
    assert (got.data["job_id"], got.data["status"]) == (str(job), status)
    assert set(got.data) == {"job_id", "status", "summary", "results"}
    assert webhooks.verify_plain(PLATFORM_SECRET, got.body, got.headers["X-Webhook-Signature"])
    assert webhooks.verify(PLATFORM_SECRET, got.headers, got.body)


async def test_s075_without_an_address_there_is_no_callback(database: Database, rows: Any) -> None:
    async with database.transaction() as conn:
        assert not await callbacks.create(
            conn, job_id=uuid4(), status="completed", total=0, completed=0, failed=0, results=[], callback_url=None
        )
    assert await rows("SELECT count(*) FROM deliveries") == [0]


async def test_a_job_that_is_not_over_does_not_call_back(database: Database) -> None:
    with pytest.raises(ValueError, match="not over"):
        async with database.transaction() as conn:
            await callbacks.create(
                conn, job_id=uuid4(), status="running", total=1, completed=0, failed=0, results=None,
                callback_url="https://a.example/x",
            )  # fmt: skip
