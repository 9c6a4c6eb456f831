"""A redirect to another domain needs that domain's grant and its robots answer (DESIGN §11.12)."""

from __future__ import annotations

import asyncio
from functools import partial

from tests.run.scripted_site import Site, product
from tests.waiting import until

ENDED = "SELECT status, outcome, reason FROM tasks"


async def test_a_redirect_asks_the_other_domain_for_its_grant_and_its_robots(
    site: Site, other_site: Site, watch, start, work, rows
):
    away = other_site.says("/there", product())
    await start(await watch([site.says("/here", status=301, Location=away)]))
    await work()
    assert [seen.path for seen in other_site.log] == ["/robots.txt", "/there"]
    robots, page = other_site.times()
    assert page - robots >= 2, "an unknown domain has 2 s between any two requests"
    assert await rows(ENDED) == [("done", "accepted", None)]
    assert await rows("SELECT url, final_url FROM pages") == [(site.url + "/here", away)]
    assert await rows("SELECT in_flight FROM lanes WHERE lane = %s", other_site.domain) == [0]


async def test_a_redirect_to_a_forbidden_page_ends_there(site: Site, other_site: Site, watch, start, work, rows):
    other_site.says("/robots.txt", "User-agent: *\nDisallow: /\n")
    away = other_site.says("/there", product())
    site.says("/robots.txt", "User-agent: *\nDisallow: /own\n")
    urls = [site.says("/here", status=302, Location=away), site.says("/short", status=302, Location="/own")]
    site.says("/own", product())
    await start(await watch(urls))
    await work()
    assert await rows(ENDED) == [("done", "robots_blocked", "BLOCKED_BY_ROBOTS_TXT")] * 2
    assert (other_site.asked("/there"), site.asked("/own")) == (0, 0)


async def test_a_busy_redirect_target_holds_up_its_own_task_only(
    site: Site, other_site: Site, watch, start, work, rows
):
    """The task comes back later; its own domain goes on meanwhile."""
    away = other_site.says("/there", product(sku="far"))
    urls = [site.says("/away", status=302, Location=away)]
    urls += [site.says(f"/p/{n}", product(sku=str(n))) for n in range(5)]
    await start(await watch(urls))
    await rows("INSERT INTO lanes (lane, held_until) VALUES (%s, now() + interval '1 hour')", other_site.domain)
    await rows(
        "INSERT INTO robots (origin, domain, state, expires_at, fetched_at) "
        "VALUES (%s, %s, 'allow_all', now() + interval '1 hour', now())",
        other_site.url,
        other_site.domain,
    )
    working = asyncio.create_task(work())
    await until(partial(rows, "SELECT 1 FROM tasks WHERE outcome = 'hop_busy' AND status = 'queued'"))
    await until(partial(rows, "SELECT 1 FROM tasks WHERE outcome = 'accepted' HAVING count(*) = 5"))
    await rows("UPDATE lanes SET held_until = NULL WHERE lane = %s", other_site.domain)
    await rows("UPDATE tasks SET due_at = now() WHERE due_at IS NOT NULL")
    await working
    assert other_site.asked("/there") == 1
    (held,) = await rows("SELECT held_until FROM lanes WHERE lane = %s", site.domain)
    assert held is None, "the first domain did nothing wrong"
    assert await rows("SELECT DISTINCT outcome, attempts FROM tasks") == [("accepted", 1)]


async def test_the_pace_the_other_domain_asks_for_is_the_other_domains(
    site: Site, other_site: Site, watch, start, work, rows
):
    other_site.says("/robots.txt", "User-agent: *\nCrawl-delay: 1\n")
    away = other_site.says("/there", status=429, Retry_After="1")
    await start(await watch([site.says("/here", status=302, Location=away)]))
    await watch([other_site.url + "/"])  # at a high explicit rate
    await rows("UPDATE tasks SET max_attempts = 1")
    await work()
    state = "SELECT slowed_until IS NOT NULL, held_until IS NOT NULL, spacing_seconds FROM lanes WHERE lane = %s"
    assert await rows(state, other_site.domain) == [(True, True, 1.0)]
    assert await rows(state, site.domain) == [(False, False, 0.0)]
    assert await rows(ENDED) == [("failed", "error", "http_429")]
