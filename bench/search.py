"""Searches and filtered lists on a catalogue of a million offers.

    python -m bench.search [--quick]

Each case is asked many times, each time with other words. The figure is the 95th percentile, as a caller waits: words
read, offers found, facets counted, and one page of them looked at again. `ratios` are the 50 ms of the promise over it,
so higher is better and 1 keeps it. `cpu_ms` is what the database's process worked for one search: on a machine that is
busy with other things the first says little, the second does.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Awaitable, Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from bench import harness, search_scale
from bench.search_scale import SearchScale
from bench.server import passable_folder, private_server
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.queries.reading import reader
from winnow.queries.search.offers import search
from winnow.queries.search.request import SearchRequest
from winnow.store.search.documents import ADD_WORDS, WRITE

PROMISED_MS = 50.0  # issue 16
TIMES, TIMES_QUICK = 40, 10
BATCH = 10_000
Ask = Callable[[AsyncConnection, int], Awaitable[Any]]

# Words by how often they come: the n-th of a language, see search_scale.
FREQUENT, USUAL, RARE = range(0, 8), range(100, 400), range(2_000, 4_900)


def word(n: int) -> str:
    syllables = search_scale.SYLLABLES.split()
    return "".join(syllables[n // 18**place % 18] for place in range(4))


def asked(everything: bool = True, **what: Any) -> Callable[[AsyncConnection, int], Awaitable[Any]]:
    """A search whose texts may depend on the number of the turn."""

    async def ask(conn: AsyncConnection, turn: int) -> Any:
        given = {name: value(turn) if callable(value) else value for name, value in what.items()}
        return await search(conn, SearchRequest(everything=everything, **given))

    return ask


def _of(which: range) -> Callable[[int], str]:
    return lambda turn: word(which[turn * 7 % len(which)])


def cases() -> dict[str, Ask]:
    frequent, usual, rare = _of(FREQUENT), _of(USUAL), _of(RARE)
    brand = {"brand": lambda turn: (f"Brand {turn * 13}",)}
    price = {"price_min": lambda turn: Decimal(turn), "price_max": lambda turn: Decimal(turn * 2 + 5)}
    newest = {"sort": "newest", "availability": ("IN_STOCK",)}
    return {
        "a frequent word": asked(q=frequent),
        "a usual word": asked(q=usual),
        "a rare word": asked(q=rare),
        "two words": asked(q=lambda t: f"{usual(t)} {frequent(t)}"),
        "a frequent word, consumers": asked(False, q=frequent),
        "a usual word, consumers": asked(False, q=usual),
        "word and brand": asked(q=frequent, **brand),
        "word and price": asked(q=usual, **price),
        "word in stock, newest": asked(q=usual, **newest),
        "word, cheapest": asked(q=frequent, sort="price_asc", currency="EUR"),
        "a code": asked(q=lambda t: f"A{t * 997 + 1}"),
        "a mistyped word": asked(q=lambda t: rare(t)[:-2] + "q" + rare(t)[-1]),
        "no such word": asked(q=lambda t: f"xyzzy{t}"),
        "filter: nothing": asked(q=""),
        "filter: brand": asked(q="", **brand),
        "filter: category": asked(q="", category=lambda t: (f"Category {t * 7}",)),
        "filter: domain": asked(q="", domain=lambda t: (f"shop-{t + 1}.com",)),
        "filter: price": asked(q="", **price),
        "filter: stock": asked(q="", availability=("OUT_OF_STOCK",)),
        "filter: rating": asked(q="", rating_min=Decimal("4.8")),
        "filter: category, price and stock": asked(q="", category=("Category 3",), **price, availability=("IN_STOCK",)),
        "filter: price, consumers": asked(False, q="", **price),
    }


async def fill(url: str, size: SearchScale) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        await search_scale.fill(conn, size)
        began = time.perf_counter()
        for first in range(1, size.offers + 1, BATCH):
            ids = list(range(first, min(first + BATCH, size.offers + 1)))
            await conn.execute(WRITE, {"id": ids})
            await conn.execute(ADD_WORDS, {"id": ids})
        seconds = time.perf_counter() - began
        harness.say(f"  documents         {size.offers:>12,} rows, {size.offers / seconds:,.0f} a second")
        await conn.execute("DELETE FROM search_changes")
        await conn.execute("VACUUM ANALYZE search_documents")
        await conn.execute("VACUUM ANALYZE search_words")


async def measured(database: Database, ask: Ask, times: int) -> tuple[list[float], float]:
    """Milliseconds of each turn, and of the database's process for one."""
    async with reader(database) as conn:
        process = (await conn.execute(text("SELECT pg_backend_pid()"))).scalar_one()
        await ask(conn, 0)
        before, waited = _cpu_seconds(process), []
        for turn in range(1, times + 1):
            began = time.perf_counter()
            await ask(conn, turn)
            waited.append((time.perf_counter() - began) * 1_000)
            await conn.rollback()
        return waited, (_cpu_seconds(process) - before) * 1_000 / times


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def percentile(values: list[float]) -> float:
    return statistics.quantiles(values, n=20, method="inclusive")[-1]


async def main(quick: bool) -> None:
    size, times = (search_scale.QUICK, TIMES_QUICK) if quick else (search_scale.FULL, TIMES)
    async with private_server() as server:
        harness.announce("search", {"offers": size.offers, "searches of each kind": times}, await server.settings())
        async with server.database("search", await server.prepare_template()) as url:
            await fill(url, size)
            settings = DatabaseSettings(database_url=url, data_dir=passable_folder(), database_wait_seconds=60)
            async with await Database.open(settings) as database:
                found = {name: await measured(database, ask, times) for name, ask in cases().items()}
    for name, (waited, cpu) in found.items():
        harness.say(f"  {name:<36} p95 {percentile(waited):>8.1f} ms   cpu {cpu:>6.1f} ms")
    conclude(found, size, times)


def conclude(found: dict[str, tuple[list[float], float]], size: SearchScale, times: int) -> None:
    searches = [ms for name, (waited, _) in found.items() if not name.startswith("filter") for ms in waited]
    filters = [ms for name, (waited, _) in found.items() if name.startswith("filter") for ms in waited]
    medians = {"search_p95_ms": percentile(searches), "filter_p95_ms": percentile(filters)}
    ratios = {name.replace("_p95_ms", "_promise"): PROMISED_MS / value for name, value in medians.items()}
    p95 = {name: round(percentile(waited), 1) for name, (waited, _) in found.items()}
    cpu = {name: round(cpu, 1) for name, (_, cpu) in found.items()}
    harness.conclude("search", ratios, medians, {"offers": size.offers, "times": times}, {}, p95_ms=p95, cpu_ms=cpu)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20 000 offers, under a minute")
    harness.run(main(parser.parse_args().quick))
