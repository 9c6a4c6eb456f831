"""Events: reading agendas beside extruct and dateparser, storing them among a million others, and the feed.

    python -m bench.events [--quick]

`read`: listing pages of 30 events (bench/agenda_pages.py) from memory to accepted events, all the way to the verdict.
extruct reads what the pages mark as events, once as JSON-LD and once as microdata whose days are words, and dateparser
reads those moments. Everybody must find the name, the beginning and the venue of every event. CPU seconds are compared.
`persist`: pages of 100 events of sources that list several venues are written by the writer of their kind, as a commit
does it, and compared with all other events until none waits. Four of ten are events that a venue's own source lists:
they have to be merged with those, and no other one may be. Once into a small calendar, once into a large one.
`feed`: the personal feed around places all over the country, as the API asks for it, one after the other.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4

import msgspec
import psycopg

from bench import agenda_pages, event_scale, harness
from bench.harness import CONTENDERS, BenchFailed, Measure, Turn
from bench.peers import peers_python
from bench.server import Server, private_server
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.assess import Judged
from winnow.kinds.kind import Content, digest
from winnow.kinds.writers.events import EventsWriter
from winnow.kinds.writers.writer import Item, PageRead, VisitRef
from winnow.queries.events.feed import feed
from winnow.queries.events.lists import Around
from winnow.queries.reading import reader
from winnow.run.event_upkeep import EventUpkeep
from winnow.store.events.matching import vectors
from winnow.vocabulary.event_categories import categories

PAGE, PAGES_OF_A_COMMIT = 100, 10
LISTED_ALREADY = 0.4
SOURCES = 20
ACCEPTED = Verdict(Decision.ACCEPT)
PERSIST_PER_SECOND, PERSIST_GROWTH, FEED_P95_MS = 1_000, 2.0, 50.0  # what is promised


@dataclass(frozen=True, slots=True)
class Work:
    rounds: int
    events: int
    small: int
    large: int
    feeds: int
    pages: int
    passes: int


FULL = Work(rounds=3, events=10_000, small=10_000, large=1_000_000, feeds=500, pages=150, passes=4)
QUICK = Work(rounds=1, events=2_000, small=5_000, large=50_000, feeds=100, pages=40, passes=2)


@dataclass
class Reading:
    """One set of listing pages, and what stands on them."""

    file: Path
    expected: dict[str, agenda_pages.Facts]
    passes: int

    async def turn(self, python: Path, script: str) -> Measure:
        out = self.file.with_suffix(".found")
        done = await harness.run_script(python, CONTENDERS / script, self.file, out, self.passes)
        found = json.loads(out.read_text())
        for url, facts in self.expected.items():
            if found.get(url) != facts:
                raise BenchFailed(f"{script} found {found.get(url)} on {url}, where {facts} stands")
        return done.measure("pages")

    async def winnow(self) -> Measure:
        return await self.turn(Path(sys.executable), "winnow_agenda.py")

    async def extruct(self) -> Measure:
        return await self.turn(peers_python(), "extruct_agenda.py")


async def read(work: Work) -> dict[str, float]:
    """Pages per CPU second of everybody."""
    renderings = {"json_ld": agenda_pages.with_json_ld, "microdata": agenda_pages.with_microdata}
    turns: dict[str, Turn] = {}
    with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
        for name, render in renderings.items():
            file = Path(folder) / f"{name}.json"
            file.write_text(json.dumps({agenda_pages.url(n): render(n) for n in range(work.pages)}))
            expected = {agenda_pages.url(n): agenda_pages.facts(n) for n in range(work.pages)}
            reading = Reading(file, expected, work.passes)
            turns |= {f"winnow_{name}": reading.winnow, f"extruct_{name}": reading.extruct}
        return harness.median_rates(await harness.interleave(turns, work.rounds))


async def pages(conn: psycopg.AsyncConnection[Any], events: int) -> list[PageRead]:
    """Of sources of their own, made here."""
    known = await event_scale.listed_already(conn, int(events * LISTED_ALREADY))
    again = [
        event_scale.record(e["title"], e["event_date"], e["event_time"], e["venue_name"], e["town"]) for e in known
    ]
    houses = sorted({(e["venue_name"], e["town"]) for e in known})
    new = [_new(n, *houses[n % len(houses)]) for n in range(events - len(again))]
    records = again + new
    random.Random(11).shuffle(records)
    first = await _sources(conn)
    return [_page(first + n % SOURCES, records[at : at + PAGE]) for n, at in enumerate(range(0, events, PAGE))]


def _new(n: int, venue: str, town: str) -> dict[str, Any]:
    """What no venue lists: at an hour of its own, in the same house on the same days."""
    day = date.today() + timedelta(days=1 + (n * 37) % event_scale.DAYS)
    return event_scale.record(f"Besloten {event_scale.titles()[n % 100]} {n}", day, f"{9 + n % 4:02}:15", venue, town)


async def _sources(conn: psycopg.AsyncConnection[Any]) -> int:
    row = await (
        await conn.execute(
            """
            WITH made AS (
                INSERT INTO sources (name, url, domain, kind, adapter_id, timezone)
                SELECT 'Uitgids ' || n, 'https://uitgids-' || n || '.test/', 'uitgids-' || n || '.test', 'event',
                       'event', 'Europe/Amsterdam' FROM generate_series(1, %s) AS n RETURNING id)
            SELECT min(id) FROM made
            """,
            (SOURCES,),
        )
    ).fetchone()
    assert row is not None
    return int(row[0])


def _page(source_id: int, records: Sequence[dict[str, Any]]) -> PageRead:
    url = f"https://uitgids-{source_id}.test/agenda/{uuid4().hex}"
    visit = VisitRef(task_id=uuid4(), kind="event", url=url, source_id=source_id)
    return PageRead(visit, [_judged(record, n) for n, record in enumerate(records)])


def _judged(record: dict[str, Any], n: int) -> Judged:
    payload = msgspec.json.encode(record)
    content = Content(payload=payload, digest=digest(payload), provenance={"title": "json_ld"})
    key = f"URL:{record['url'].rpartition('/')[2]}@{record['event_date']}"
    return Judged(key=key, draft=n, verdict=ACCEPTED, content=content)


async def store(database: Database, found: Sequence[PageRead]) -> None:
    """As run/commit does it: whole pages, in one transaction."""
    writer = EventsWriter()
    async with database.transaction() as conn:
        held = await writer.read_pages(conn, found)
        items = [
            Item(page.visit, record) for page in found if page.visit.task_id not in held for record in page.records
        ]
        stored = await writer.write(conn, items)
        refs = {one.item.id: one.ref for one in stored if one.ref is not None}
        await writer.pages_stored(conn, found, refs)
    if held or len(refs) != len(items):
        raise BenchFailed(f"{len(held)} pages were held, {len(items) - len(refs)} events not stored")


@dataclass(slots=True)
class Persisted:
    written: Measure
    matched: Measure

    @property
    def both(self) -> Measure:
        return Measure(self.written.seconds + self.matched.seconds, self.written.work)


async def persist(url: str, events: int) -> Persisted:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        found = await pages(conn, events)
    async with await Database.open(DatabaseSettings(database_url=url)) as database:
        begun = time.perf_counter()
        for at in range(0, len(found), PAGES_OF_A_COMMIT):
            await store(database, found[at : at + PAGES_OF_A_COMMIT])
        written = time.perf_counter()
        upkeep = EventUpkeep(database)
        await vectors.offline().similarities([("Nachtvlinders", "Nachtvlinder")])  # the model is loaded once a process
        begun_comparing = time.perf_counter()
        while await upkeep.match():
            pass
        done = time.perf_counter()
        await _check(database, events)
    return Persisted(Measure(written - begun, events), Measure(done - begun_comparing, events))


async def _check(database: Database, events: int) -> None:
    async with database.connection() as conn:
        row = await (
            await conn.execute(
                """
                SELECT (SELECT count(*) FROM event_merges),
                       (SELECT count(*) FROM event_merges AS m JOIN events AS a ON a.id = m.kept_id
                        JOIN events AS b ON b.id = m.merged_id WHERE a.title = b.title AND a.starts_at = b.starts_at),
                       (SELECT count(*) FROM events WHERE match_requested_at IS NOT NULL)
                """
            )
        ).fetchone()
    expected = int(events * LISTED_ALREADY)
    if row != (expected, expected, 0):
        raise BenchFailed(f"(merges, right ones, not compared) are {row}, not {(expected, expected, 0)}")


async def feeds(url: str, work: Work) -> list[float]:
    """Seconds of each, without those that warm up."""
    places = event_scale.venues(work.large // event_scale.PER_VENUE)
    rng = random.Random(23)
    now = datetime.now(UTC)
    taken = []
    async with await Database.open(DatabaseSettings(database_url=url)) as database:
        for n in range(work.feeds + 20):
            at = rng.choice(places)
            around = Around(at.latitude, at.longitude, rng.choice([5_000, 25_000, 50_000]))
            begun = time.perf_counter()
            async with reader(database) as reading:
                found = await feed(reading, around, since=now, until=now + timedelta(days=30), categories=["music"])
            if n >= 20:
                taken.append(time.perf_counter() - begun)
            if not found:
                raise BenchFailed(f"the feed around {at.name} is empty")
    return taken


async def calendar(server: Server, name: str, template: str, events: int) -> str:
    """A database filled once, copied for every round."""
    url = await server.keep(name, template)
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        begun = time.perf_counter()
        made = await event_scale.fill(conn, events, sorted(categories()))
        harness.say(f"  {made:,} events made in {time.perf_counter() - begun:.0f} s")
    return name


async def main(work: Work) -> None:
    async with private_server() as server:
        harness.announce("events", asdict(work), await server.settings())
        pages_read = await read(work)
        template = await server.prepare_template()
        sizes = {"small": work.small, "large": work.large}
        made = {size: await calendar(server, f"calendar_{size}", template, events) for size, events in sizes.items()}
        async with server.database("feeds", made["large"]) as url:
            taken = sorted(await feeds(url, work))
        measured: dict[str, list[Persisted]] = {size: [] for size in sizes}
        for number in range(work.rounds):
            for size in harness.in_turn(list(sizes), number):
                async with server.database(f"round_{number}_{size}", made[size]) as url:
                    measured[size].append(await persist(url, work.events))
                one = measured[size][-1]
                harness.say(
                    f"  round {number + 1} {size:<8}{one.both.rate:>8,.0f} /s"
                    f"  (written {one.written.seconds:.2f} s, compared {one.matched.seconds:.2f} s)"
                )
    conclude(work, pages_read, measured, taken)


def conclude(
    work: Work, pages_read: dict[str, float], measured: dict[str, list[Persisted]], taken: Sequence[float]
) -> None:
    rates = {size: harness.median(one.both.rate for one in found) for size, found in measured.items()}
    p95 = taken[int(len(taken) * 0.95)] * 1000
    ratios = {
        "vs_extruct": pages_read["winnow_json_ld"] / pages_read["extruct_json_ld"],
        "vs_extruct_microdata": pages_read["winnow_microdata"] / pages_read["extruct_microdata"],
        "persist_vs_promise": rates["large"] / PERSIST_PER_SECOND,
        "persist_growth": rates["small"] / rates["large"],
        "feed_p95_over_promise": p95 / FEED_P95_MS,
    }
    medians = pages_read | {
        "persist_small_per_s": rates["small"],
        "persist_large_per_s": rates["large"],
        "written_large_per_s": harness.median(one.written.rate for one in measured["large"]),
        "compared_large_per_s": harness.median(one.matched.rate for one in measured["large"]),
        "feed_p50_ms": taken[len(taken) // 2] * 1000,
        "feed_p95_ms": p95,
    }
    lower = {"persist_growth": "lower is better", "feed_p95_over_promise": "lower is better"}
    harness.conclude("events", ratios, medians, work=asdict(work), better=lower)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Events: reading, storing and the feed.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
