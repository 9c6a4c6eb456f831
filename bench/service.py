"""The scraping service under load: how long a submit takes, and a sync scrape of a static page.

    python -m bench.service [--quick]

The API and one worker, each in a process of its own, on a durable database; 500 tasks wait in the queue all the time.
Callers keep 1, 16 and 64 requests under way. `submit_p99_over_p50` is the worst of the three: a queue that makes some
callers wait for others shows there.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import aiohttp
import psycopg

from bench import harness
from bench.harness import BenchFailed
from bench.server import passable_folder, private_server
from bench.site import Server as SiteServer
from tests.ports import free_port

AT_ONCE = (1, 16, 64)
DEPTH = 500  # S-005: tasks that wait, held behind a domain that may not be asked
KEY = "the-key-of-the-bench"
HELD = "held.example.com"
PAGE = b"""<!doctype html><html lang="en"><head><title>Bench Ltd</title><script type="application/ld+json">
{"@context": "https://schema.org", "@type": "Organization", "name": "Bench Ltd", "email": "office@bench.com"}
</script></head><body><h1>Bench Ltd</h1><p>We measure things, and then we measure them again.</p></body></html>"""


@dataclass(frozen=True, slots=True)
class Work:
    rounds: int
    submits: int  # of each round, at each concurrency
    scrapes: int


FULL = Work(rounds=8, submits=600, scrapes=300)
QUICK = Work(rounds=3, submits=300, scrapes=64)


@dataclass(frozen=True, slots=True)
class Timed:
    seconds: float
    latencies: list[float]


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def together(n: int, at_once: int, call: Callable[[int], Awaitable[None]]) -> Timed:
    """`n` calls with `at_once` of them under way."""
    numbers, latencies = iter(range(n)), []

    async def caller() -> None:
        for number in numbers:
            began = time.perf_counter()
            await call(number)
            latencies.append((time.perf_counter() - began) * 1000)

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(at_once)))
    return Timed(time.perf_counter() - began, latencies)


class Service:
    def __init__(self, database_url: str, session: aiohttp.ClientSession, api: str, site: str) -> None:
        self._database_url = database_url
        self._session = session
        self._api = api
        self._site = site

    async def submit(self, number: int) -> None:
        await self._post("", 202, target_url=f"https://{HELD}/{number}")

    async def scrape(self, number: int) -> None:
        said = await self._post("/sync", 200, target_url=f"{self._site}/{number % 100}", timeout_seconds=120)
        if said["status"] != "completed" or said["result"]["company_name"] != "Bench Ltd":
            raise BenchFailed(f"a scrape ended {said['status']}: {said['error']}")

    async def _post(self, place: str, status: int, **more: Any) -> Any:
        body = {"target_type": "company_website", "workspace_id": "bench", **more}
        async with self._session.post(f"{self._api}/api/v1/scrape{place}", json=body) as answer:
            said = await answer.json()
            if answer.status != status:
                raise BenchFailed(f"{place or '/'} answered {answer.status}: {said}")
        return said["data"]

    async def fill(self) -> None:
        """Back to `DEPTH` waiting tasks: what a round has added is taken away again."""
        async with await psycopg.AsyncConnection.connect(self._database_url, autocommit=True) as conn:
            await conn.execute("DELETE FROM tasks WHERE lane LIKE '%%example.com'")
            await conn.execute(
                "INSERT INTO tasks (id, producer, kind, lane, origin, url, adapter_id) "
                "SELECT gen_random_uuid(), 'enrichment', 'company', %s, 'https://' || %s, "
                "'https://' || %s || '/' || n, 'company_website' FROM generate_series(1, %s) AS n",
                ("example.com", HELD, HELD, DEPTH),
            )
            await conn.execute(
                "INSERT INTO lanes (lane, queued, held_until) VALUES ('example.com', %s, 'infinity') "
                "ON CONFLICT (lane) DO UPDATE SET queued = excluded.queued, held_until = excluded.held_until",
                (DEPTH,),
            )


@asynccontextmanager
async def process(part: str, folder: Path, **environment: str) -> AsyncIterator[None]:
    log = (folder / f"{part}.log").open("wb")
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "winnow", part, env={**os.environ, **environment}, stderr=log, stdout=log
    )
    try:
        yield
    finally:
        running.terminate()
        await running.wait()
        log.close()


@asynccontextmanager
async def site() -> AsyncIterator[str]:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: %d\r\n\r\n" % len(PAGE)
    robots = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n\r\n"
    answers = {b"/robots.txt": robots} | {b"/%d" % n: head + PAGE for n in range(100)}
    server = await asyncio.get_running_loop().create_server(lambda: SiteServer(answers), "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


async def ready(api: str, session: aiohttp.ClientSession) -> None:
    for _ in range(600):
        try:
            async with session.get(f"{api}/readiness") as answer:
                if answer.status == 200:
                    return
        except aiohttp.ClientError:
            pass
        await asyncio.sleep(0.1)
    raise BenchFailed("the API does not start")


async def allow(database_url: str, site_url: str) -> None:
    """A high explicit rate for the site (DESIGN §11.24)."""
    async with await psycopg.AsyncConnection.connect(database_url, autocommit=True) as conn:
        await conn.execute(
            "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
            "max_concurrent_requests) VALUES (%s, %s, 100000, 1, 64)",
            (site_url.removeprefix("http://"), site_url),
        )


async def measured(service: Service, work: Work) -> tuple[dict[int, list[Timed]], dict[int, list[Timed]]]:
    submits: dict[int, list[Timed]] = {n: [] for n in AT_ONCE}
    scrapes: dict[int, list[Timed]] = {n: [] for n in AT_ONCE}
    await service.fill()
    await together(50, 4, service.submit)  # what is done once per process
    await together(8, 2, service.scrape)
    for number in range(work.rounds):
        for name in harness.in_turn([str(n) for n in AT_ONCE], number):
            at_once = int(name)
            await service.fill()
            submits[at_once].append(await together(work.submits, at_once, service.submit))
            some = work.scrapes if at_once > 1 else work.scrapes // 4  # one after the other takes its time
            scrapes[at_once].append(await together(some, at_once, service.scrape))
            harness.say(
                f"  round {number + 1} at once {at_once:>2}: {_line(submits[at_once][-1], scrapes[at_once][-1])}"
            )
    return submits, scrapes


def _line(submit: Timed, scrape: Timed) -> str:
    rates = [
        f"{len(t.latencies) / t.seconds:,.0f}/s p50 {percentile(t.latencies, 0.5):.1f} ms" for t in (submit, scrape)
    ]
    return f"submit {rates[0]}, sync scrape {rates[1]}"


def figures(name: str, turns: dict[int, list[Timed]]) -> dict[str, float]:
    found = {}
    for at_once, of in turns.items():
        found[f"{name}_per_s_{at_once}"] = harness.median(len(t.latencies) / t.seconds for t in of)
        for title, share in (("p50", 0.5), ("p99", 0.99)):  # of each round, so that one bad moment is one bad round
            found[f"{name}_{title}_ms_{at_once}"] = harness.median(percentile(t.latencies, share) for t in of)
    return found


async def bench(work: Work) -> None:
    folder, port = passable_folder(), free_port()
    async with private_server() as server, site() as site_url:
        template = await server.prepare_template()
        async with server.database("bench_service", template) as url:
            harness.announce("service", asdict(work) | {"queue depth": DEPTH}, settings := await server.settings())
            await allow(url, site_url)
            environment = {
                "WINNOW_DATABASE_URL": url,
                "WINNOW_DATA_DIR": str(folder),
                "WINNOW_API_PORT": str(port),
                "WINNOW_EGRESS_ALLOW": site_url.removeprefix("http://"),
                "WINNOW_QUEUE_ENRICHMENT": str(DEPTH + 2 * work.submits),
                "WINNOW_LOG_LEVEL": "WARNING",
                "SCRAPER_SERVICE_KEY": KEY,
                "SCRAPER_BROWSER_FALLBACK": "false",
            }
            connector = aiohttp.TCPConnector(limit=0)
            async with (
                process("api", folder, **environment),
                process("worker", folder, **environment),
                aiohttp.ClientSession(connector=connector, headers={"X-Service-Key": KEY}) as session,
            ):
                api = f"http://127.0.0.1:{port}"
                await ready(api, session)
                submits, scrapes = await measured(Service(url, session, api, site_url), work)
    medians = figures("submit", submits) | figures("sync", scrapes)
    spread = {n: medians[f"submit_p99_ms_{n}"] / medians[f"submit_p50_ms_{n}"] for n in AT_ONCE}
    ratios = {"submit_p99_over_p50": max(spread.values())}
    better = {"submit_p99_over_p50": "lower is better"}
    harness.conclude("service", ratios, medians, asdict(work) | {"depth": DEPTH}, better, server=settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="less work, under 45 s")
    given = parser.parse_args()
    harness.run(bench(QUICK if given.quick else FULL))


if __name__ == "__main__":
    main()
