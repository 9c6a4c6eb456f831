"""Structured data and fields of a page, beside extruct.

    python -m bench.extract [--quick]

The same heavy product pages (bench/site.py) from memory, and a second set of them with microdata in the place of
JSON-LD. extruct reads JSON-LD, microdata and OpenGraph, and a few lines pick the fields from what it returns; Winnow
extracts the same fields, and in a second measurement also normalises and judges them. Every contender must find every
value of every page, or the benchmark fails.
Both only compute, on one core: their CPU seconds are compared, which a busy machine stretches least.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:  # run as a file: this folder would hide the standard library's `queue`
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import json
import re
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace

from bench import harness, site
from bench.harness import CONTENDERS, BenchFailed, Measure, Turn
from bench.peers import peers_python
from bench.site import Facts
from winnow.demo.catalogue import Markup, price_at
from winnow.demo.pages import Shelf, product_page

SITE = "http://shop.test"
_ARTICLE = re.compile(r"<article.*?</article>", re.DOTALL)
_JSON_LD = re.compile(r'<script type="application/ld\+json">.*?</script>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Work:
    """extruct does each page once; Winnow does all of them several times, to be measured as long."""

    rounds: int
    pages: int
    microdata_pages: int
    winnow_passes: int


FULL = Work(rounds=5, pages=300, microdata_pages=100, winnow_passes=20)
QUICK = Work(rounds=3, pages=100, microdata_pages=40, winnow_passes=20)


@dataclass
class Extracting:
    """One set of pages, and what must be found on them."""

    file: Path
    work: Work
    expected: dict[str, Facts]

    async def turn(self, python: Path, script: str, passes: int, *more: str) -> Measure:
        out = self.file.with_suffix(".found")
        done = await harness.run_script(python, CONTENDERS / script, self.file, out, passes, *more)
        self.check(script, json.loads(out.read_text()))
        return done.measure("pages")

    async def winnow(self) -> Measure:
        return await self.turn(Path(sys.executable), "winnow_extract.py", self.work.winnow_passes, "fields")

    async def judged(self) -> Measure:
        return await self.turn(Path(sys.executable), "winnow_extract.py", self.work.winnow_passes, "judged")

    async def extruct(self) -> Measure:
        return await self.turn(peers_python(), "extruct_extract.py", 1)

    def check(self, name: str, found: dict[str, dict[str, str]]) -> None:
        for url, facts in self.expected.items():
            if found.get(url) != asdict(facts):
                raise BenchFailed(f"{name} found {found.get(url)} on {url}, where {facts} stands")


def with_json_ld(number: int) -> str:
    return site.render(number, SITE).decode()


def with_microdata(number: int) -> str:
    product = replace(site.product_at(number), markup=Markup.MICRODATA)
    article = _ARTICLE.search(product_page(Shelf(product, price_at(product, 0)), [], SITE))
    assert article is not None
    return _ARTICLE.sub(lambda _: article[0], _JSON_LD.sub("", with_json_ld(number)), count=1)


def prepare(file: Path, work: Work, pages: int, render: Callable[[int], str]) -> Extracting:
    urls = [SITE + path for path in site.paths(pages)]
    file.write_text(json.dumps({url: render(number) for number, url in enumerate(urls)}))
    return Extracting(file, work, {url: site.facts_of(number) for number, url in enumerate(urls)})


def contenders(json_ld: Extracting, microdata: Extracting) -> dict[str, Turn]:
    return {
        "winnow": json_ld.winnow,
        "extruct": json_ld.extruct,
        "winnow_judged": json_ld.judged,
        "winnow_microdata": microdata.winnow,
        "extruct_microdata": microdata.extruct,
    }


async def main(work: Work) -> None:
    harness.announce("extract", asdict(work))
    with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
        json_ld = prepare(Path(folder) / "json_ld", work, work.pages, with_json_ld)
        microdata = prepare(Path(folder) / "microdata", work, work.microdata_pages, with_microdata)
        measured = await harness.interleave(contenders(json_ld, microdata), work.rounds)
    rates = harness.median_rates(measured)
    ratios = {
        "vs_extruct": rates["winnow"] / rates["extruct"],
        "vs_extruct_judged": rates["winnow_judged"] / rates["extruct"],
        "vs_extruct_microdata": rates["winnow_microdata"] / rates["extruct_microdata"],
    }
    harness.conclude("extract", ratios, medians=rates, work={**asdict(work), "unit": "pages/s"}, better={})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Structured data and fields beside extruct.")
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    arguments = parser.parse_args()
    harness.run(main(QUICK if arguments.quick else FULL))
