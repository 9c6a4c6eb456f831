"""A catalogue of 500 000 rows into the database, beside a bare COPY of the same file and beside dlt.

    python -m bench.feed [--quick]

`copy` gunzips the file and copies it into a table of text without an index: no identity, no history, no presence.
Winnow runs the feed as a worker does (fetch, hash, parse, load, decide, activate, commit), from the packed file to the
end of the run: the first time, with a new file that has the same rows, and with one in which 5 % of the prices and
2 % of the titles changed. dlt merges the changed file by its key from Arrow tables into a table that holds the first.
"""

from __future__ import annotations

import sys
from pathlib import Path

if not __package__:
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import argparse
import csv
import random
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import asdict, dataclass

from isal import igzip

from bench import harness
from bench.harness import CONTENDERS, BenchFailed, Measure, ScriptRun
from bench.peers import peers_python
from bench.server import Server, private_server

HEADER = ("CatalogItemId", "SKU", "Name", "Url", "ImageUrl", "Manufacturer", "Description", "Category", "Gtin", "Price",
          "SalePrice", "Currency", "StockAvailability")  # fmt: skip
SYLLABLES = tuple(a + b + c for a in ("bra", "tor", "mel", "kin", "sol", "ven") for b in ("ta", "ri", "no", "lo", "xa")
                  for c in ("", "n", "s", "rd", "ck", "le"))  # fmt: skip
LOADS = ("first", "same", "changed")
MEMORY_MB = 400  # the promise: worker and reader together


@dataclass(frozen=True, slots=True)
class Work:
    rounds: int
    rows: int
    changed_share: float = 0.05
    retitled_share: float = 0.02


FULL = Work(rounds=3, rows=500_000)
QUICK = Work(rounds=1, rows=100_000)


def write_catalogues(folder: Path, work: Work) -> dict[str, Path]:
    """Three packed files. Ids ascend with gaps as networks export them, SKUs and words are random; a price changed
    is another price."""
    rng = random.Random(5)
    paths = {name: folder / f"{name}.csv.gz" for name in LOADS}
    with ExitStack() as open_files:
        writers = {
            name: csv.writer(open_files.enter_context(igzip.open(path, "wt", newline="")))
            for name, path in paths.items()
        }
        for writer in writers.values():
            writer.writerow(HEADER)
        for number in range(work.rows):
            row = _row(rng, number)
            writers["first"].writerow(row)
            writers["same"].writerow(row)
            if rng.random() < work.retitled_share:
                row[2] += " II"
            if rng.random() < work.changed_share:
                row[10] = f"{float(row[10]) - 0.01:.2f}"
            writers["changed"].writerow(row)
        writers["same"].writerow(())  # another file with the same rows
    return paths


def _row(rng: random.Random, number: int) -> list[str]:
    price = rng.randrange(500, 200_000)
    word = rng.choice
    return [
        str(100_000_000 + 3 * number), f"{word(SYLLABLES)}-{rng.randrange(10**6):06d}-{number}",
        " ".join(rng.choices(SYLLABLES, k=7)),
        f"https://shop.example/products/{word(SYLLABLES)}-{word(SYLLABLES)}-{number}",
        f"https://cdn.shop.example/images/{number}/large.jpg", word(SYLLABLES),
        " ".join(rng.choices(SYLLABLES, k=16)), "Sports > Outdoors", _gtin(10**9 + number),
        f"{price / 100:.2f}", f"{price * 0.9 / 100:.2f}", "USD", word(("Y", "N", "in stock")),
    ]  # fmt: skip


def _gtin(number: int) -> str:
    digits = f"{number:011d}"
    total = sum(int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(digits))
    return digits + str(-total % 10)


async def measured(server: Server, template: str, paths: dict[str, Path], work: Work) -> dict[str, list[Measure]]:
    """Each round: COPY, Winnow's three loads in one process, COPY again, dlt; a COPY figure from both sides."""
    found: dict[str, list[Measure]] = {name: [] for name in ("copy", *LOADS, "dlt")}
    peaks = []
    for number in range(work.rounds):
        found["copy"].append(await _copy(server, paths, work))
        async with server.database("bench_winnow", template) as url:
            run = await harness.run_script(sys.executable, CONTENDERS / "winnow_feed.py", url, *paths.values())
        for name in LOADS:
            found[name].append(_measure(run, name, work))
        peaks.append(float(run.result["peak_mb"]))
        found["copy"].append(await _copy(server, paths, work))
        async with server.database("bench_dlt") as url:
            run = await harness.run_script(
                peers_python(), CONTENDERS / "dlt_feed.py", url, paths["first"], paths["changed"]
            )
        found["dlt"].append(_measure(run, "changed", work))
        _say_round(number, found)
    harness.say(f"  peak memory of worker and reader: {max(peaks):.0f} MB (promise {MEMORY_MB})")
    found["peak"] = [Measure(1.0, round(max(peaks)))]
    return found


async def _copy(server: Server, paths: dict[str, Path], work: Work) -> Measure:
    async with server.database("bench_copy") as url:
        run = await harness.run_script(sys.executable, CONTENDERS / "copy_feed.py", url, paths["first"])
    return _measure(run, "copy", work)


def _measure(run: ScriptRun, name: str, work: Work) -> Measure:
    seconds, rows = run.result[name]
    if rows != work.rows:
        raise BenchFailed(f"{name} has {rows} rows of {work.rows}")
    return Measure(float(seconds), int(rows), run.cpu_seconds, run.wall_seconds)


def _say_round(number: int, found: dict[str, list[Measure]]) -> None:
    told = ", ".join(f"{name} {turns[-1].rate:,.0f}" for name, turns in found.items() if turns)
    harness.say(f"  round {number + 1} rows/s: {told}")


async def main(work: Work) -> None:
    harness.announce("feed", asdict(work))
    folder = Path(tempfile.mkdtemp(prefix="winnow-bench-feed-"))
    try:
        paths = write_catalogues(folder, work)
        async with private_server() as server:
            settings = await server.settings()
            found = await measured(server, await server.prepare_template(), paths, work)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    peak = found.pop("peak")[0].work
    rates = harness.median_rates(found)
    ratios = {f"{name}_vs_copy": rates[name] / rates["copy"] for name in LOADS}
    ratios["vs_dlt"] = rates["changed"] / rates["dlt"]
    medians = {**{f"{name}_rows_per_s": rate for name, rate in rates.items()}, "peak_memory_mb": float(peak)}
    harness.conclude("feed", ratios, medians, asdict(work), {}, server=settings)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller work, under 45 s")
    harness.run(main(QUICK if parser.parse_args().quick else FULL))
