"""Exports all prices once: `winnow_export.py DATABASE_URL parquet|csv|copy OUT`. `copy` is a bare COPY, thrown away."""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from pathlib import Path

import psycopg

from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.publish.exports.datasets import PRICES, Audience
from winnow.publish.exports.files import stream, write_whole
from winnow.publish.exports.selection import Asked
from winnow.publish.exports.text_files import Counted, Format

COPY = "COPY (SELECT p.*, o.source_id FROM prices p JOIN source_products o ON o.id = p.source_product_id) TO STDOUT"


async def main(url: str, format: str, out: Path) -> None:
    begun = time.perf_counter()
    rows = await (copy(url) if format == "copy" else export(url, Format(format), out))
    seconds = time.perf_counter() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "rows": rows, "peak_mb": round(peak, 1)}))


async def export(url: str, format: Format, out: Path) -> int:
    counted = Counted()
    async with await Database.open(DatabaseSettings(_env_file=None, database_url=url)) as database:
        async with database.connection() as conn:
            selection = await Asked(dataset=PRICES, audience=Audience.OPERATOR).open(conn)
        await write_whole(out, stream(database, selection, format, counted))
    return counted.rows


async def copy(url: str) -> int:
    rows = 0
    async with await psycopg.AsyncConnection.connect(url) as conn:
        async with conn.cursor().copy(COPY) as copied:
            async for _ in copied:
                rows += 1
    return rows


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], Path(sys.argv[3])))
