"""The console in a real browser. One server (`winnow api`, on a fresh database) and one browser for a module.

Every page a test opens is watched: an error in the browser's console, a failed request, or a request that leaves
127.0.0.1 fails the test. `shot` keeps a screenshot in build/console/.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, Request, async_playwright, expect
from psycopg.conninfo import make_conninfo

from tests.conftest import made
from tests.missing import missing
from tests.ports import free_port
from tests.waiting import LIMIT, until, wait_until
from winnow.console.urls import COOKIE
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.fetch.browser.chromium import find_chromium
from winnow.observe import sessions, users
from winnow.observe.users import UserRole

SHOTS = Path(__file__).parents[2] / "build/console"
PASSWORD = "a-password-for-tests"
PATIENCE = LIMIT * 1_000  # ms
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1280, "height": 860}

shared = partial(pytest_asyncio.fixture, loop_scope="session")

expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything here shares one event loop, as it shares the browser."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and pytest_asyncio.is_async_test(item):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)
            item.add_marker(pytest.mark.browser)


@dataclass
class Served:
    """The running console and the database behind it."""

    url: str
    database_url: str
    data_dir: Path

    def sql(self, statement: str, *given: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.database_url, autocommit=True) as connection:
            cursor = connection.execute(statement, given)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    @asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        settings = DatabaseSettings(database_url=self.database_url, data_dir=self.data_dir, database_wait_seconds=60)
        async with await Database.open(settings) as opened:
            yield opened

    def audited(self, action: str) -> list[tuple[Any, ...]]:
        """(actor, object_id, after) of every such entry of the trail."""
        return self.sql("SELECT actor, object_id, after FROM audit_log WHERE action = %s ORDER BY id", action)


@pytest.fixture(scope="module")
def served(
    server_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory, more_environment: dict[str, str]
) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("console")
    with made(server_url, f"winnow_console_{secrets.token_hex(6)}", template_database) as name:
        url, port = make_conninfo(server_url, dbname=name), free_port()
        environment = {
            **os.environ,
            "WINNOW_DATABASE_URL": url,
            "WINNOW_DATA_DIR": str(folder),
            "WINNOW_API_HOST": "127.0.0.1",
            "WINNOW_API_PORT": str(port),
            "WINNOW_LOG_LEVEL": "WARNING",
            **more_environment,
        }
        with (folder / "log").open("w") as log:
            process = subprocess.Popen([sys.executable, "-m", "winnow", "api"], env=environment, cwd=folder, stderr=log)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", process, folder / "log")
            yield Served(f"http://127.0.0.1:{port}{environment.get('WINNOW_PATH_PREFIX', '')}/console", url, folder)
        finally:
            process.terminate()
            process.wait(LIMIT)


@pytest.fixture(scope="module")
def more_environment() -> dict[str, str]:
    """A module that needs other settings overrides this."""
    return {}


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    def answers() -> bool:
        assert process.poll() is None, f"the server ended: {log.read_text()}"
        try:
            with urllib.request.urlopen(url, timeout=LIMIT):
                return True
        except (urllib.error.URLError, OSError):
            return False

    wait_until(answers)


@shared(scope="module")
async def people(served: Served) -> None:
    """One person for each role: admin, operator, viewer."""
    async with served.database() as database, database.connection() as conn:
        for role in UserRole:
            await users.add(conn, role.value, PASSWORD, role, "tests")


@shared(scope="session")
async def browser() -> AsyncIterator[Browser]:
    program = find_chromium()
    if program is None:
        missing("Chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=str(program), args=["--no-sandbox"])
        yield browser
        await browser.close()


@dataclass
class Watched:
    """What a page did that it must not."""

    wrong: list[str] = field(default_factory=list)
    forgiven: list[str] = field(default_factory=list)  # patterns a test expects

    def message(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.note(f"console: {message.text} {message.location.get('url', '')}")

    def request(self, request: Request) -> None:
        if not re.match(r"(https?|wss?)://127\.0\.0\.1:\d+/|data:|blob:|about:", request.url):
            self.note(f"left the machine: {request.url}")

    def failed(self, request: Request) -> None:
        if "ERR_ABORTED" not in (request.failure or ""):  # a page that was left on purpose
            self.note(f"failed: {request.url} {request.failure}")

    def note(self, text: str) -> None:
        self.wrong.append(text)

    def left(self) -> list[str]:
        return [w for w in self.wrong if not any(re.search(p, w) for p in self.forgiven)]


Opened = Callable[..., Awaitable[Page]]


@shared()
async def watched() -> AsyncIterator[Watched]:
    found = Watched()
    yield found
    assert not found.left()


# Notes vanish after a few seconds, and a slow machine may look later: the page keeps them in `window.wSaid`.
_REMEMBER_WHAT_WAS_SAID = """
new MutationObserver((changes) => {
  for (const change of changes) for (const added of change.addedNodes) {
    if (added.nodeType !== 1) continue;
    const notes = added.matches(".q-notification") ? [added] : added.querySelectorAll(".q-notification");
    for (const note of notes) (window.wSaid ??= []).push(note.textContent);
  }
}).observe(document, { childList: true, subtree: true });
"""


async def context_of(browser: Browser, watched: Watched, **options: Any) -> BrowserContext:
    context = await browser.new_context(viewport=options.pop("viewport", WIDE), reduced_motion="reduce", **options)
    context.set_default_timeout(PATIENCE)
    await context.add_init_script(_REMEMBER_WHAT_WAS_SAID)
    context.on("console", watched.message)
    context.on("request", watched.request)
    context.on("requestfailed", watched.failed)
    context.on("weberror", lambda error: watched.note(f"script: {error.error}"))
    return context


@shared()
async def stranger(browser: Browser, watched: Watched) -> AsyncIterator[BrowserContext]:
    """Nobody is logged in."""
    context = await context_of(browser, watched)
    yield context
    await context.close()


@shared()
async def open_as(browser: Browser, watched: Watched, served: Served, people: None) -> AsyncIterator[Opened]:
    """`page = await open_as("operator", "/runs")`; narrow=True for a telephone, dark=True for the dark theme."""
    contexts: list[BrowserContext] = []

    async def opened(role: str, path: str = "/", *, narrow: bool = False, dark: bool = False) -> Page:
        context = await context_of(
            browser, watched, viewport=NARROW if narrow else WIDE, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        await context.add_cookies([{"name": COOKIE, "value": await session_of(served, role), "url": served.url}])
        page = await context.new_page()
        await page.goto(served.url + path)
        await settled(page)
        return page

    yield opened
    for context in contexts:
        await context.close()


async def session_of(served: Served, name: str) -> str:
    """As if they had logged in: through the form it takes another page, and a hash that is slow on purpose."""
    async with await psycopg.AsyncConnection.connect(served.database_url, autocommit=True) as conn:
        user_id = served.sql("SELECT id FROM users WHERE username = %s", name)[0][0]
        return await sessions.begin(conn, user_id, address=None, agent=None)


async def log_in(page: Page, url: str, name: str, password: str = PASSWORD) -> None:
    await page.goto(f"{url}/login")
    await page.get_by_label("Name").fill(name)
    await page.get_by_label("Password").fill(password)
    await page.get_by_role("button", name="Log in").click()
    await page.wait_for_url(re.compile(rf"{re.escape(url)}/(?!login)"))
    await settled(page)


async def settled(page: Page) -> None:
    """The page is drawn and its socket is open: what is clicked now reaches the server."""
    await page.wait_for_selector("h1, [role=alert]")
    await page.wait_for_function("() => window.socket === undefined || window.socket.connected")


async def shot(page: Page, name: str) -> None:
    SHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SHOTS / f"{name}.png", full_page=True)


async def check_accessible(page: Page) -> None:
    """axe: nothing serious or critical."""
    found = await Axe().run(page)
    serious = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    told = [
        f"{v['id']}: {n['html'][:200]} {n.get('failureSummary', '')[:300]}" for v in serious for n in v["nodes"][:3]
    ]
    assert not serious, "\n".join(told)


async def no_sideways_scroll(page: Page) -> None:
    wide = await page.evaluate("() => document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 1, f"the page is {wide} px wider than the screen"


@contextmanager
def demoted(served: Served, name: str, role: str) -> Iterator[None]:
    """While a page of theirs is open, somebody has another role: what is pressed then is decided by that one."""
    served.sql("UPDATE users SET role = %s WHERE username = %s", role, name)
    try:
        yield
    finally:
        served.sql("UPDATE users SET role = %s WHERE username = %s", name, name)


async def becomes(served: Served, statement: str, wanted: list[tuple[Any, ...]]) -> None:
    """Waits until the database says so: a note on the page is gone after a few seconds."""
    await until(lambda: served.sql(statement) == wanted)
