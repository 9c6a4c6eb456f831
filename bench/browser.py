"""The browser pool beside a raw Playwright loop that uses its pages again.

    python -m bench.browser [--quick]

The same product pages with their styles, scripts, pictures and data (bench/browser_site.py), as many at once. Winnow
shows every page in a context of its own (cookies, storage, cache), with all traffic through the guard, a profile,
deadlines and byte limits; the raw loop only loads and reads. `winnow` is the pool as it is set by default, which does
not ask for pictures, `winnow_all` (not in --quick) loads everything as the raw loop does. All must have read the same
pages, or the benchmark fails. Afterwards no Chromium may be left.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from urllib.parse import urlsplit

import psutil

from bench import harness, site
from bench.harness import CONTENDERS, ROOT, BenchFailed, Measure, Turn
from winnow.fetch.browser.chromium import MISSING, find_chromium

AT_ONCE = 4
SAME_SIZE = 0.02  # both serialise a DOM, in slightly different ways


@dataclass(frozen=True, slots=True)
class Work:
    """`everything` measures `winnow_all` too. The first page of each of the pool's four browsers is slow: with few
    pages that is what would be measured."""

    rounds: int
    pages: int
    everything: bool


FULL = Work(rounds=5, pages=300, everything=True)  # each of four browsers is replaced once (contenders/winnow_pages.py)
QUICK = Work(rounds=3, pages=32, everything=False)


@dataclass
class Browsing:
    site_url: str
    urls_file: Path
    sizes: list[int] = field(default_factory=list)
    browser_bytes: list[int] = field(default_factory=list)

    async def turn(self, script: str, *more: str) -> Measure:
        env = {"WINNOW_EGRESS_ALLOW": urlsplit(self.site_url).netloc}
        done = await harness.run_script(sys.executable, CONTENDERS / script, self.urls_file, AT_ONCE, *more, env=env)
        self.sizes.append(done.result["bytes"])
        if max(self.sizes) > min(self.sizes) * (1 + SAME_SIZE):
            raise BenchFailed(f"{script} read {done.result['bytes']} bytes, another contender did not")
        self.browser_bytes += [done.result["browser_bytes"]] if "browser_bytes" in done.result else []
        return done.measure("pages")

    async def winnow(self) -> Measure:
        return await self.turn("winnow_pages.py")

    async def winnow_all(self) -> Measure:
        return await self.turn("winnow_pages.py", "all")

    async def playwright(self) -> Measure:
        return await self.turn("playwright_pages.py")


def contenders(browsing: Browsing, work: Work) -> dict[str, Turn]:
    turns: dict[str, Turn] = {"winnow": browsing.winnow, "playwright": browsing.playwright}
    return turns | ({"winnow_all": browsing.winnow_all} if work.everything else {})


@asynccontextmanager
async def serving(pages: int) -> AsyncIterator[str]:
    command = [sys.executable, "-m", "bench.browser_site", "--pages", str(pages)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    try:
        url = (await process.stdout.readline()).decode().strip()
        if not url:
            raise BenchFailed("the local shop did not start")
        yield url
    finally:
        process.terminate()
        await process.wait()


def left_running(program: Path) -> int:
    names = {program.name, program.resolve().name}
    return sum(Path((process.info["cmdline"] or [""])[0]).name in names for process in psutil.process_iter(["cmdline"]))


async def main(work: Work) -> None:
    program = find_chromium()
    if program is None:
        raise BenchFailed(MISSING)
    harness.announce("browser", {**asdict(work), "at_once": AT_ONCE, "program": program})
    before = left_running(program)
    async with serving(work.pages) as url:
        with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
            urls_file = Path(folder) / "urls"
            urls_file.write_text("\n".join(url + path for path in site.paths(work.pages)))
            browsing = Browsing(url, urls_file)
            measured = await harness.interleave(contenders(browsing, work), work.rounds)
    if (left := left_running(program) - before) > 0:
        raise BenchFailed(f"{left} Chromium processes are left")
    rates = harness.median_rates(measured)
    held = harness.median(browsing.browser_bytes) / 2**20
    ratios = {"vs_playwright": rates["winnow"] / rates["playwright"]}
    if work.everything:
        ratios["all_vs_playwright"] = rates["winnow_all"] / rates["playwright"]
    harness.say_cpu(measured, {})
    harness.conclude(
        "browser",
        ratios=ratios,
        medians={**rates, "browser_mb": held},
        work={**asdict(work), "at_once": AT_ONCE},
        better={},
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The browser pool beside a raw Playwright loop.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
