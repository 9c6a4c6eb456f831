"""The guarded fetcher beside a bare aiohttp loop.

    python -m bench.fetch [--quick]

The same heavy product pages (bench/site.py) over kept-alive connections. Winnow checks the URL, its address and
robots.txt, keeps its deadlines and byte limits, finds the charset and hashes the body; the bare loop only reads.
Both must have read the same bytes, or the benchmark fails.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import tempfile
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from bench import harness, site
from bench.crawl import serving
from bench.harness import CONTENDERS, BenchFailed, Measure, Turn

AT_ONCE = 16


@dataclass(frozen=True, slots=True)
class Work:
    rounds: int
    pages: int
    passes: int  # over the same pages, so that rendering them does not take longer than fetching


FULL = Work(rounds=9, pages=500, passes=12)
QUICK = Work(rounds=7, pages=150, passes=12)


@dataclass
class Fetching:
    site_url: str
    urls_file: Path
    work: Work
    sizes: set[int]

    async def turn(self, script: str) -> Measure:
        arguments = (self.urls_file, self.work.passes, AT_ONCE)
        env = {"WINNOW_EGRESS_ALLOW": urlsplit(self.site_url).netloc}
        done = await harness.run_script(sys.executable, CONTENDERS / script, *arguments, env=env)
        self.sizes.add(done.result["bytes"])
        if len(self.sizes) > 1:
            raise BenchFailed(f"{script} read {done.result['bytes']} bytes, another contender did not")
        return done.measure("pages")

    async def winnow(self) -> Measure:
        return await self.turn("winnow_fetch.py")

    async def aiohttp(self) -> Measure:
        return await self.turn("aiohttp_fetch.py")


def contenders(fetching: Fetching) -> dict[str, Turn]:
    return {"winnow": fetching.winnow, "aiohttp": fetching.aiohttp}


async def main(work: Work) -> None:
    harness.announce("fetch", asdict(work))
    async with serving(work.pages) as url:
        with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
            urls_file = Path(folder) / "urls"
            urls_file.write_text("\n".join(url + path for path in site.paths(work.pages)))
            fetching = Fetching(url, urls_file, work, set())
            measured = await harness.interleave(contenders(fetching), work.rounds)
    rates = harness.median_rates(measured)
    cpu = {f"{name}_cpu_s": spent for name, spent in harness.median_cpu(measured).items()}
    harness.conclude(
        "fetch",
        ratios=harness.ratios_of(rates),
        medians={**rates, **cpu},
        work={**asdict(work), "at_once": AT_ONCE},
        better={},
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The guarded fetcher beside a bare aiohttp loop.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
