"""Export of the price history to Parquet, beside a bare COPY of the same rows to nowhere.

    python -m bench.export --quick

Each turn is a process of its own, so that its peak of memory is its own. A turn that exports fewer rows than there are
fails the benchmark.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import asdict, replace
from pathlib import Path

import psycopg

from bench import harness, scale, server
from bench.harness import CONTENDERS, Measure

PROMISED_ROWS, PROMISED_MB = 300_000, 300
ROUNDS = 3
FULL = replace(scale.FULL, sources=500, targets=50_000, rounds=20, long_history=0)
QUICK = replace(scale.QUICK, targets=20_000, rounds=10, long_history=0)
PARTS = ("retailers", "sources", "trust", "offers", "prices")


async def main(work: scale.Scale) -> None:
    harness.announce("export", {"prices": work.prices, "offers": work.targets})
    async with server.private_server() as private:
        await private.prepare_template()
        url = await private.keep("export", server.TEMPLATE)
        await _fill(url, work)
        peaks: list[float] = []
        contenders = {
            "winnow": _turn(url, "parquet", work.prices, peaks),
            "csv": _turn(url, "csv", work.prices, []),
            "copy": _turn(url, "copy", work.prices, []),
        }
        measured = await harness.interleave(contenders, ROUNDS)
        settings = await private.settings()
    rates = harness.median_rates(measured)
    harness.conclude(
        "export",
        {
            "vs_copy": rates["winnow"] / rates["copy"],
            "csv_vs_copy": rates["csv"] / rates["copy"],
            "rows_over_promise": rates["winnow"] / PROMISED_ROWS,
            "memory_over_promise": max(peaks) / PROMISED_MB,
        },
        {**rates, "peak_memory_mb": max(peaks)},
        {"prices": work.prices},
        {"memory_over_promise": "lower is better"},
        server=settings,
    )


async def _fill(url: str, work: scale.Scale) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as conn:
        await conn.execute("SET winnow.latest_by_writer = 'on'")
        cursor = psycopg.AsyncClientCursor(conn)
        for name in PARTS:
            await cursor.execute(scale.FILL[name], asdict(work))  # type: ignore[call-overload]
        await conn.execute("VACUUM ANALYZE")


def _turn(url: str, format: str, rows: int, peaks: list[float]) -> Callable[[], Awaitable[Measure]]:
    async def turn() -> Measure:
        with tempfile.TemporaryDirectory(prefix="winnow-export-") as folder:
            out = Path(folder) / f"prices.{format}"
            done = await harness.run_script(sys.executable, CONTENDERS / "winnow_export.py", url, format, out)
        if done.result["rows"] != rows:
            raise harness.BenchFailed(f"{format} exported {done.result['rows']} of {rows} rows")
        peaks.append(float(done.result["peak_mb"]))
        return done.measure("rows")

    return turn


if __name__ == "__main__":
    harness.run(main(QUICK if "--quick" in sys.argv else FULL))
