"""Properties 1 to 11: what callers see, over the real API and database."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from typing import Any
from urllib.parse import quote
from uuid import UUID

import hypothesis
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tests.api.conftest import SEEN, check_answer
from tests.service.world import DOMAIN, KEY, SCRAPE, World, asked
from winnow.actions import scraping
from winnow.observe import metrics

PROFILE = hypothesis.settings.get_profile("service")

PATHS = (
    "/health", "/readiness", "/metrics", "/openapi.json", "/", "/api/v1/scrape", "/api/v1/scrape/sync",
    "/api/v1/scrape/batch", "/api/v1/scrape/types", "/api/v1/scrape/nonsense", "/api/v1/scrape/jobs/1/cancel",
    "/api/v1/sources", "/api/v1/tasks", "/api/v1/targets/watch", "/api/v2/scrape",
)  # fmt: skip
segment = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).map(lambda text: quote(text, safe=""))
paths = st.sampled_from(PATHS) | st.lists(segment, max_size=4).map(lambda parts: "/" + "/".join(parts))
methods = st.sampled_from(("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
bodies = st.none() | st.binary(max_size=60) | st.sampled_from((b"{}", b"[]", b'{"targets": [{}]}', b"{broken"))
keys = st.sampled_from((KEY, KEY, "another key", ""))


@pytest.fixture(autouse=True)
def _no_limit_on_the_queue(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(world.app.state.parts.settings.schedule, "queue_enrichment", 1_000_000)


# Feature: scraping-microservices, Property 1: JSON envelope consistency
@hypothesis.settings(PROFILE)
@given(method=methods, path=paths, body=bodies, key=keys)
def test_s093_every_response_is_an_envelope(world: World, method: str, path: str, body: bytes | None, key: str) -> None:
    async def ask() -> None:
        headers = {"X-Service-Key": key, "content-type": "application/json"}
        answer = await world.http.request(method, path, content=body, headers=headers)
        SEEN.discard(answer.headers["x-request-id"])  # the transport has checked it once already
        check_answer(answer, path)
        said = answer.headers["content-type"]
        if said.startswith("application/json") and path != "/openapi.json":
            envelope = answer.json()
            assert envelope["success"] is (answer.status_code < 400)
            assert bool(envelope["error"]) is (answer.status_code >= 400)

    world.run(ask())


# Feature: scraping-microservices, Property 2: Readiness reflects pool state
@hypothesis.settings(PROFILE)
@given(available=st.integers(0, 3), in_use=st.integers(1, 3), proxies=st.lists(st.booleans(), min_size=1, max_size=4))
def test_s094_ready_exactly_when_a_browser_and_a_proxy_are(
    world: World, available: int, in_use: int, proxies: list[bool]
) -> None:
    async def ask() -> int:
        await world.rows("DELETE FROM proxies")
        for n, healthy in enumerate(proxies):
            await world.rows(
                "INSERT INTO proxies (proxy_url, proxy_port, is_healthy) VALUES ('p.test', %s, %s)", n + 1, healthy
            )
        return (await world.http.get("/readiness")).status_code

    metrics.browsers(available + in_use, in_use)
    try:
        assert world.run(ask()) == (200 if available > 0 and any(proxies) else 503)
    finally:
        metrics.browsers(0, 0)


# Feature: scraping-microservices, Property 3: Request ID uniqueness
@hypothesis.settings(PROFILE)
@given(
    path=paths, chosen=st.none() | st.uuids().map(str) | st.text("abc-1", min_size=1, max_size=40), n=st.integers(2, 4)
)
def test_s095_every_response_has_a_request_id_of_its_own(world: World, path: str, chosen: str | None, n: int) -> None:
    async def ask() -> list[str]:
        headers = {"X-Service-Key": KEY} | ({} if chosen is None else {"X-Request-ID": chosen})
        answers = await asyncio.gather(*(world.http.get(path, headers=headers) for _ in range(n)))
        return [answer.headers["x-request-id"] for answer in answers]

    ids = world.run(ask())
    assert [str(UUID(each)) for each in ids] == ids
    assert len(set(ids)) == n
    assert chosen not in ids


near = st.builds(lambda at, mark: KEY[:at] + mark + KEY[at:], st.integers(0, len(KEY)), st.sampled_from("xX -_é"))
ID = "00000000-0000-7000-8000-000000000000"
given_keys = st.none() | st.just(KEY.encode()) | near.map(str.encode) | st.binary(max_size=40)


# Feature: scraping-microservices, Property 4: Service key authentication
@hypothesis.settings(PROFILE)
@given(
    key=given_keys,
    place=st.sampled_from(["", "/batch", "/sync", "/types", f"/{ID}", f"/jobs/{ID}", f"/jobs/{ID}/results"]),
    method=st.sampled_from(["GET", "POST"]),
)
def test_s096_exactly_the_configured_key_is_let_in(world: World, key: bytes | None, place: str, method: str) -> None:
    assume(key is None or not {b"\r", b"\n"} & {bytes([c]) for c in key})

    async def ask() -> int:
        headers = [] if key is None else [(b"X-Service-Key", key)]
        return (await world.http.request(method, SCRAPE + place, headers=headers)).status_code

    right = key is not None and key.strip(b" \t") == KEY.encode()
    assert (world.run(ask()) != 401) is right


WRONG: dict[str, st.SearchStrategy[Any]] = {
    "target_type": st.none() | st.integers() | st.just("") | st.text("abcxyz_", min_size=1).map(lambda t: "no_" + t),
    "target_url": st.none() | st.integers() | st.sampled_from(
        ["", "nonsense", "http://", "ftp://example.com/", "http://10.1.2.3/", "http://[::1]/", "file:///etc/passwd"]
    ),
    "workspace_id": st.none() | st.integers() | st.just("") | st.just("w" * 201),
    "requested_fields": st.integers() | st.just("company_name") | st.just(["shoe_size"]) | st.just([1]),
    "callback_url": st.integers() | st.just("nowhere") | st.just("http://169.254.169.254/latest"),
    "credential_provider": st.integers() | st.just("Not A Name") | st.just("portal"),
    "surprise": st.integers() | st.text(max_size=5),
}  # fmt: skip
required = ("target_type", "target_url", "workspace_id")
spoilt = st.sampled_from(sorted(WRONG)).flatmap(lambda name: WRONG[name].map(lambda value: (name, value)))


# Feature: scraping-microservices, Property 5: Pydantic validation produces 422 with field errors
@hypothesis.settings(PROFILE)
@given(
    change=spoilt | st.sampled_from(required).map(lambda name: (name, ...)),
    place=st.sampled_from(["", "/sync", "/batch"]),
)
def test_s097_an_invalid_payload_is_422_and_names_its_field(world: World, change: tuple[str, Any], place: str) -> None:
    name, value = change
    body = asked() | {name: value}
    if value is ...:
        del body[name]

    async def ask() -> Any:
        sent = {"targets": [asked("/fine"), body]} if place == "/batch" else body
        answer = await world.http.post(SCRAPE + place, json=sent, headers={"X-Service-Key": KEY})
        assert answer.status_code == 422, answer.text
        assert await world.rows("SELECT count(*) FROM tasks") == [0]
        return answer.json()

    envelope = world.run(ask())
    assert (envelope["success"], envelope["data"]) == (False, None)
    assert any(name in detail["field"].split(".") for detail in envelope["meta"]["details"]), envelope


url_paths = st.text(st.characters(categories=["L", "N"]), max_size=30).map(lambda text: "/" + text)
fields = st.none() | st.lists(st.sampled_from(["company_name", "contact_email", "description"]), unique=True)
workspaces = st.text(
    st.characters(codec="utf-8", exclude_characters="\x00", exclude_categories=["C", "Z"]), min_size=1, max_size=50
)


# Feature: scraping-microservices, Property 6: Async task creation returns queued status
@hypothesis.settings(PROFILE)
@given(path=url_paths, wanted=fields, workspace=workspaces)
def test_s098_a_valid_submit_gives_a_uuid_and_queued(world: World, path: str, wanted: Any, workspace: str) -> None:
    async def ask() -> None:
        body = asked(path) | {"workspace_id": workspace, "requested_fields": wanted}
        data = await world.call("POST", SCRAPE, 202, json=body)
        assert data == {"task_id": str(UUID(data["task_id"])), "status": "queued"}
        assert await world.rows("SELECT status FROM tasks WHERE id = %s", data["task_id"]) == ["queued"]

    world.run(ask())


STATES = ("queued", "running", "completed", "failed", "cancelled")


# Feature: scraping-microservices, Property 7: Task status retrieval reflects current state
@hypothesis.settings(PROFILE)
@given(
    states=st.lists(st.sampled_from(STATES), min_size=1, max_size=2),
    result=st.dictionaries(st.text("abc", min_size=1), st.text(max_size=9).filter(lambda t: "\x00" not in t)),
)
def test_s099_a_task_shows_its_status_and_a_result_exactly_when_completed(
    world: World, states: list[str], result: dict[str, str]
) -> None:
    async def walk(state: str) -> str:
        """One task into this state, by the queue's own steps. The others are claimed already, or gone."""
        task_id = await world.submit()
        if state == "cancelled":
            await world.call("POST", f"/api/v1/tasks/{task_id}/cancel", headers={"X-Service-Key": KEY})
            async with world.database.transaction() as conn:
                await scraping.give_up(conn, UUID(task_id))
        elif state != "queued":
            (claimed,) = [task for task in await world.claim(1)]
            assert str(claimed.id) == task_id
            if state != "running":
                await world.finish([(claimed, state == "completed")], result)
        return task_id

    async def ask() -> None:
        await world._reset()
        for state in sorted(states, key=lambda state: state == "queued"):
            shown = await world.call("GET", f"{SCRAPE}/{await walk(state)}", 200)
            assert shown["status"] == state
            assert (shown["result"] is not None) is (state == "completed")
            assert shown["result"] == (result or None) if state == "completed" and result else True
            assert (shown["completed_at"] is None) is (state in ("queued", "running"))

    world.run(ask())


# Feature: scraping-microservices, Property 8: Batch job creates one task per target
@hypothesis.settings(PROFILE)
@given(n=st.integers(1, 100))
def test_s100_a_batch_of_n_is_a_job_of_exactly_n_tasks(world: World, n: int) -> None:
    async def ask() -> None:
        await world.rows("DELETE FROM tasks")
        job_id = await world.submit_job(n)
        assert str(UUID(job_id)) == job_id
        assert await world.rows("SELECT count(DISTINCT id) FROM tasks WHERE job_id = %s", job_id) == [n]
        shown = await world.call("GET", f"{SCRAPE}/jobs/{job_id}", 200)
        assert (shown["total_tasks"], shown["status"]) == (n, "queued")

    world.run(ask())


outcomes = st.lists(st.booleans(), min_size=1, max_size=8)


async def _finished(world: World, outcomes: list[bool], splits: list[int]) -> str:
    """A job whose tasks end so, in as many commits as the splits make."""
    await world._reset()
    job_id = await world.submit_job(len(outcomes))
    ends = list(zip(await world.claim(len(outcomes)), outcomes, strict=True))
    bounds = sorted({0, len(ends), *(at % len(ends) for at in splits)})
    for start, end in pairwise(bounds):
        await world.finish(ends[start:end])
    return job_id


# Feature: scraping-microservices, Property 9: Job status derived from task outcomes
@hypothesis.settings(PROFILE)
@given(outcomes=outcomes, splits=st.lists(st.integers(0, 7), max_size=3))
def test_s101_a_finished_job_is_what_its_tasks_were(world: World, outcomes: list[bool], splits: list[int]) -> None:
    async def ask() -> None:
        job_id = await _finished(world, outcomes, splits)
        shown = await world.call("GET", f"{SCRAPE}/jobs/{job_id}", 200)
        wanted = "completed" if all(outcomes) else "partially_completed" if any(outcomes) else "failed"
        assert shown["status"] == wanted
        assert (shown["completed_tasks"], shown["failed_tasks"]) == (sum(outcomes), len(outcomes) - sum(outcomes))

    world.run(ask())


# Feature: scraping-microservices, Property 10: Job results contain only completed tasks
@hypothesis.settings(PROFILE)
@given(outcomes=outcomes, open_tasks=st.integers(0, 3))
def test_s102_results_are_those_of_completed_tasks(world: World, outcomes: list[bool], open_tasks: int) -> None:
    async def ask() -> None:
        await world._reset()
        job_id = await world.submit_job(len(outcomes) + open_tasks)
        claimed = await world.claim(len(outcomes))
        await world.finish(list(zip(claimed, outcomes, strict=True)))
        results = await world.call("GET", f"{SCRAPE}/jobs/{job_id}/results", 200)
        shown = await world.call("GET", f"{SCRAPE}/jobs/{job_id}", 200)
        assert len(results) == shown["completed_tasks"]
        done = {str(task.id) for task, end in zip(claimed, outcomes, strict=True) if end}
        assert {result["task_id"] for result in results} == done
        assert all(result["result"] == {"company_name": result["target_url"]} for result in results)

    world.run(ask())


# Feature: scraping-microservices, Property 11: Job cancellation preserves running tasks
@hypothesis.settings(PROFILE)
@given(size=st.integers(1, 8), running=st.integers(0, 8), outcome=st.booleans())
def test_s103_cancel_takes_queued_tasks_and_leaves_running_ones(
    world: World, size: int, running: int, outcome: bool
) -> None:
    running = min(running, size)

    async def ask() -> None:
        await world._reset()
        job_id = await world.submit_job(size)
        claimed = await world.claim(running) if running else []
        cancelled = await world.call("POST", f"{SCRAPE}/jobs/{job_id}/cancel", 200)
        assert cancelled["cancelled"] == size - running
        assert await world.claim(100) == [], "what was queued is never run"
        states = dict(await world.rows("SELECT status, count(*) FROM tasks GROUP BY status"))
        assert states == {k: v for k, v in {"running": running, "cancelled": size - running}.items() if v}
        assert (await world.call("GET", f"{SCRAPE}/jobs/{job_id}", 200))["status"] == "cancelled"
        await world.finish([(task, outcome) for task in claimed])
        shown = await world.call("GET", f"{SCRAPE}/jobs/{job_id}", 200)
        assert (shown["status"], shown["completed_tasks"] + shown["failed_tasks"]) == ("cancelled", running)
        assert shown["finished_at"] is not None

    world.run(ask())


def test_the_lane_of_these_tests_is_the_one_their_urls_queue_in(world: World) -> None:
    world.run(world.submit())
    assert world.run(world.rows("SELECT DISTINCT lane FROM tasks")) == [DOMAIN]
