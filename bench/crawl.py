"""The whole pipeline beside Scrapy, and beside what the machine allows.

    python -m bench.crawl [--quick]

The same heavy product pages (bench/site.py), the same six fields. Winnow fetches, extracts, judges and
stores page and price durably in one worker process; Scrapy and the bare loop write the fields to a
file. Every contender must find every value of every page, or the benchmark fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from bench import harness, plan, site
from bench.harness import CONTENDERS, ROOT, BenchFailed, Measure, Turn
from bench.peers import peers_python
from bench.server import Server, private_server
from bench.site import Facts

LIMIT_AT_ONCE = 8  # the best of 8, 16, 32 and 64 on two cores
SCRAPY_AT_ONCE = (16, 32, 64)  # a full run uses the best of these on a part of the pages, a quick one the first


@dataclass(frozen=True, slots=True)
class Work:
    """A quick run gives Scrapy fewer pages, which change nothing for it: it works at one speed from the start."""

    rounds: int
    pages: int
    scrapy_pages: int
    scrapy_trial_pages: int


FULL = Work(rounds=3, pages=2_000, scrapy_pages=2_000, scrapy_trial_pages=400)
QUICK = Work(rounds=3, pages=1_200, scrapy_pages=250, scrapy_trial_pages=0)


@dataclass
class Crawl:
    """One benchmark run: where everything is, and what must be found."""

    server: Server
    template: str
    site_url: str
    folder: Path
    expected: dict[str, Facts]
    database_cpu: list[float]

    def urls_file(self, count: int) -> Path:
        file = self.folder / f"urls-{count}"
        file.write_text("\n".join(list(self.expected)[:count]))
        return file

    async def scrapy(self, at_once: int, count: int) -> Measure:
        out = self.folder / "scrapy.jsonl"
        out.unlink(missing_ok=True)
        script = CONTENDERS / "scrapy_crawl.py"
        done = await harness.run_script(peers_python(), script, self.urls_file(count), out, at_once)
        self.check("scrapy", read_lines(out), count)
        return done.measure("pages")

    async def limit(self) -> Measure:
        out, count = self.folder / "limit.jsonl", len(self.expected)
        script = CONTENDERS / "limit_crawl.py"
        done = await harness.run_script(sys.executable, script, self.urls_file(count), out, LIMIT_AT_ONCE)
        self.check("limit", read_lines(out), count)
        return done.measure("pages")

    async def winnow(self) -> Measure:
        """A fresh database and a fresh archive each time: nothing is known, nothing is unchanged."""
        async with self.server.database("bench_crawl", self.template) as url:
            await plan.plan(url, self.site_url, list(self.expected))
            with tempfile.TemporaryDirectory(dir=self.folder) as data:
                before = self.server.cpu_seconds()
                script = CONTENDERS / "winnow_crawl.py"
                done = await harness.run_script(sys.executable, script, env=self.environment(url, data))
                self.database_cpu.append(self.server.cpu_seconds() - before)
                stored = await plan.read_back(url)
        self.check("winnow", stored.found, len(self.expected))
        return Measure(stored.seconds, len(stored.found), done.cpu_seconds, done.wall_seconds)

    def environment(self, database_url: str, data: str) -> dict[str, str]:
        allowed = urlsplit(self.site_url).netloc
        return {"WINNOW_DATABASE_URL": database_url, "WINNOW_DATA_DIR": data, "WINNOW_EGRESS_ALLOW": allowed}

    def check(self, name: str, found: Mapping[str, Facts], count: int) -> None:
        for url, facts in list(self.expected.items())[:count]:
            if found.get(url) != facts:
                raise BenchFailed(f"{name} found {found.get(url)} on {url}, where {facts} stands")
        if len(found) != count:
            raise BenchFailed(f"{name} found {len(found)} products on {count} pages")


def read_lines(file: Path) -> dict[str, Facts]:
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    return {row.pop("url"): Facts(**row) for row in rows}


def serving(pages: int) -> AbstractAsyncContextManager[str]:
    return served_by("-m", "bench.site", "--pages", str(pages))


@asynccontextmanager
async def served_by(*command: str) -> AsyncIterator[str]:
    """A shop in a process of its own, ready when its address is printed."""
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    try:
        url = (await process.stdout.readline()).decode().strip()
        if not url:
            raise BenchFailed("the local shop did not start")
        yield url
    finally:
        process.terminate()
        await process.wait()


async def best_for_scrapy(crawl: Crawl, work: Work) -> int:
    """The three are within a tenth of each other; which is first changes from run to run."""
    if not work.scrapy_trial_pages:
        return SCRAPY_AT_ONCE[0]
    tried = {n: (await crawl.scrapy(n, work.scrapy_trial_pages)).rate for n in SCRAPY_AT_ONCE}
    harness.say("scrapy at once: " + ", ".join(f"{n} → {rate:.0f} pages/s" for n, rate in tried.items()))
    return max(tried, key=lambda n: tried[n])


def contenders(crawl: Crawl, work: Work, scrapy_at_once: int) -> dict[str, Turn]:
    async def scrapy() -> Measure:
        return await crawl.scrapy(scrapy_at_once, work.scrapy_pages)

    return {"winnow": crawl.winnow, "scrapy": scrapy, "limit": crawl.limit}


async def main(work: Work) -> None:
    async with private_server() as server, serving(work.pages) as url:
        settings, template = await server.settings(), await server.prepare_template()
        harness.announce("crawl", asdict(work), settings)
        with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
            expected = {url + path: site.facts_of(n) for n, path in enumerate(site.paths(work.pages))}
            crawl = Crawl(server, template, url, Path(folder), expected, [])
            at_once = await best_for_scrapy(crawl, work)
            measured = await harness.interleave(contenders(crawl, work, at_once), work.rounds)
    harness.say_cpu(measured, {"winnow's database": crawl.database_cpu})
    rates = harness.median_rates(measured)
    cpu = {f"{name}_cpu_s": spent for name, spent in harness.median_cpu(measured).items()}
    harness.conclude(
        "crawl",
        ratios=harness.ratios_of(rates),
        medians={**rates, **cpu, "winnow_database_cpu_s": harness.median(crawl.database_cpu)},
        work={**asdict(work), "scrapy_at_once": at_once},
        better={},
        server=settings,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The whole pipeline beside Scrapy and a bare loop.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
