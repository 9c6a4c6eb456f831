"""What charts draw: prices in stretches of time, and an adapter's runs; a long history stays small."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from winnow.db.engine import Database
from winnow.queries import charts
from winnow.queries.reading import reader

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
_SOURCE = "INSERT INTO sources (name, url, domain, kind) VALUES ('s', 'https://s.test', 's.test', 'event') RETURNING id"
_OFFER = (
    "INSERT INTO source_products (source_id, identity_type, identity_value, title, url) "
    "VALUES (%s, 'SKU', 'a', 'Hammer', 'https://s.test/a') RETURNING id"
)
_PRICES = """
INSERT INTO prices (source_product_id, amount_minor, currency, availability, in_stock, observed_at, ingestion_run_type)
SELECT %s, 1000 + n %% 7, 'USD', 'IN_STOCK', true, %s - n * interval '1 hour', 'SCRAPE'
FROM generate_series(1, %s::integer) AS n
"""


async def offer(database: Database, hours: int) -> tuple[int, int]:
    async with database.transaction() as conn:
        source = (await (await conn.execute(_SOURCE)).fetchone() or [0])[0]
        made = (await (await conn.execute(_OFFER, (source,))).fetchone() or [0])[0]
        await conn.execute(_PRICES, (made, NOW, hours))
    return source, made


async def test_a_long_history_is_drawn_with_few_points_and_loses_no_observation(database: Database) -> None:
    _, made = await offer(database, 2_000)
    async with reader(database) as conn:
        since = NOW - timedelta(hours=2_000)
        points = await charts.prices(conn, [made], currency="USD", since=since, until=NOW)
    assert len(points) <= charts.MAX_POINTS
    assert sum(p["observations"] for p in points) == 2_000
    assert [p["observed_at"] for p in points] == sorted(p["observed_at"] for p in points)
    newest = points[-1]
    assert (newest["observed_at"], newest["amount_minor"]) == (NOW - timedelta(hours=1), 1001)
    assert min(p["lowest_minor"] for p in points) == 1000
    assert max(p["highest_minor"] for p in points) == 1006


async def test_another_currency_and_another_time_are_left_out(database: Database) -> None:
    _, made = await offer(database, 48)
    async with reader(database) as conn:
        day = await charts.prices(conn, [made], currency="USD", since=NOW - timedelta(hours=24), until=NOW)
        euros = await charts.prices(conn, [made], currency="EUR", since=NOW - timedelta(hours=24), until=NOW)
    assert sum(p["observations"] for p in day) == 24
    assert euros == []


async def test_the_newest_price_the_first_moment_and_the_totals(database: Database) -> None:
    _, made = await offer(database, 48)
    async with reader(database) as conn:
        newest = await charts.newest_price(conn, made)
        assert newest is not None
        assert newest["currency"] == "USD"
        assert await charts.first_price(conn, [made], "USD") == NOW - timedelta(hours=48)
        found = await charts.totals(conn, made, "USD")
        assert (found["observations"], found["lowest_minor"], found["highest_minor"]) == (48, 1000, 1006)
        assert await charts.newest_price(conn, made + 1) is None


async def test_an_adapters_runs_come_oldest_first_and_without_those_under_way(database: Database) -> None:
    source, _ = await offer(database, 1)
    async with database.connection() as conn:
        await conn.execute(
            "INSERT INTO scrape_runs (adapter_id, source_id, status, completed_at, failure_rate) SELECT 'generic', %s, "
            "CASE WHEN n = 4 THEN 'RUNNING' ELSE 'SUCCESS' END, CASE WHEN n < 4 THEN now() END, n / 10.0 "
            "FROM generate_series(1, 4) AS n",
            (source,),
        )
    async with reader(database) as conn:
        found = await charts.health(conn, "generic")
        assert [float(run["failure_rate"]) for run in found] == [0.1, 0.2, 0.3]
        assert await charts.health(conn, "generic", source + 1) == []
        assert await charts.health(conn, "sgammo") == []
