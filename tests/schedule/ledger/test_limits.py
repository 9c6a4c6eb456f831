"""A lane's limits follow everything that says something about its domain (DESIGN §4, P-042 … P-047)."""

from __future__ import annotations

from tests.schedule.watching import add_source, add_targets, row, scalar
from winnow.db.engine import Database
from winnow.schedule.ledger import limits, policies
from winnow.schedule.ledger.ledger import PostgresLedger
from winnow.schedule.ledger.policies import Policies
from winnow.schedule.queue import queue
from winnow.schedule.settings import ScheduleSettings

SETTINGS = ScheduleSettings(_env_file=None)
LANE = "SELECT tokens, interval_seconds, spacing_seconds, max_concurrent FROM lanes WHERE lane = 'shop.test'"


async def refresh(database: Database, settings: ScheduleSettings = SETTINGS, rules: Policies | None = None):
    return await limits.refresh(database, PostgresLedger(database), "shop.test", settings, rules or Policies())


async def test_p042_a_domain_nobody_said_anything_about_gets_the_platform_default(database: Database):
    found = await refresh(database)
    assert (found.tokens, found.interval_seconds, found.spacing_seconds, found.max_concurrent) == (1, 2.0, 2.0, 1)
    async with database.connection() as conn:
        assert await row(conn, LANE) == (1, 2.0, 2.0, 1)


async def test_the_most_specific_rule_wins_and_robots_can_only_slow_it_down(database: Database):
    yaml = policies.parse("domains: {shop.test: {tokens_per_interval: 7, interval_seconds: 1, max_concurrent: 3}}")
    slow = ScheduleSettings(_env_file=None, SCRAPER_RATE_LIMIT_TOKENS=9, SCRAPER_RATE_LIMIT_INTERVAL_SECONDS=30)
    async with database.connection() as conn:
        assert (await refresh(database, slow)).origin["rate"] == "default"
        assert (await row(conn, LANE))[:3] == (9, 30.0, 0.0)
        assert (await refresh(database, slow, yaml)).origin["rate"] == "policy"
        assert await row(conn, LANE) == (7, 1.0, 0.0, 3)
        source = await add_source(conn, scrape_config='{"rateLimit": {"requestsPerSecond": 4}}')
        await add_source(conn, "other.test", scrape_config='{"rateLimit": {"requestsPerSecond": 0.1}}')
        assert (await refresh(database, slow, yaml)).origin["rate"] == "source"
        assert (await row(conn, LANE))[:2] == (4, 1.0)
        slower = await add_source(conn, "third.test", scrape_config='{"rateLimit": {"requestsPerSecond": 0.5}}')
        await add_targets(conn, slower, domain="shop.test")
        await refresh(database, slow, yaml)
        assert (await row(conn, LANE))[:2] == (1, 2.0), "the slower of two sources that share the domain"
        await conn.execute(
            "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds) VALUES "
            "('shop.test', 'x', 20, 1)"
        )
        assert (await refresh(database, slow, yaml)).origin["rate"] == "domain"
        assert (await row(conn, LANE))[:3] == (20, 1.0, 0.0)
        await conn.execute(
            "INSERT INTO robots (origin, domain, state, expires_at, crawl_delay_seconds, body) VALUES "
            "('https://shop.test:443', 'shop.test', 'rules', now(), 10, ''), "
            "('https://www.shop.test:443', 'shop.test', 'rules', now(), 600, '')"
        )
        assert (await refresh(database, slow, yaml)).origin["spacing_seconds"] == "robots"
        assert (await row(conn, LANE))[2] == 60.0, "P-047: at most a minute; the strictest origin of the domain"
        assert source


async def test_a_new_lane_is_strict_until_it_was_looked_at(database: Database, make_task):
    yaml = policies.parse("domains: {shop.test: {tokens_per_interval: 7, interval_seconds: 1}}")
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task()])
        assert await row(conn, LANE) == (1, 2.0, 2.0, 1)
        ledger = PostgresLedger(database)
        assert await limits.refresh_unknown(database, ledger, SETTINGS, yaml) == 1
        assert (await row(conn, LANE))[0] == 7
        assert await limits.refresh_unknown(database, ledger, SETTINGS, yaml) == 0


async def test_rules_that_changed_while_nobody_ran_reach_every_lane_at_the_next_start(database: Database, make_task):
    """A stricter policy file or SCRAPER_RATE_LIMIT_* must not wait for the next robots.txt."""
    fast = policies.parse("default: {tokens_per_interval: 50, interval_seconds: 1}")
    slow = policies.parse("default: {tokens_per_interval: 1, interval_seconds: 10}")
    ledger = PostgresLedger(database)
    async with database.connection() as conn:
        await queue.enqueue(conn, [make_task("a.test"), make_task("b.test")])
        await conn.execute("INSERT INTO lanes (lane) VALUES ('@resume') ON CONFLICT DO NOTHING")
        await limits.refresh_unknown(database, ledger, SETTINGS, fast)
        assert await limits.forget(database) == 2
        assert await scalar(conn, "SELECT min(tokens) FROM lanes WHERE left(lane, 1) <> '@'") == 50, (
            "known until looked at"
        )
        assert await limits.refresh_unknown(database, ledger, SETTINGS, slow) == 2
        assert await scalar(conn, "SELECT max(tokens) FROM lanes WHERE left(lane, 1) <> '@'") == 1
