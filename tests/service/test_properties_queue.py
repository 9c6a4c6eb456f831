"""Properties 36 and 37: the order tasks leave the queue in, and what is said about how many there are."""

from __future__ import annotations

import hypothesis
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import World
from winnow.schedule.queue.task import Claimed

PROFILE = hypothesis.settings.get_profile("service")


# Feature: scraping-microservices, Property 36: Priority queue ordering by job size
@hypothesis.settings(PROFILE)
@given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=3), alone=st.integers(0, 2), each=st.integers(1, 7))
def test_s128_smaller_jobs_leave_the_queue_first(world: World, sizes: list[int], alone: int, each: int) -> None:
    async def ask() -> None:
        await world._reset()
        size_of: dict[str | None, int] = {None: 0}
        for size in sizes:
            size_of[await world.submit_job(size)] = size
        for _ in range(alone):
            await world.submit()
        left: list[int] = []
        while taken := await world.claim(each):  # what one claim takes leaves together
            left += sorted(size_of[None if task.job_id is None else str(task.job_id)] for task in taken)
        assert left == sorted(left)
        assert len(left) == sum(sizes) + alone

    world.run(ask())


steps = st.lists(st.sampled_from(["submit", "batch", "claim", "finish", "fail", "cancel"]), min_size=1, max_size=6)


# Feature: scraping-microservices, Property 37: Queue stats accuracy
@hypothesis.settings(PROFILE)
@given(steps=steps)
def test_s129_depth_and_workers_equal_pending_and_running_tasks(world: World, steps: list[str]) -> None:
    async def ask() -> None:
        await world._reset()
        running: list[Claimed] = []
        jobs: list[str] = []
        for step in steps:
            if step == "submit":
                await world.submit()
            elif step == "batch":
                jobs.append(await world.submit_job(3))
            elif step == "claim":
                running += await world.claim(2)
            elif step in ("finish", "fail") and running:
                await world.finish([(running.pop(), step == "finish")])
            elif step == "cancel" and jobs:
                await world.call("POST", f"/api/v1/scrape/jobs/{jobs.pop()}/cancel")
        shown = await world.call("GET", "/metrics", 200)
        counted = dict(await world.rows("SELECT status, count(*) FROM tasks GROUP BY status"))
        pending = sum(s["value"] for s in shown["scrape_queue_pending"])
        assert pending == counted.get("queued", 0)
        assert shown["scrape_queue_depth"][0]["value"] == pending
        assert shown["scrape_active_workers"][0]["value"] == len(running)
        assert shown["winnow_tasks_running"][0]["value"] == counted.get("running", 0) == len(running)
        assert (await world.rows("SELECT queued, in_flight FROM lanes"))[0] == (pending, len(running))

    world.run(ask())
