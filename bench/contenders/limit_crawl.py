"""What the machine allows: a bare aiohttp loop, Lexbor, the same fields, one line of JSON for each page.

    limit_crawl.py URLS OUT CONCURRENCY

No queue, no robots, no politeness, no judging, nothing durable: the pipeline is measured against it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import aiohttp
import orjson
from selectolax.lexbor import LexborHTMLParser


async def main(urls: list[str], out: IO[bytes], concurrency: int) -> float:
    begun = time.perf_counter()
    queue = iter(urls)
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        await asyncio.gather(*(visit(session, queue, out) for _ in range(concurrency)))
    out.flush()
    return time.perf_counter() - begun


async def visit(session: aiohttp.ClientSession, urls: Iterator[str], out: IO[bytes]) -> None:
    for url in urls:
        async with session.get(url) as response:
            body = await response.read()
        out.write(orjson.dumps({"url": url, **fields(body)}) + b"\n")


def fields(body: bytes) -> dict[str, str]:
    for node in LexborHTMLParser(body).css('script[type="application/ld+json"]'):
        for thing in things(orjson.loads(node.text())):
            if thing.get("@type") == "Product":
                return offer(thing)
    return {}


def things(data: dict[str, Any]) -> list[dict[str, Any]]:
    return data.get("@graph", [data])


def offer(thing: dict[str, Any]) -> dict[str, str]:
    offered = thing["offers"]
    return {
        "title": thing["name"],
        "price": offered["price"],
        "currency": offered["priceCurrency"],
        "availability": offered["availability"].rsplit("/", 1)[-1],
        "sku": thing["sku"],
        "brand": thing["brand"]["name"],
    }


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).read_text().split()
    with Path(sys.argv[2]).open("wb") as file:
        seconds = asyncio.run(main(wanted, file, int(sys.argv[3])))
    print(json.dumps({"seconds": seconds, "pages": len(wanted)}))
