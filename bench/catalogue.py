"""A crawl that finds the products of a shop by itself, beside Scrapy's CrawlSpider with the shop's sitemap.

    python -m bench.catalogue [--quick]

Both are given the address of the same local shop (bench/shop.py) and have to come back with every value of every
product. Winnow keeps its frontier, pages and prices in PostgreSQL and judges them, in one worker process; Scrapy keeps
the frontier in memory and writes the fields to a file. The pages are counted by each crawler itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import psycopg

from bench import harness, plan, shop, site
from bench.crawl import read_lines, served_by
from bench.harness import CONTENDERS, BenchFailed, Measure
from bench.peers import peers_python
from bench.server import Server, private_server
from bench.site import Facts
from winnow.actions.catalogue import crawls
from winnow.actions.intake import Intake
from winnow.fetch.egress.allow import AllowList
from winnow.kinds import adapters
from winnow.settings import load

SCRAPY_AT_ONCE = 16
MAX_OVERHEAD = 1.3  # pages fetched over pages needed


@dataclass(frozen=True, slots=True)
class Work:
    rounds: int
    products: int


FULL = Work(rounds=3, products=2_000)
QUICK = Work(rounds=2, products=700)

_PAGES = "SELECT count(*), extract(epoch FROM max(finished_at) - min(started_at))::float8 FROM tasks"


@dataclass
class Contest:
    server: Server
    template: str
    url: str
    folder: Path
    expected: dict[str, Facts]
    needed: int
    database_cpu: list[float]

    async def scrapy(self) -> Measure:
        out = self.folder / "scrapy.jsonl"
        out.unlink(missing_ok=True)
        script = CONTENDERS / "scrapy_catalogue.py"
        done = await harness.run_script(peers_python(), script, self.url, out, SCRAPY_AT_ONCE)
        measure = done.measure("pages")
        self.check("scrapy", read_lines(out), measure.work)
        return measure

    async def winnow(self) -> Measure:
        async with self.server.database("bench_catalogue", self.template) as url:
            await self.begin(url)
            with tempfile.TemporaryDirectory(dir=self.folder) as data:
                before = self.server.cpu_seconds()
                environment = {
                    "WINNOW_DATABASE_URL": url,
                    "WINNOW_DATA_DIR": data,
                    "WINNOW_EGRESS_ALLOW": urlsplit(self.url).netloc,
                }
                done = await harness.run_script(sys.executable, CONTENDERS / "winnow_crawl.py", env=environment)
                self.database_cpu.append(self.server.cpu_seconds() - before)
            stored = await plan.read_back(url)
            pages, seconds = await _counted(url)
        self.check("winnow", stored.found, pages)
        return Measure(seconds, pages, done.cpu_seconds, done.wall_seconds)

    async def begin(self, database_url: str) -> None:
        """As `winnow crawl URL` does, of a domain with a rate nobody can reach."""
        await plan.open_domain(database_url, self.url)
        settings, registered = load(), adapters.registry(None)
        intake = Intake(AllowList([urlsplit(self.url).netloc]), lambda: registered)
        async with await psycopg.AsyncConnection.connect(database_url) as conn:
            order = crawls.CrawlOrder(url=self.url + "/", kind="offer")
            await crawls.start(conn, "bench", intake, settings.schedule, order)

    def check(self, name: str, found: Mapping[str, Facts], pages: int) -> None:
        for url, facts in self.expected.items():
            if found.get(url) != facts:
                raise BenchFailed(f"{name} found {found.get(url)} on {url}, where {facts} stands")
        if len(found) != len(self.expected):
            raise BenchFailed(f"{name} found {len(found)} products, and the shop has {len(self.expected)}")
        if pages > self.needed * MAX_OVERHEAD:
            raise BenchFailed(f"{name} fetched {pages} pages, and {self.needed} are needed")


async def _counted(database_url: str) -> tuple[int, float]:
    async with await psycopg.AsyncConnection.connect(database_url) as conn:
        row = await (await conn.execute(_PAGES)).fetchone()
    assert row is not None
    return int(row[0]), float(row[1])


async def main(work: Work) -> None:
    async with private_server() as server, served_by("-m", "bench.shop", "--products", str(work.products)) as url:
        settings, template = await server.settings(), await server.prepare_template()
        harness.announce("catalogue", asdict(work), settings)
        with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
            expected = {url + path: site.facts_of(n) for n, path in enumerate(site.paths(work.products))}
            contest = Contest(server, template, url, Path(folder), expected, shop.pages_of(work.products), [])
            contenders = {"winnow": contest.winnow, "scrapy": contest.scrapy}
            measured = await harness.interleave(contenders, work.rounds)
    harness.say_cpu(measured, {"winnow's database": contest.database_cpu})
    rates = harness.median_rates(measured)
    cpu = {f"{name}_cpu_s": spent for name, spent in harness.median_cpu(measured).items()}
    pages = {f"{name}_pages": float(turns[-1].work) for name, turns in measured.items()}
    harness.conclude(
        "catalogue",
        ratios=harness.ratios_of(rates),
        medians={**rates, **cpu, **pages, "winnow_database_cpu_s": harness.median(contest.database_cpu)},
        work={**asdict(work), "scrapy_at_once": SCRAPY_AT_ONCE, "pages_needed": contest.needed},
        better={},
        server=settings,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="A crawl that finds a shop's products, beside Scrapy.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
