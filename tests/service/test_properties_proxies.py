"""Properties 18 to 21: the table of proxies against a model of it."""

from __future__ import annotations

import os
from collections import Counter

import hypothesis
from hypothesis import given
from hypothesis import strategies as st

from tests.service.world import World
from winnow.db.sealed import ring_of
from winnow.errors import NoHealthyProxies, ProxiesCooling
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.endpoint import ProxyEndpoint
from winnow.fetch.proxies.roster import ProxyRules

PROFILE = hypothesis.settings.get_profile("service")
RING = ring_of(os.urandom(32))
NO_COOLDOWN = ProxyRules(cooldown_seconds=0.0, per_second=1_000)
healths = st.lists(st.booleans(), min_size=1, max_size=5)


async def _roster(world: World, healths: list[bool]) -> list[int]:
    await world.rows("DELETE FROM proxy_uses")
    await world.rows("DELETE FROM proxies")
    ids = []
    async with world.database.connection() as conn:
        for n, healthy in enumerate(healths):
            made = await roster.add(conn, RING, ProxyEndpoint(protocol="http", host=f"p{n}.test", port=1), "tester")
            if not healthy:
                await roster.report(conn, made.id, "failure")
            ids.append(made.id)
    return ids


async def _choose(world: World, domain: str, rules: ProxyRules = NO_COOLDOWN) -> int | None:
    """None: none may be used now."""
    try:
        async with world.database.transaction() as conn:
            return (await roster.choose(conn, RING, domain, rules)).id
    except (NoHealthyProxies, ProxiesCooling):
        return None


# Feature: scraping-microservices, Property 18: Proxy round-robin skips unhealthy
@hypothesis.settings(PROFILE)
@given(healths=healths, rounds=st.integers(1, 3))
def test_s110_c047_selection_goes_round_the_healthy_ones(world: World, healths: list[bool], rounds: int) -> None:
    async def ask() -> None:
        ids = await _roster(world, healths)
        healthy = [proxy for proxy, fine in zip(ids, healths, strict=True) if fine]
        chosen = [await _choose(world, f"d{n}.test") for n in range(len(healthy) * rounds or 1)]
        assert chosen == (healthy * rounds or [None])

    world.run(ask())


steps = st.lists(
    st.tuples(st.sampled_from(["failure", "success", "check", "bad check"]), st.integers(0, 2)), max_size=10
)


# Feature: scraping-microservices, Property 19: Failed proxy marked unhealthy
@hypothesis.settings(PROFILE)
@given(steps=steps)
def test_s111_a_failed_proxy_is_left_out_until_a_check_restores_it(world: World, steps: list[tuple[str, int]]) -> None:
    async def ask() -> None:
        ids = await _roster(world, [True] * 3)
        fine = set(ids)
        for step, which in steps:
            async with world.database.connection() as conn:
                if step in ("failure", "success"):
                    await roster.report(conn, ids[which], step)  # type: ignore[arg-type]
                    fine -= {ids[which]} if step == "failure" else set()
                else:
                    await roster.checked(conn, ids[which], step == "check")
                    fine = fine | {ids[which]} if step == "check" else fine - {ids[which]}
            chosen = {await _choose(world, f"d{n}.test") for n in range(3)}
            assert chosen == (fine or {None})

    world.run(ask())


# Feature: scraping-microservices, Property 20: Proxy per-domain cooldown
@hypothesis.settings(PROFILE)
@given(
    count=st.integers(1, 3),
    cooldown=st.integers(1, 60),
    steps=st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 40)), min_size=1, max_size=8),
)
def test_s112_a_proxy_is_not_used_again_for_a_domain_within_the_cooldown(
    world: World, count: int, cooldown: int, steps: list[tuple[str, int]]
) -> None:
    """Time passes by moving what was noted into the past."""

    async def ask() -> None:
        await _roster(world, [True] * count)
        now, used = 0.0, {}
        for domain, seconds in steps:
            await world.rows(
                "UPDATE proxy_uses SET last_used_at = last_used_at - make_interval(secs => %s), "
                "window_start = window_start - make_interval(secs => %s)", seconds, seconds,
            )  # fmt: skip
            now += seconds
            chosen = await _choose(world, domain, ProxyRules(cooldown_seconds=float(cooldown), per_second=1_000))
            free = [last for (proxy, of), last in used.items() if of == domain and now - last < cooldown - 1]
            if chosen is None:
                cooling = [last for (_, of), last in used.items() if of == domain and now - last <= cooldown + 1]
                assert len(cooling) == count, "one was free"
            else:
                assert now - used.get((chosen, domain), -1e9) > cooldown - 1
                assert len(free) < count
                used[chosen, domain] = now

    world.run(ask())


# Feature: scraping-microservices, Property 21: Proxy metrics accuracy
@hypothesis.settings(PROFILE)
@given(reports=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["success", "failure", "silent"])), max_size=15))
def test_s113_counts_equal_what_was_recorded(world: World, reports: list[tuple[int, str]]) -> None:
    async def ask() -> None:
        ids = await _roster(world, [True] * 3)
        async with world.database.connection() as conn:
            for which, ended in reports:
                await roster.report(conn, ids[which], ended)  # type: ignore[arg-type]
            listed = {proxy.id: proxy for proxy in await roster.listed(conn)}
        wanted = Counter(reports)
        for which, proxy in enumerate(ids):
            assert listed[proxy].success_count == wanted[which, "success"]
            assert listed[proxy].total_failure_count == wanted[which, "failure"] + wanted[which, "silent"]
        shown = {p["id"]: p for p in (await world.http.get("/health")).json()["data"]["proxies"]}
        assert all(shown[p]["success_count"] == listed[p].success_count for p in ids)

    world.run(ask())
