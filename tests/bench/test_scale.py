"""The large database of the console's benchmark: a small one made the same way answers every question."""

from __future__ import annotations

import psycopg

from bench import console, scale
from bench.scale import Scale
from winnow.db.engine import Database
from winnow.queries.reading import reader

TINY = Scale(sources=5, targets=100, rounds=5, long_history=50, runs=10, tasks_per_run=10, held=20, audited=50)


async def test_every_list_answers_on_the_generated_database(database: Database) -> None:
    async with await psycopg.AsyncConnection.connect(database.url, autocommit=True) as conn:
        await scale.fill(conn, TINY)
        found = await (
            await conn.execute("SELECT count(*), (SELECT count(*) FROM scrape_targets) FROM prices")
        ).fetchone()
    assert found == (TINY.prices, TINY.targets)
    for name, ask in console.asks(TINY).items():
        async with reader(database) as reading:
            answer = await ask(reading)
        if "in vain" in name:
            assert answer == ([], None), name
