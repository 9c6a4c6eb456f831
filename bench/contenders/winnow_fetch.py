"""The guarded fetcher: URL door, egress guard, robots, deadlines, byte limits, charset and content hash.

winnow_fetch.py URLS PASSES CONCURRENCY
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from winnow.fetch.egress.allow import AllowList
from winnow.fetch.egress.guard import EgressGuard
from winnow.fetch.http.client import HttpFetcher
from winnow.fetch.outcome import FetchRequest, Outcome
from winnow.fetch.robots.rules import RobotsRules, parse, robots_url
from winnow.fetch.settings import FetchSettings
from winnow.fetch.url import parse_url


async def main(urls: list[str], concurrency: int) -> tuple[float, int]:
    settings = FetchSettings()
    guard = EgressGuard(AllowList(settings.egress_allow))
    fetcher = HttpFetcher(settings, guard)
    await fetcher.open()
    answer = await fetcher.fetch(FetchRequest(url=robots_url(parse_url(urls[0], guard.allow).origin)))
    rules, queue = parse(answer.body or b""), iter(urls)
    begun = time.perf_counter()
    read = await asyncio.gather(*(visit(fetcher, guard, rules, queue) for _ in range(concurrency)))
    seconds = time.perf_counter() - begun
    await fetcher.close()
    return seconds, sum(read)


async def visit(fetcher: HttpFetcher, guard: EgressGuard, rules: RobotsRules, urls: Iterator[str]) -> int:
    read = 0
    for url in urls:
        if not rules.decide_both(guard.check(url).target, "Winnow").allowed:
            raise SystemExit(f"robots.txt forbids {url}")
        result = await fetcher.fetch(FetchRequest(url=url))
        if result.outcome is not Outcome.OK or result.body is None:
            raise SystemExit(f"{url} ended {result.outcome}: {result.error}")
        read += len(result.body)
    return read


if __name__ == "__main__":
    wanted = Path(sys.argv[1]).read_text().split() * int(sys.argv[2])
    seconds, size = asyncio.run(main(wanted, int(sys.argv[3])))
    print(json.dumps({"seconds": seconds, "pages": len(wanted), "bytes": size}))
