"""What the properties are tried on. Every step is the platform's own: the API, the claim, the commit, the outbox."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import Any, TypeVar

import httpx
import msgspec
from fastapi import FastAPI

from tests.api.conftest import Checked
from winnow import settings as all_settings
from winnow.api.app import create_app
from winnow.db.engine import Database
from winnow.db.settings import DatabaseSettings
from winnow.fetch.settings import FetchSettings
from winnow.judge.verdict import Decision, Verdict
from winnow.kinds.assess import Assessment, Judged
from winnow.kinds.company import COMPANY
from winnow.kinds.kind import Content
from winnow.run import endings
from winnow.run.brief import Brief
from winnow.run.commit.persist import persist
from winnow.run.visit import Ending, Visit
from winnow.schedule.circuit import CircuitRules
from winnow.schedule.queue import queue
from winnow.schedule.queue.task import Claimed, Stage, Status
from winnow.settings import Settings

T = TypeVar("T")

KEY = "the-key-of-the-backend"
SCRAPE = "/api/v1/scrape"
DOMAIN = "example.com"
CALLBACK = "https://backend.example.org/told"

_RESET = """
DELETE FROM tasks; DELETE FROM task_archive; DELETE FROM jobs; DELETE FROM lanes; DELETE FROM deliveries;
DELETE FROM enrichment_results; DELETE FROM domain_circuits; DELETE FROM proxy_uses; DELETE FROM proxies;
DELETE FROM submissions; DELETE FROM dead_letters;
"""
_LANE = """
INSERT INTO lanes (lane, tokens, interval_seconds, spacing_seconds, max_concurrent, limits_from)
VALUES (%s, 1000000, 0.001, 0, 100000, '{"rate": "domain"}')
"""


def asked(path: str = "/", **more: Any) -> dict[str, Any]:
    return {
        "target_type": "company_website",
        "target_url": f"https://www.{DOMAIN}{path}",
        "workspace_id": "ws_1",
        **more,
    }


class World:
    def __init__(self, runner: asyncio.Runner, database: Database, settings: Settings, app: FastAPI) -> None:
        self._runner = runner
        self.database = database
        self.settings = settings
        self.app = app
        self.http = httpx.AsyncClient(transport=Checked(app), base_url="http://winnow.test")

    @classmethod
    @contextmanager
    def opened(cls, db: DatabaseSettings) -> Iterator[World]:
        loaded = all_settings.load()
        settings = dataclasses.replace(
            loaded,
            db=db,
            fetch=FetchSettings(_env_file=None, egress_allow=("127.0.0.0/8",)),
            api=loaded.api.model_copy(update={"service_key": KEY}),
            browser=loaded.browser.model_copy(update={"browser_fallback": False}),
        )
        with asyncio.Runner() as runner:
            stack = AsyncExitStack()
            database = runner.run(stack.enter_async_context(_open(db)))
            yield cls(runner, database, settings, create_app(database, settings))
            runner.run(stack.aclose())

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._runner.run(work)

    def reset(self) -> None:
        self.run(self._reset())

    async def _reset(self) -> None:
        async with self.database.connection() as conn:
            await conn.execute(_RESET)
            await conn.execute(_LANE, (DOMAIN,))

    async def call(self, method: str, path: str, status: int | None = None, **more: Any) -> Any:
        headers = {"X-Service-Key": KEY, **more.pop("headers", {})}
        answer = await self.http.request(method, path, headers=headers, **more)
        if status is not None:
            assert answer.status_code == status, answer.text
        return answer.json()["data"]

    async def submit(self, **more: Any) -> str:
        return str((await self.call("POST", SCRAPE, 202, json=asked(**more)))["task_id"])

    async def submit_job(self, n: int, **more: Any) -> str:
        body = {"targets": [asked(f"/{i}") for i in range(n)], **more}
        return str((await self.call("POST", f"{SCRAPE}/batch", 202, json=body))["job_id"])

    async def rows(self, statement: str, *given: object) -> list[Any]:
        async with self.database.connection() as conn:
            found = await conn.execute(statement, given)
            return [row[0] if len(row) == 1 else row for row in await found.fetchall()] if found.description else []

    async def claim(self, n: int) -> list[Claimed]:
        async with self.database.connection() as conn:
            return await queue.claim(conn, "worker", n, 60.0)

    async def finish(self, ends: Sequence[tuple[Claimed, bool]], result: Mapping[str, Any] | None = None) -> None:
        """Each with a result, or as a page that could not be had: one commit, as a worker makes it."""
        visits = [visit_of(task, done, dict(result or {"company_name": task.url})) for task, done in ends]
        async with self.database.transaction() as conn:
            written = await persist(conn, visits, {}, CircuitRules())
        assert written.settled == {task.id for task, _ in ends}

    async def told(self) -> list[dict[str, Any]]:
        return await self.rows("SELECT payload FROM deliveries ORDER BY id")


def _open(db: DatabaseSettings) -> Any:
    class Opened:
        async def __aenter__(self) -> Database:
            self.database = await Database.open(db)
            return self.database

        async def __aexit__(self, *_: object) -> None:
            await self.database.close()

    return Opened()


def visit_of(task: Claimed, done: bool, data: dict[str, Any], reason: str = "http_404") -> Visit:
    if not done:
        failed = Ending(status=Status.FAILED, stage=Stage.FETCH, outcome="error", reason=reason, error="404")
        return Visit(task, Brief(id=task.id), ending=failed)
    accept = Verdict(Decision.ACCEPT)
    encoded = msgspec.json.encode(data)
    content = Content(payload=encoded, digest="")
    judged = Judged(key="company", draft=0, verdict=accept, content=content)
    ended = Ending(status=Status.DONE, stage=Stage.DONE, outcome=endings.ACCEPTED)
    return Visit(task, Brief(id=task.id), kind=COMPANY, assessment=Assessment(records=[judged]), ending=ended)
