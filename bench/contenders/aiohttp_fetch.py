"""A bare aiohttp loop: every page fetched and read, nothing checked, nothing kept.

aiohttp_fetch.py URLS PASSES CONCURRENCY
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import aiohttp


async def main(urls: list[str], concurrency: int) -> tuple[float, int]:
    begun = time.perf_counter()
    queue = iter(urls)
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=concurrency)) as session:
        read = await asyncio.gather(*(visit(session, queue) for _ in range(concurrency)))
    return time.perf_counter() - begun, sum(read)


async def visit(session: aiohttp.ClientSession, urls: Iterator[str]) -> int:
    read = 0
    for url in urls:
        async with session.get(url) as response:
            read += len(await response.read())
    return read


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).read_text().split() * int(sys.argv[2])
    seconds, size = asyncio.run(main(wanted, int(sys.argv[3])))
    print(json.dumps({"seconds": seconds, "pages": len(wanted), "bytes": size}))
