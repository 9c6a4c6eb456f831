"""The scraping service: what a backend asks for becomes tasks of the ordinary queue (S-011 … S-017).

No queue, limiter or breaker of its own: a submitted URL waits for its domain's turn like every other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec

from winnow.actions import validation
from winnow.actions.field_errors import FieldErrors
from winnow.actions.submits import Submits, no_room
from winnow.db.engine import Connection
from winnow.errors import CredentialNotAllowed, Forbidden, InvalidInput
from winnow.fetch import credential_hosts
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.failure import FailureCode
from winnow.kinds.registry import Kinds
from winnow.kinds.results import check_fields
from winnow.observe import audit
from winnow.observe.keys import Caller
from winnow.run import closing
from winnow.schedule import jobs
from winnow.schedule.jobs import NewJob
from winnow.schedule.queue import backpressure, queue, rank
from winnow.schedule.queue.task import CALLBACK_KEY, PROVIDER_KEY, TIMEOUT_KEY, NewTask, Producer, Trigger, new_id
from winnow.schedule.settings import ScheduleSettings
from winnow.schedule.submissions import Submission, remember
from winnow.sources.domain import origin_of

ATTEMPTS = 3


class RequestedTarget(msgspec.Struct, frozen=True, kw_only=True):
    """One target as the caller names it (S-025)."""

    target_type: str
    target_url: str
    workspace_id: str
    requested_fields: list[str] | None = None
    callback_url: str | None = None
    credential_provider: str | None = None
    timeout_seconds: int | None = None


def check_workspaces(caller: Caller, asked: Sequence[RequestedTarget]) -> None:
    """Forbidden where a key asks for another workspace than its own: it would be sent that workspace's credentials."""
    if not all(caller.serves(target.workspace_id) for target in asked):
        raise Forbidden(f"this key serves the workspace {caller.workspace_id!r} only")


class Checked(msgspec.Struct, frozen=True, kw_only=True):
    asked: RequestedTarget
    kind: str
    url: str
    domain: str


class SubmittedTask(msgspec.Struct, frozen=True, kw_only=True):
    """The task of a submission: created now, or by an earlier one with the same idempotency key."""

    task_id: UUID | None = None
    job_id: UUID | None = None
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class SubmissionRules:
    """The limits that a submission is checked against. `credential_hosts` is None where no backend is set up that is
    asked for credentials."""

    allow: AllowList
    kinds: Kinds
    settings: ScheduleSettings
    default_callback: str | None
    credential_hosts: credential_hosts.Hosts | None


def check(rules: SubmissionRules, asked: RequestedTarget) -> Checked:
    """Everything that can be refused at the door is (R-12)."""
    with FieldErrors() as errors:
        return _check(rules, asked, "", errors)


def check_job(rules: SubmissionRules, asked: Sequence[RequestedTarget], callback_url: str | None) -> list[Checked]:
    with FieldErrors() as errors:
        checked = [_check(rules, one, f"targets.{n}.", errors) for n, one in enumerate(asked)]
        with errors.field("callback_url"):
            _check_callback(rules, callback_url)
        return checked


def _check(rules: SubmissionRules, asked: RequestedTarget, place: str, errors: FieldErrors) -> Checked:
    url, domain = "", ""
    kind = _check_type(rules, asked.target_type, asked.requested_fields, place, errors)
    with errors.field(f"{place}target_url"):
        found = validation.url(asked.target_url, rules.allow)
        url, domain = found.url, found.domain
    with errors.field(f"{place}callback_url"):
        _check_callback(rules, asked.callback_url)
    with errors.field(f"{place}credential_provider"):
        _check_provider(rules, asked.credential_provider, url)
    return Checked(asked=asked, kind=kind, url=url, domain=domain)


def _check_type(
    rules: SubmissionRules, name: str, fields: Sequence[str] | None, place: str, errors: FieldErrors
) -> str:
    with errors.field(f"{place}target_type"):
        target = rules.kinds.target_type(name)
        with errors.field(f"{place}requested_fields"):
            check_fields(target, fields)
        return target.name
    return ""


def wrong_values(rules: SubmissionRules, stated: Mapping[str, Any], place: str = "") -> list[InvalidInput]:
    """What is wrong with the values of a target that cannot be read as a whole, because other fields of it are missing
    or of the wrong type: one answer names every wrong field (S-097)."""
    errors = FieldErrors()
    texts = {name: value for name, value in stated.items() if isinstance(value, str)}
    fields = stated.get("requested_fields")
    if "target_type" in texts:
        known = isinstance(fields, list) and all(isinstance(field, str) for field in fields)
        _check_type(rules, texts["target_type"], fields if known else None, place, errors)
    for name in ("target_url", "callback_url"):
        with errors.field(f"{place}{name}"):
            _check_callback(rules, texts.get(name))
    return errors.found


def _check_provider(rules: SubmissionRules, provider: str | None, url: str) -> None:
    if provider is None:
        return
    if rules.credential_hosts is None:
        raise InvalidInput("no backend is set up to ask for credentials (SCRAPER_BACKEND_API_URL)")
    if url:  # an address that is refused itself says so
        try:
            credential_hosts.check(rules.credential_hosts, provider, url)
        except CredentialNotAllowed as refused:
            raise InvalidInput(str(refused)) from None


def _check_callback(rules: SubmissionRules, url: str | None) -> None:
    if url is not None:
        validation.url(url, rules.allow)


async def submit(submits: Submits, checked: Checked, *, request_id: str) -> SubmittedTask:
    """Together with what others submit at this moment."""
    task_id = new_id()
    await submits.enqueue(_task(checked, task_id, _place(checked), request_id))
    return SubmittedTask(task_id=task_id)


async def record_credentials(conn: Connection, actor: str, checked: Sequence[Checked]) -> None:
    """Who had whose credential sent where (R-25)."""
    asking = [one for one in checked if one.asked.credential_provider]
    wanted = {(c.asked.workspace_id, c.asked.credential_provider, origin_of(c.url)) for c in asking}
    for workspace, provider, origin in sorted(wanted):
        after = {"provider": provider, "origin": origin}
        await audit.record(conn, actor, "credential.requested", "workspace", workspace, after=after)


async def submit_once(
    conn: Connection, caller: str, rules: SubmissionRules, checked: Checked, *, request_id: str, key: str
) -> SubmittedTask:
    """Create the task, or return the one made before with the same key. The caller rings the bell after the commit."""
    task_id = new_id()
    known = await _known(conn, caller, key, [checked], None, Submission(digest="", task_id=task_id))
    if known is not None:
        return known
    await _admit(conn, rules.settings, 1)
    await queue.enqueue(conn, [_task(checked, task_id, _place(checked), request_id)])
    return SubmittedTask(task_id=task_id)


async def submit_job(
    conn: Connection,
    caller: str,
    rules: SubmissionRules,
    checked: Sequence[Checked],
    *,
    callback_url: str | None,
    request_id: str,
    key: str | None,
) -> SubmittedTask:
    """All of them or none (S-039)."""
    job_id, size = new_id(), len(checked)
    known = await _known(conn, caller, key, checked, callback_url, Submission(digest="", job_id=job_id))
    if known is not None:
        return known
    await _admit(conn, rules.settings, size)
    workspaces = {one.asked.workspace_id for one in checked}
    workspace = workspaces.pop() if len(workspaces) == 1 else None  # a mixed job is nobody's but its submitter's
    address = callback_url or rules.default_callback
    await jobs.create(conn, NewJob(id=job_id, total=size, workspace_id=workspace, callback_url=address))
    place = rank.for_enrichment(size)
    await queue.enqueue(conn, [_task(c, new_id(), place, request_id, job_id) for c in checked])
    return SubmittedTask(job_id=job_id)


async def cancel_job(conn: Connection, actor: str, job_id: UUID) -> int:
    """How many queued tasks will not run (S-041); of a job that is cancelled already, how many did not."""
    if not await jobs.cancel(conn, job_id):
        return await jobs.cancelled_tasks(conn, job_id)
    gone = (await closing.withdraw(conn, FailureCode.CANCELLED, job_id=job_id)).tasks
    await audit.record(conn, actor, "job.cancelled", "job", job_id, after={"cancelled": len(gone)})
    return len(gone)


async def give_up(conn: Connection, task_id: UUID) -> bool:
    """Cancel a task whose caller stopped waiting; return whether it was still queued."""
    closed = await closing.withdraw(conn, FailureCode.NOT_AWAITED, task_id=task_id)
    return bool(closed.tasks)


async def _admit(conn: Connection, settings: ScheduleSettings, wanted: int) -> None:
    admission = await backpressure.admit(conn, Producer.ENRICHMENT, None, wanted, settings)
    if admission.room < wanted:
        raise no_room(admission.room, wanted, wanted)


async def _known(
    conn: Connection,
    caller: str,
    key: str | None,
    checked: Sequence[Checked],
    callback: str | None,
    new: Submission,
) -> SubmittedTask | None:
    if key is None:
        return None
    request = msgspec.json.encode(([c.asked for c in checked], callback, new.job_id is None))
    new = msgspec.structs.replace(new, digest=hashlib.sha256(request).hexdigest())
    known = await remember(conn, caller, key, new)
    return None if known is None else SubmittedTask(task_id=known.task_id, job_id=known.job_id, repeated=True)


def _place(checked: Checked) -> int:
    """Return the priority and the deadline; synchronous requests come before all others."""
    return rank.for_enrichment(None) if checked.asked.timeout_seconds is None else rank.SYNC


def _further(asked: RequestedTarget) -> list[tuple[str, object]]:
    return [
        (CALLBACK_KEY, asked.callback_url),
        (PROVIDER_KEY, asked.credential_provider),
        (TIMEOUT_KEY, asked.timeout_seconds),
    ]


def _task(checked: Checked, task_id: UUID, place: int, request_id: str, job_id: UUID | None = None) -> NewTask:
    asked = checked.asked
    payload = {
        "workspace_id": asked.workspace_id,
        "requested_fields": asked.requested_fields,
        "request_id": request_id,
        **{name: value for name, value in _further(asked) if value is not None},
    }
    return NewTask(
        id=task_id,
        producer=Producer.ENRICHMENT,
        lane=checked.domain,
        origin=origin_of(checked.url),
        url=checked.url,
        kind=checked.kind,
        rank=place,
        trigger=Trigger.MANUAL,
        job_id=job_id,
        adapter_id=asked.target_type,
        max_attempts=ATTEMPTS,
        payload=payload,
    )
