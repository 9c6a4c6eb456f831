"""The table of proxies: C-044 … C-046, C-064, properties 18 to 21 (S-110 … S-113)."""

from __future__ import annotations

import os
from typing import Any

import pytest

from winnow.db.engine import Database
from winnow.db.sealed import ring_of
from winnow.errors import Conflict, NoHealthyProxies, NotFound, ProxiesCooling
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.endpoint import ProxyEndpoint, parse_endpoint
from winnow.fetch.proxies.roster import ProxyRules

RING = ring_of(os.urandom(32))
NO_COOLDOWN = ProxyRules(cooldown_seconds=0.0, per_second=5)


def endpoint(n: int, region: str | None = None) -> ProxyEndpoint:
    return ProxyEndpoint(
        protocol="http", host=f"p{n}.example.com", port=8080, username="u", password=f"pw{n}", region=region
    )


async def added(database: Database, *endpoints: ProxyEndpoint) -> list[int]:
    async with database.connection() as conn:
        return [(await roster.add(conn, RING, e, "test")).id for e in endpoints]


async def choose(database: Database, domain: str, rules: ProxyRules = NO_COOLDOWN, region: str | None = None) -> int:
    async with database.transaction() as conn:
        return (await roster.choose(conn, RING, domain, rules, region)).id


async def report(database: Database, proxy_id: int, *ended: Any, ms: int = 0) -> None:
    async with database.connection() as conn:
        for kind in ended:
            await roster.report(conn, proxy_id, kind, ms)


async def state(database: Database, proxy_id: int) -> roster.Proxy:
    async with database.connection() as conn:
        return await roster.get(conn, proxy_id)


async def test_s110_selection_goes_round_the_healthy_ones(database: Database):
    ids = await added(database, *map(endpoint, range(4)))
    await report(database, ids[1], "failure")
    chosen = [await choose(database, f"shop{n}.example") for n in range(9)]
    assert chosen == [ids[0], ids[2], ids[3]] * 3


async def test_c044_never_used_ones_come_first_and_inactive_ones_never(database: Database):
    first, second, third = await added(database, *map(endpoint, range(3)))
    assert await choose(database, "a.example") == first
    async with database.connection() as conn:
        await roster.set_active(conn, second, False, "test")
    assert await choose(database, "b.example") == third
    assert await choose(database, "c.example") == first


async def test_s112_a_proxy_is_not_used_twice_for_a_domain_within_the_cooldown(database: Database):
    ids = await added(database, endpoint(1), endpoint(2))
    rules = ProxyRules(cooldown_seconds=30.0)
    assert {await choose(database, "shop.example", rules) for _ in ids} == set(ids)
    with pytest.raises(ProxiesCooling) as cooling:
        await choose(database, "shop.example", rules)
    assert 25 < cooling.value.wait_seconds <= 30
    assert await choose(database, "other.example", rules) in ids
    async with database.connection() as conn:
        assert not await roster.can_crawl(conn, "shop.example", ids[0], rules)
        assert await roster.can_crawl(conn, "new.example", ids[0], rules)
        await conn.execute("UPDATE proxy_uses SET last_used_at = now() - interval '31 s', window_start = '-infinity'")
    assert await choose(database, "shop.example", rules) in ids


async def test_a_proxy_that_was_not_used_need_not_cool_down(database: Database):
    (only,) = await added(database, endpoint(1))
    rules = ProxyRules(cooldown_seconds=30.0)
    assert await choose(database, "shop.example", rules) == only
    async with database.connection() as conn:
        await roster.give_back(conn, only, "shop.example")
    assert await choose(database, "shop.example", rules) == only


async def test_c064_one_proxy_and_domain_have_a_window_of_their_own(database: Database):
    await added(database, endpoint(1))
    rules = ProxyRules(cooldown_seconds=0.0, per_second=3)
    async with database.transaction() as conn:
        for _ in range(3):
            await roster.choose(conn, RING, "shop.example", rules)
            await conn.execute("UPDATE proxy_uses SET window_start = clock_timestamp()")
        with pytest.raises(ProxiesCooling) as cooling:
            await roster.choose(conn, RING, "shop.example", rules)
        assert 0 < cooling.value.wait_seconds <= 1
        await roster.choose(conn, RING, "other.example", rules)
        await conn.execute("UPDATE proxy_uses SET window_start = window_start - interval '1 second'")
        await roster.choose(conn, RING, "shop.example", rules)


async def test_a_region_is_never_replaced_by_another(database: Database):
    _, german = await added(database, endpoint(1, "us"), endpoint(2, "de"))
    assert [await choose(database, f"{n}.example", region="DE") for n in range(3)] == [german] * 3
    with pytest.raises(NoHealthyProxies):
        await choose(database, "x.example", region="fr")


async def test_s111_a_connection_failure_takes_it_out_until_a_check_restores_it(database: Database):
    (only,) = await added(database, endpoint(1))
    await report(database, only, "failure")
    with pytest.raises(NoHealthyProxies):
        await choose(database, "shop.example")
    async with database.connection() as conn:
        assert [c.id for c in await roster.unhealthy(conn, RING)] == [only]
        await roster.checked(conn, only, False)
        assert [c.id for c in await roster.unhealthy(conn, RING)] == [only]
        await roster.checked(conn, only, True)
    assert await choose(database, "shop.example") == only


async def test_silence_counts_after_three_in_a_row(database: Database):
    (only,) = await added(database, endpoint(1))
    await report(database, only, "silent", "silent")
    assert (await state(database, only)).is_healthy
    await report(database, only, "success", "silent", "silent")
    assert (await state(database, only)).is_healthy
    await report(database, only, "silent")
    assert not (await state(database, only)).is_healthy


async def test_c045_more_than_ten_failures_in_a_row_switch_it_off(database: Database):
    (only,) = await added(database, endpoint(1))
    await report(database, only, *["failure"] * 10)
    assert (await state(database, only)).is_active
    await report(database, only, "success", *["failure"] * 11)
    found = await state(database, only)
    assert (found.is_active, found.failure_count) == (False, 11)
    async with database.connection() as conn:
        assert await roster.unhealthy(conn, RING) == []
        again = await roster.set_active(conn, only, True, "test")
    assert (again.is_active, again.is_healthy, again.failure_count) == (True, True, 0)


async def test_s113_c046_counts_equal_what_was_recorded(database: Database):
    (only,) = await added(database, endpoint(1))
    for ms in (100, 200, 600):
        await report(database, only, "success", ms=ms)
    await report(database, only, "failure", "silent")
    found = await state(database, only)
    assert (found.success_count, found.total_failure_count, found.failure_count) == (3, 2, 2)
    assert found.avg_response_time_ms == 300
    assert found.last_success_at is not None
    assert found.last_failure_at is not None
    await report(database, only, "success", ms=300)
    assert (await state(database, only)).failure_count == 0


async def test_r23_passwords_are_sealed_and_bound_to_their_row(database: Database):
    first, second = await added(database, endpoint(1), endpoint(2))
    async with database.transaction() as conn:
        rows = await (await conn.execute("SELECT id, proxy_password FROM proxies ORDER BY id")).fetchall()
        assert all(b"pw" not in bytes(sealed) for _, sealed in rows)
        assert (await roster.one(conn, RING, first)).endpoint.password == "pw1"
        await conn.execute("UPDATE proxies SET proxy_password = %s WHERE id = %s", (rows[1][1], first))
    assert [await choose(database, f"{n}.example") for n in range(2)] == [second, second]
    assert not (await state(database, first)).is_active


async def test_a_proxy_is_there_once(database: Database):
    await added(database, endpoint(1))
    with pytest.raises(Conflict):
        await added(database, endpoint(1))
    async with database.connection() as conn:
        for missing in (roster.get(conn, 99), roster.remove(conn, 99, "x"), roster.set_active(conn, 99, True, "x")):
            with pytest.raises(NotFound):
                await missing


async def test_the_table_follows_the_settings(database: Database):
    (by_hand,) = await added(database, endpoint(9))
    a, b = parse_endpoint("http://u:one@a.example.com:1?region=us"), parse_endpoint("socks5://b.example.com")
    async with database.connection() as conn:
        await roster.follow_settings(conn, RING, [a, b], "settings")
        await roster.follow_settings(conn, RING, [a, b], "settings")
        assert [p.host for p in await roster.listed(conn)] == ["p9.example.com", "a.example.com", "b.example.com"]
        changed = parse_endpoint("http://u:two@a.example.com:1?region=de")
        await roster.follow_settings(conn, RING, [changed], "settings")
        left = await roster.listed(conn)
        assert [(p.host, p.region) for p in left] == [("p9.example.com", None), ("a.example.com", "de")]
        assert (await roster.one(conn, RING, left[1].id)).endpoint.password == "two"
        audited = await (
            await conn.execute("SELECT coalesce(before::text, '') || coalesce(after::text, '') FROM audit_log")
        ).fetchall()
    assert left[0].id == by_hand
    assert not any(word in row[0] for row in audited for word in ("pw9", "one", "two"))


async def test_uses_are_forgotten_after_a_day(database: Database):
    await added(database, endpoint(1))
    await choose(database, "shop.example")
    async with database.connection() as conn:
        assert await roster.forget_uses(conn) == 0
        await conn.execute("UPDATE proxy_uses SET last_used_at = now() - interval '25 hours'")
        assert await roster.forget_uses(conn) == 1


def test_what_a_listed_proxy_shows():
    shown = set(roster.Proxy.__struct_fields__)
    assert {"has_password", "username"} <= shown
    assert not shown & {"password", "proxy_password"}
