"""Every page of the console as a browser asks for it: `winnow api` on the large database, logged in, GET after GET.

A page is built before it is sent, its first rows included, so the answer to GET is what a person waits for.
"""

from __future__ import annotations

import asyncio
import os
import re
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

import aiohttp

from bench import harness
from bench.harness import BenchFailed
from bench.scale import Scale
from winnow.console.registry import discover
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.observe import users
from winnow.observe.users import UserRole

START_SECONDS = 120


def paths(size: Scale) -> dict[str, str]:
    """The address of each page by its pattern; what the database has nothing for is left out."""
    known = {
        "source_id": 1, "target_id": size.targets // 2, "offer_id": 1, "run_id": size.runs // 2, "entry_id": 5,
        "task_id": UUID(int=size.tasks_per_run), "adapter_id": "generic", "domain": "shop-1.test", "alert_id": 20,
        "letter_id": 1, "delivery_id": 1, "endpoint_id": 1,
    }  # fmt: skip
    found = {}
    for page in discover():
        names = re.findall(r"{(\w+)(?::\w+)?}", page.path)
        if all(name in known for name in names) and not page.path.startswith("/feed-runs"):
            found[page.path] = re.sub(r"{(\w+)(?::\w+)?}", lambda m: str(known[m[1]]), page.path)
    return found


async def measure(url: str, size: Scale, rounds: int) -> dict[str, tuple[float, float]]:
    """(first answer, median) in seconds, by page."""
    measured = {}
    async with _served(url) as base, _logged_in(url, base) as http:
        for pattern, path in paths(size).items():
            times = [await _timed(http, f"{base}/console{path}") for _ in range(rounds)]
            measured[f"page {pattern}"] = times[0], harness.median(times)
            harness.say(
                f"  page {pattern:<32}{times[0] * 1000:>9,.0f} ms first{harness.median(times) * 1000:>9,.0f} ms"
            )
    return measured


async def _timed(http: aiohttp.ClientSession, url: str) -> float:
    begun = time.perf_counter()
    async with http.get(url, allow_redirects=False) as answer:
        await answer.read()
        if answer.status != 200:
            raise BenchFailed(f"{url} answered {answer.status}")
    return time.perf_counter() - begun


@asynccontextmanager
async def _served(url: str) -> AsyncIterator[str]:
    with tempfile.TemporaryDirectory(prefix="winnow-bench-") as folder:
        port = str(_free_port())
        environment = {**os.environ, "WINNOW_DATABASE_URL": url, "WINNOW_DATA_DIR": folder, "WINNOW_API_PORT": port}
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "winnow", "api", env=environment, stderr=asyncio.subprocess.DEVNULL
        )
        try:
            await _ready(f"http://127.0.0.1:{port}/health")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            await process.wait()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


async def _ready(url: str) -> None:
    until = time.monotonic() + START_SECONDS
    async with aiohttp.ClientSession() as http:
        while time.monotonic() < until:
            try:
                async with http.get(url):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.2)
    raise BenchFailed("the API did not start")


@asynccontextmanager
async def _logged_in(url: str, base: str) -> AsyncIterator[aiohttp.ClientSession]:
    name, password = f"bench-{secrets.token_hex(4)}", secrets.token_urlsafe(16)
    async with await Database.open(DatabaseSettings(database_url=url)) as database, database.connection() as conn:
        await users.add(conn, name, password, UserRole.ADMIN, "bench")
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
        async with http.get(f"{base}/console/login") as form:
            token = re.search(r'name="form_token" value="([^"]+)"', await form.text())
        given = {"username": name, "password": password, "form_token": token[1] if token else "", "next": ""}
        async with http.post(f"{base}/console/login", data=given, headers={"Origin": base}) as answer:
            if answer.url.path.endswith("/login"):
                raise BenchFailed(f"the login was refused ({answer.status})")
        yield http
