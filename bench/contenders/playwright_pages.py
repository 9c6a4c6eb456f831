"""A raw Playwright loop: one browser, a few pages that are used again and again, nothing isolated, nothing checked.

playwright_pages.py URLS CONCURRENCY
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.async_api import Browser, async_playwright

from winnow.fetch.browser.chromium import find_chromium


async def main(urls: list[str], concurrency: int) -> tuple[float, int]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium())
        begun = time.perf_counter()
        queue = iter(urls)
        read = await asyncio.gather(*(visit(browser, queue) for _ in range(concurrency)))
        seconds = time.perf_counter() - begun
        await browser.close()
    return seconds, sum(read)


async def visit(browser: Browser, urls: Iterator[str]) -> int:
    page, read = await browser.new_page(), 0
    for url in urls:
        await page.goto(url, wait_until="load")
        read += len((await page.content()).encode())
    return read


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).read_text().split()
    seconds, size = asyncio.run(main(wanted, int(sys.argv[2])))
    print(json.dumps({"seconds": seconds, "pages": len(wanted), "bytes": size}))
