"""Four workers, one domain at 5 requests in any 2 s: never more, as the site itself saw it, with a worker killed and
the database restarted in between (property 22, DESIGN §11.10 … 12).

    python -m tests.chaos.politeness [--seconds 60] [--workers 4]

The site notes when each request arrives, by its own clock. It counts robots.txt and retries like any other request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from aiohttp import web

from tests.chaos.crowd import Process, add_source, rows, start, start_run
from tests.chaos.restart_database import PRIVATE, Server
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.demo import pages
from winnow.demo.catalogue import make_product
from winnow.demo.pages import Shelf
from winnow.observe import logs
from winnow.observe.settings import ObserveSettings

TOKENS, INTERVAL = 5, 2.0
AWAY = 3.0  # seconds without a database


@dataclass
class Watchful:
    """A shop that writes down when it was asked."""

    url: str = ""
    seen: list[float] = field(default_factory=list)
    _runner: web.AppRunner | None = None

    async def open(self) -> Watchful:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._serve)
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def close(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _serve(self, request: web.Request) -> web.Response:
        self.seen.append(time.monotonic())
        if request.path == "/robots.txt":
            return web.Response(text="User-agent: *\nDisallow:\n")
        product = make_product(int(request.path.rsplit("/", 1)[-1]), seed=3)
        html = pages.product_page(Shelf(product, product.base_cents), (), self.url)
        return web.Response(text=html, content_type="text/html")


def most_within(times: list[float], seconds: float) -> int:
    """The most requests in any window of that length."""
    first, most = 0, 0
    for last, at in enumerate(times):
        while at - times[first] >= seconds:
            first += 1
        most = max(most, last - first + 1)
    return most


async def politeness(folder: Path, seconds: float, workers: int) -> dict[str, object]:
    """Raises when the site was asked more often than allowed, or hardly at all."""
    async with await Database.open(DatabaseSettings(data_dir=folder)) as database:
        await migrate.upgrade(database.url)
        shop = await Watchful().open()
        try:
            enough = int(seconds / INTERVAL * TOKENS * 2)
            urls = [f"{shop.url}/p/{n}" for n in range(enough)]
            source = await add_source(database, urls, tokens=TOKENS, concurrent=64, interval=INTERVAL)
            await _disturbed(folder, seconds, workers, lambda: start_run(database, source))
            asked = list(shop.seen)
        finally:
            await shop.close()
        done = await rows(database, "SELECT count(*) FROM tasks WHERE status = 'done'")
    return _verdict(asked, seconds, int(done[0][0]))


async def _disturbed(folder: Path, seconds: float, workers: int, begin: Callable[[], Awaitable[object]]) -> None:
    """The workers at work; one is killed after a third of the time, the database restarted after two."""
    async with AsyncExitStack() as stack:
        crew = await asyncio.gather(
            *(_started(folder, part, n) for n, part in enumerate(["upkeep", *["worker"] * workers]))
        )
        for process in crew:
            stack.push_async_callback(process.stop)
        await begin()
        await asyncio.sleep(seconds / 3)
        await crew[1].kill()
        stack.push_async_callback((await start("worker", PRIVATE, folder)).stop)
        await asyncio.sleep(seconds / 3)
        await Server(folder).away(AWAY)
        await asyncio.sleep(max(0.0, seconds / 3 - AWAY))


async def _started(folder: Path, command: str, number: int) -> Process:
    return await start(command, PRIVATE, folder, log=folder / f"{number}.log")


def _verdict(asked: list[float], seconds: float, done: int) -> dict[str, object]:
    assert len(asked) > TOKENS, asked
    most = most_within(asked, INTERVAL)
    closest = min(b - a for a, b in zip(asked, asked[TOKENS:], strict=False))
    longest = max(b - a for a, b in pairwise(asked))
    figures: dict[str, object] = {
        "requests": len(asked),
        "most_in_any_2s": most,
        "closest_six_s": round(closest, 3),
        "longest_gap_s": round(longest, 1),
        "done": done,
        "possible": int(seconds / INTERVAL * TOKENS),
        "seconds": round(asked[-1] - asked[0], 1),
    }
    assert most <= TOKENS, f"impolite: {figures}"
    # polite is not idle: at least half of what was allowed, outage and killed worker included
    assert len(asked) >= seconds / INTERVAL * TOKENS / 2, f"idle: {figures}"
    assert done >= len(asked) / 2, figures
    return figures


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--workers", type=int, default=4)
    given = parser.parse_args()
    logs.configure(ObserveSettings(log_level="ERROR"))
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as folder:
        Path(folder).chmod(0o711)
        print(json.dumps(await politeness(Path(folder), given.seconds, given.workers)))


if __name__ == "__main__":
    asyncio.run(main())
