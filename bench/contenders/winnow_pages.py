"""The browser pool: every page in a context of its own, behind the guard, with a typed outcome.

winnow_pages.py URLS CONCURRENCY [all]
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from winnow.fetch.browser.fetcher import BrowserFetcher
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.outcome import FetchRequest
from winnow.fetch.settings import BrowserSettings, FetchSettings

PAGE_LIMIT = 50  # half of the default, so that 300 pages on four browsers replace each of them once


async def main(urls: list[str], concurrency: int, block: bool, records: Path) -> tuple[float, int, int]:
    settings = BrowserSettings(
        browser_pool_size=concurrency, browser_block_resources=block, browser_page_limit=PAGE_LIMIT
    )
    guard = EgressGuard(AllowList(FetchSettings().egress_allow))
    fetcher = BrowserFetcher(settings, guard, records=records)
    await fetcher.open()
    begun = time.perf_counter()
    queue = iter(urls)
    read = await asyncio.gather(*(visit(fetcher, queue) for _ in range(concurrency)))
    seconds = time.perf_counter() - begun
    held = sum(browser.chromium.private_memory() for browser in fetcher.pool.instances)
    await fetcher.close()
    return seconds, sum(read), held // concurrency


async def visit(fetcher: BrowserFetcher, urls: Iterator[str]) -> int:
    read = 0
    for url in urls:
        result = await fetcher.fetch(FetchRequest(url=url))
        if result.body is None:
            raise SystemExit(f"{url} ended {result.outcome}: {result.error}")
        read += len(result.body)
    return read


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).read_text().split()
    with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
        seconds, size, held = asyncio.run(main(wanted, int(sys.argv[2]), "all" not in sys.argv[3:], Path(folder)))
    print(json.dumps({"seconds": seconds, "pages": len(wanted), "bytes": size, "browser_bytes": held}))
