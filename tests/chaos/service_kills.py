"""kill -9 the whole scraping service in the middle of its work: every job ends right, with one callback (S-040, R-27).

    python -m tests.chaos.service_kills [--tasks 500] [--jobs 20] [--kills 2]

A backend in a process of its own (tests/chaos/backend.py) submits jobs of mixed size, a third of whose targets fail in
one way or another, and listens for their callbacks. `winnow up` is killed and started again.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import psutil
from aiohttp import web

from tests.chaos.crowd import rows
from tests.ports import free_port
from winnow.db import migrate
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings

KEY, SECRET = "the-key-of-the-backend", "a-secret-both-sides-know"
SECONDS = 600.0  # for what takes one minute on an idle machine
GOOD = """<!doctype html><html lang="en"><head><title>Firm {n} Ltd</title><script type="application/ld+json">
{{"@context": "https://schema.org", "@type": "Organization", "name": "Firm {n} Ltd", "email": "office@firm{n}.com"}}
</script></head><body><h1>Firm {n} Ltd</h1><p>We repair boilers, pumps and everything in between.</p></body></html>"""
EMPTY = "<!doctype html><title></title><p>Lorem ipsum dolor.</p>"


class Site:
    """One that answers and one that does not, on ports of their own: a site that fails is a domain that fails."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def start(self) -> str:
        app = web.Application()
        app.router.add_get("/robots.txt", _open)
        app.router.add_get("/{kind}/{n}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.2)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def stop(self) -> None:
        await self._runner.cleanup()


async def _open(_: web.Request) -> web.Response:
    return web.Response(text="User-agent: *\nDisallow:\n")


async def _company(request: web.Request) -> web.Response:
    await asyncio.sleep(0.05)
    return web.Response(text=GOOD.format(n=request.match_info["n"]), content_type="text/html")


async def _trouble(request: web.Request) -> web.Response:
    kind = request.match_info["kind"]
    if kind == "hang":
        await asyncio.sleep(30)
    if kind == "empty":
        return web.Response(text=EMPTY, content_type="text/html")
    raise {"missing": web.HTTPNotFound, "broken": web.HTTPInternalServerError}.get(kind, web.HTTPGone)()


def plan(tasks: int, jobs: int, good: str, bad: str, chance: random.Random) -> list[dict[str, Any]]:
    """Jobs of very different size; the first are all good, the last all bad, the others mixed."""
    weights = [chance.random() ** 3 + 0.02 for _ in range(jobs)]
    sizes = [max(1, min(100, round(weight / sum(weights) * tasks))) for weight in weights]
    while (off := tasks - sum(sizes)) != 0:
        at = chance.randrange(jobs)
        sizes[at] = max(1, min(100, sizes[at] + (1 if off > 0 else -1)))
    pure = jobs // 5
    made = []
    for number, size in enumerate(sizes):
        failing = (
            0 if number < pure else size if number >= jobs - pure else max(1, round(size * 0.4)) if size > 1 else 0
        )
        kinds = [chance.choice(("missing", "broken", "empty", "hang")) for _ in range(failing)]
        urls = [f"{good}/firm/{number}-{n}" for n in range(size - failing)]
        urls += [f"{bad}/{kind}/{number}-{n}" for n, kind in enumerate(kinds)]
        chance.shuffle(urls)
        status = "completed" if not failing else "failed" if failing == size else "partially_completed"
        made.append({"urls": urls, "failing": failing, "status": status})
    return made


class Service:
    """`winnow up`, as an operator runs it."""

    def __init__(self, database_url: str, folder: Path) -> None:
        self.port = free_port()
        self._log = (folder / "service.log").open("ab")
        self._environment = {
            **os.environ,
            "WINNOW_DATABASE_URL": database_url,
            "WINNOW_DATA_DIR": str(folder),
            "WINNOW_EGRESS_ALLOW": "127.0.0.0/8",
            "WINNOW_API_PORT": str(self.port),
            "WINNOW_LEASE_SECONDS": "3",
            "WINNOW_UPKEEP_TICK_SECONDS": "0.5",
            "WINNOW_FETCH_TIMEOUT_MS": "3000",
            "WINNOW_LOG_LEVEL": "WARNING",
            "SCRAPER_MAX_QUEUE_DEPTH": "1000",
            "SCRAPER_SERVICE_KEY": KEY,
            "SCRAPER_WEBHOOK_SECRET": SECRET,
            "SCRAPER_BROWSER_FALLBACK": "false",
        }

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "winnow", "up", env=self._environment, stderr=self._log, stdout=self._log
        )

    async def kill(self) -> None:
        """All of it at once, so that no part has time to let go of anything."""
        supervisor = psutil.Process(self._process.pid)
        for process in [supervisor, *supervisor.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        await self._process.wait()

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.terminate()
            await asyncio.wait_for(self._process.wait(), 90)


async def service_kills(database: Database, folder: Path, tasks: int, jobs: int, kills: int) -> dict[str, Any]:
    began, chance = time.monotonic(), random.Random(11)
    fine, failing = Site(_company), Site(_trouble)
    good, bad = await fine.start(), await failing.start()
    await _allow(database, good, bad)
    planned = plan(tasks, jobs, good, bad, chance)
    (folder / "plan.json").write_text(json.dumps(planned))
    service = Service(database.url, folder)
    await service.start()
    backend = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chaos.backend", str(service.port), KEY, SECRET, str(folder)
    )
    done = 0
    try:
        for number in range(kills):
            await _ended(database, tasks * (number + 1) // (kills + 2))
            await service.kill()
            done += 1
            await service.start()
        code = await asyncio.wait_for(backend.wait(), SECONDS)
        assert code == 0, f"the backend ended with {code}"
    finally:
        if backend.returncode is None:
            backend.kill()
            await backend.wait()
        await service.stop()
        await fine.stop()
        await failing.stop()
    told = json.loads((folder / "told.json").read_text())
    await check(database, planned, told)
    return {
        "tasks": tasks,
        "jobs": jobs,
        "kills": done,
        "states": dict(Counter(job["status"] for job in planned)),
        "repeated": sum(len(t["deliveries"]) - len(set(t["deliveries"])) for t in told),
        "leases_lost": (await rows(database, "SELECT sum(losses) FROM tasks"))[0][0],
        "seconds": round(time.monotonic() - began, 1),
    }


async def _allow(database: Database, *sites: str) -> None:
    async with database.transaction() as conn:
        for url in sites:
            await conn.execute(
                "INSERT INTO domains (domain_name, base_url, tokens_per_interval, interval_seconds, "
                "max_concurrent_requests) VALUES (%s, %s, 100000, 1, 16)",
                (url.removeprefix("http://"), url),
            )


async def _ended(database: Database, n: int) -> None:
    async with asyncio.timeout(SECONDS):
        while (await rows(database, "SELECT count(*) FROM tasks WHERE finished_at IS NOT NULL"))[0][0] < n:
            await asyncio.sleep(0.05)


async def check(database: Database, planned: list[dict[str, Any]], told: list[dict[str, Any]]) -> None:
    kept = {str(row[0]): row[1:] for row in await rows(
        database, "SELECT id, status, total_tasks, completed_tasks, failed_tasks, cancelled_tasks FROM jobs"
    )}  # fmt: skip
    assert len(kept) == len(planned), f"{len(kept)} jobs for {len(planned)} submits"
    for job, heard in zip(planned, told, strict=True):
        size, failing = len(job["urls"]), job["failing"]
        wanted = (job["status"], size, size - failing, failing, 0)
        assert kept[heard["job_id"]] == wanted, f"{kept[heard['job_id']]} instead of {wanted}"
        assert len(set(heard["deliveries"])) == 1, f"callbacks of a job: {heard['deliveries']}"
        assert heard["statuses"] == [job["status"]] * len(heard["deliveries"])
        assert heard["results"] == [size - failing] * len(heard["deliveries"])
    (counted,) = await rows(
        database, "SELECT count(*), count(DISTINCT job_id) FROM deliveries WHERE status = 'delivered'"
    )
    assert counted == (len(planned), len(planned)), counted
    busy = await rows(database, "SELECT lane, queued, in_flight FROM lanes WHERE queued <> 0 OR in_flight <> 0")
    assert busy == [], f"lanes that think they are busy: {busy}"


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--kills", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="winnow-chaos-") as name:
        folder = Path(name)
        folder.chmod(0o711)
        async with await Database.open(DatabaseSettings(data_dir=folder / "database")) as database:
            await migrate.upgrade(database.url)
            done = await service_kills(database, folder, given.tasks, given.jobs, given.kills)
    print(json.dumps(done))


if __name__ == "__main__":
    asyncio.run(main())
