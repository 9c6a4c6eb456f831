"""What the server allows: the file gunzipped and copied into a table of text, without an index.

copy_feed.py DSN FILE
"""

from __future__ import annotations

import asyncio
import csv
import gzip
import json
import sys
import time

import psycopg


async def main(dsn: str, path: str) -> None:
    with gzip.open(path, "rt", newline="") as file:
        header = next(csv.reader(file))
    columns = ", ".join(f'"{name}" text' for name in header)
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as conn:
        await conn.execute(f"CREATE TABLE bare ({columns})")
        begun = time.perf_counter()
        async with conn.cursor().copy("COPY bare FROM STDIN (FORMAT csv, HEADER)") as copy:
            with gzip.open(path, "rb") as packed:
                while block := packed.read(1 << 18):
                    await copy.write(block)
        seconds = time.perf_counter() - begun
        row = await (await conn.execute("SELECT count(*) FROM bare")).fetchone()
    print(json.dumps({"copy": [seconds, row[0] if row else 0]}))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
