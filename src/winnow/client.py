"""A thin client of the scraping service, for backends.

    with Client("https://winnow.internal:8001", key) as winnow:
        found = winnow.scrape("company_website", "https://example.com/", workspace_id="ws_1")
        job = winnow.submit_batch([Target("job_posting", url, "ws_1") for url in urls], callback_url=hook)

    async with AsyncClient(…) as winnow:
        task_id = await winnow.submit(Target("job_posting", url, "ws_1"))
        task = await winnow.wait_task(task_id)

What failed on the way (no connection, 429, 502, 503, 504) is tried again; a submit carries an Idempotency-Key, so that
trying again makes no second task. `scrape` is tried again when its answer was lost, or while the service takes no work
(full, stopping, its database away): what it says about the page, 504 included, is its answer. Callbacks are checked
with `verify`, which raises NotGenuine.
Needs `pip install winnow[client]`.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpx
import msgspec

from winnow.webhooks import NotGenuine, verify

__all__ = ["AsyncClient", "Client", "Job", "NotGenuine", "Result", "ScrapeFailed", "Target", "Task", "verify"]

RETRIED = frozenset({429, 502, 503, 504})
NOT_TAKEN = frozenset({"queue_full", "stopping", "database_unavailable"})  # codes of a 503: nothing was begun
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0  # seconds, doubling, unless the service says when
OVER = frozenset({"completed", "failed", "cancelled", "partially_completed"})


class ScrapeFailed(Exception):
    """The service's own answer: `status` 0 when there was none. `details` name the wrong fields of a 422; `code` is the
    stable word for the failure; `task_id` the task of a sync scrape that failed or was late, to be read with `task`."""

    def __init__(self, status: int, message: str, meta: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{status}: {message}" if status else message)
        meta = meta or {}
        self.status = status
        self.details: list[dict[str, Any]] = list(meta.get("details") or ())
        self.code = str(meta.get("code") or "")
        self.task_id: str | None = meta.get("task_id")
        self.request_id = str(meta.get("request_id") or "")


class Target(msgspec.Struct, frozen=True, omit_defaults=True):
    target_type: str
    target_url: str
    workspace_id: str
    requested_fields: list[str] | None = None
    callback_url: str | None = None
    credential_provider: str | None = None


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """`result` is there when `status` is completed; `error`: why it failed, `problems`: why each null field is null."""

    id: str
    status: str
    target_type: str
    target_url: str
    workspace_id: str | None = None
    requested_fields: list[str] | None = None
    job_id: str | None = None
    result: dict[str, Any] | None = None
    further_results: list[dict[str, Any]] = []
    problems: dict[str, str] = {}
    error: str | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None

    @property
    def over(self) -> bool:
        return self.status in OVER


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """Result of one completed task of a job. `result` is null after its retention period; `problems` as in Task."""

    task_id: str
    target_type: str
    target_url: str
    result: dict[str, Any] | None = None
    problems: dict[str, str] = {}


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """`task_ids` in the order of the targets, when it is read with `job` or `wait`."""

    id: str
    task_ids: list[str] = []
    status: str
    total_tasks: int
    completed_tasks: int = 0
    failed_tasks: int = 0
    cancelled_tasks: int = 0
    callback_url: str | None = None
    created_at: datetime | None = None
    finished_at: datetime | None = None

    @property
    def over(self) -> bool:
        return self.status in OVER


class _Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request, the same for both clients. `patience` is added to the time-out: the service itself waits, and what
    it says then is mostly about the page."""

    method: str
    path: str
    json: Any = None
    key: str | None = None
    patience: float = 0.0


def _submit(target: Target, key: str | None) -> _Call:
    return _Call(method="POST", path="/scrape", json=msgspec.to_builtins(target), key=key or str(uuid4()))


def _batch(targets: Sequence[Target], callback_url: str | None, key: str | None) -> _Call:
    body = {"targets": [msgspec.to_builtins(target) for target in targets], "callback_url": callback_url}
    return _Call(method="POST", path="/scrape/batch", json=body, key=key or str(uuid4()))


def _sync(target: Target, seconds: int, key: str | None) -> _Call:
    body = msgspec.to_builtins(target) | {"timeout_seconds": seconds}
    return _Call(method="POST", path="/scrape/sync", json=body, key=key or str(uuid4()), patience=float(seconds))


def _task_of(data: Any) -> Task:
    return msgspec.convert(data, Task)


def _job_of(data: dict[str, Any]) -> Job:
    return msgspec.convert(data | {"id": data.get("id") or data["job_id"]}, Job)


def _task(task_id: str) -> _Call:
    return _Call(method="GET", path=f"/scrape/{task_id}")


def _job(job_id: str) -> _Call:
    return _Call(method="GET", path=f"/scrape/jobs/{job_id}")


def _results(job_id: str) -> _Call:
    return _Call(method="GET", path=f"/scrape/jobs/{job_id}/results")


def _cancel(job_id: str) -> _Call:
    return _Call(method="POST", path=f"/scrape/jobs/{job_id}/cancel")


def _may_pass(call: _Call, answer: httpx.Response) -> bool:
    if not call.patience:
        return answer.status_code in RETRIED
    return answer.status_code == httpx.codes.SERVICE_UNAVAILABLE and _meta(answer).get("code") in NOT_TAKEN


def _meta(answer: httpx.Response) -> dict[str, Any]:
    try:
        body = answer.json()
    except ValueError:
        return {}
    meta = body.get("meta") if isinstance(body, dict) else None
    return meta if isinstance(meta, dict) else {}


def _still(found: Task | Job) -> TimeoutError:
    return TimeoutError(f"{type(found).__name__.lower()} {found.id} is still {found.status}")


def _pause(attempt: int, answer: httpx.Response | None, chance: random.Random) -> float:
    value = "" if answer is None else answer.headers.get("retry-after", "")
    if value.isdigit():
        return min(float(value), LONGEST_PAUSE)
    grown: float = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**attempt)
    return grown * (0.5 + chance.random() / 2)


def _read(answer: httpx.Response) -> Any:
    """The data of an answer, or what went wrong."""
    try:
        body = answer.json()
    except ValueError:
        raise ScrapeFailed(answer.status_code, "the answer is no JSON") from None
    if answer.status_code < 400 and isinstance(body, dict) and body.get("success"):
        return body["data"]
    error = body.get("error") if isinstance(body, dict) else None
    raise ScrapeFailed(answer.status_code, str(error or "unknown"), _meta(answer))


class _Both:
    def __init__(self, url: str, key: str, *, timeout: float = 10.0, attempts: int = 4, **more: Any) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError("the service's address begins with https:// or http://")
        self._attempts = attempts
        self._timeout = timeout
        self._chance = random.Random()
        self._http = self._open(
            base_url=f"{url.rstrip('/')}/api/v1", headers={"X-Service-Key": key}, timeout=timeout, **more
        )

    def _open(self, **how: Any) -> Any:
        raise NotImplementedError

    def _request(self, call: _Call) -> httpx.Request:
        headers = {} if call.key is None else {"Idempotency-Key": call.key}
        request: httpx.Request = self._http.build_request(
            call.method, call.path, json=call.json, headers=headers, timeout=self._timeout + call.patience
        )
        return request

    def _final(self, call: _Call, attempt: int, answer: httpx.Response | None) -> bool:
        passing = answer is None or _may_pass(call, answer)
        return not passing or attempt + 1 >= self._attempts


class Client(_Both):
    def _open(self, **how: Any) -> httpx.Client:
        return httpx.Client(**how)

    def submit(self, target: Target, *, key: str | None = None) -> str:
        """The id of the task. The same `key` finds the same task again."""
        return str(self._send(_submit(target, key))["task_id"])

    def scrape(
        self,
        target_type: str,
        target_url: str,
        workspace_id: str,
        *,
        fields: list[str] | None = None,
        credential_provider: str | None = None,
        seconds: int = 60,
        key: str | None = None,
    ) -> Task:
        """Wait for the result; ScrapeFailed is raised with 504 after `seconds` (5 to 120), and with 502 for a page that
        could not be read. The same `key` finds the same task again."""
        target = Target(target_type, target_url, workspace_id, fields, None, credential_provider)
        return _task_of(self._send(_sync(target, seconds, key)))

    def submit_batch(
        self, targets: Sequence[Target], *, callback_url: str | None = None, key: str | None = None
    ) -> Job:
        """All of them or none, 1 to 100. The same `key` finds the same job again."""
        return _job_of(self._send(_batch(targets, callback_url, key)))

    def task(self, task_id: str) -> Task:
        return _task_of(self._send(_task(task_id)))

    def job(self, job_id: str) -> Job:
        return _job_of(self._send(_job(job_id)))

    def results(self, job_id: str) -> list[Result]:
        """Of the tasks that are completed by now."""
        return msgspec.convert(self._send(_results(job_id)), list[Result])

    def cancel(self, job_id: str) -> int:
        """Cancel the job and return how many tasks will not run; running tasks finish. 409 when the job has ended."""
        return int(self._send(_cancel(job_id))["cancelled"])

    def wait(self, job_id: str, *, seconds: float = 600.0, every: float = 1.0) -> Job:
        """Wait until the job has ended; TimeoutError when that takes longer than `seconds`."""
        until = time.monotonic() + seconds
        while not (found := self.job(job_id)).over:
            if time.monotonic() + every > until:
                raise _still(found)
            time.sleep(every)
        return found

    def wait_task(self, task_id: str, *, seconds: float = 600.0, every: float = 1.0) -> Task:
        """The same for one task."""
        until = time.monotonic() + seconds
        while not (found := self.task(task_id)).over:
            if time.monotonic() + every > until:
                raise _still(found)
            time.sleep(every)
        return found

    def _send(self, call: _Call) -> Any:
        attempt = 0
        while True:
            answer: httpx.Response | None = None
            try:
                answer = self._http.send(self._request(call))
            except httpx.TransportError as away:
                if self._final(call, attempt, None):
                    raise ScrapeFailed(0, f"no answer: {type(away).__name__}") from away
            if answer is not None and self._final(call, attempt, answer):
                return _read(answer)
            time.sleep(_pause(attempt, answer, self._chance))
            attempt += 1

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncClient(_Both):
    """The same calls, awaited."""

    def _open(self, **how: Any) -> httpx.AsyncClient:
        return httpx.AsyncClient(**how)

    async def submit(self, target: Target, *, key: str | None = None) -> str:
        return str((await self._send(_submit(target, key)))["task_id"])

    async def scrape(
        self,
        target_type: str,
        target_url: str,
        workspace_id: str,
        *,
        fields: list[str] | None = None,
        credential_provider: str | None = None,
        seconds: int = 60,
        key: str | None = None,
    ) -> Task:
        target = Target(target_type, target_url, workspace_id, fields, None, credential_provider)
        return _task_of(await self._send(_sync(target, seconds, key)))

    async def submit_batch(
        self, targets: Sequence[Target], *, callback_url: str | None = None, key: str | None = None
    ) -> Job:
        return _job_of(await self._send(_batch(targets, callback_url, key)))

    async def task(self, task_id: str) -> Task:
        return _task_of(await self._send(_task(task_id)))

    async def job(self, job_id: str) -> Job:
        return _job_of(await self._send(_job(job_id)))

    async def results(self, job_id: str) -> list[Result]:
        return msgspec.convert(await self._send(_results(job_id)), list[Result])

    async def cancel(self, job_id: str) -> int:
        return int((await self._send(_cancel(job_id)))["cancelled"])

    async def wait(self, job_id: str, *, seconds: float = 600.0, every: float = 1.0) -> Job:
        until = time.monotonic() + seconds
        while not (found := await self.job(job_id)).over:
            if time.monotonic() + every > until:
                raise _still(found)
            await asyncio.sleep(every)
        return found

    async def wait_task(self, task_id: str, *, seconds: float = 600.0, every: float = 1.0) -> Task:
        until = time.monotonic() + seconds
        while not (found := await self.task(task_id)).over:
            if time.monotonic() + every > until:
                raise _still(found)
            await asyncio.sleep(every)
        return found

    async def _send(self, call: _Call) -> Any:
        attempt = 0
        while True:
            answer: httpx.Response | None = None
            try:
                answer = await self._http.send(self._request(call))
            except httpx.TransportError as away:
                if self._final(call, attempt, None):
                    raise ScrapeFailed(0, f"no answer: {type(away).__name__}") from away
            if answer is not None and self._final(call, attempt, answer):
                return _read(answer)
            await asyncio.sleep(_pause(attempt, answer, self._chance))
            attempt += 1

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close()
