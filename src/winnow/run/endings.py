"""Maps everything that can happen to a task to how it ends. Pure, table-tested."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec

from winnow.errors import ArchiveError, CredentialsUnavailable, NoHealthyProxies
from winnow.extract.draft import Reason, Role
from winnow.fetch import tiers
from winnow.fetch.failure import FailureCode
from winnow.fetch.outcome import FetchResult, Outcome
from winnow.fetch.tiers import Route, Way
from winnow.judge.counts import count
from winnow.judge.verdict import Decision, Reject, Verdict, best_of
from winnow.kinds.assess import Assessment
from winnow.run.visit import PLAIN, Ending, FetchPlan
from winnow.schedule.queue.retry import wait_before
from winnow.schedule.queue.task import Claimed, Producer, Stage, Status

ACCEPTED, UNCHANGED, CACHED = "accepted", "unchanged", "cached"
EMPTY, FOLLOWED = "empty", "followed"  # the page says there is nothing; it has links only (DESIGN §11.27)
HELD, REJECTED = FailureCode.HELD.value, FailureCode.REJECTED.value
EXTRACT_FAILED = FailureCode.EXTRACT_FAILED.value
INTERNAL = FailureCode.INTERNAL.value
ROBOTS_BLOCKED = FailureCode.ROBOTS_BLOCKED.value

OF_DECISION = {Decision.ACCEPT: ACCEPTED, Decision.HOLD: HELD, Decision.REJECT: REJECTED}


def describe_outcome(outcome: str | None, reason: str | None, error: str | None) -> str:
    """Why a task failed, to whoever asked for it: the kind of end where the reason does not say it (a login wall ends
    `blocked`), the reason, and what was seen."""
    kind = outcome if outcome == Outcome.BLOCKED and reason is not None else None
    return ": ".join(part for part in (kind, reason or outcome, error) if part)


def postponed(failure: FailureCode, wait_seconds: float | None = None, *, stage: Stage = Stage.FETCH) -> Ending:
    """Put the task back without counting an attempt, for `wait_seconds` or as long as the failure table says."""
    meaning = failure.meaning
    wait = meaning.postpone_s if wait_seconds is None else wait_seconds
    return Ending(
        status=Status.QUEUED,
        stage=stage,
        outcome=failure.value,
        refund=True,
        wait_seconds=wait or 0.0,
        unused_grant=meaning.unsent,
    )


def robots_blocked(rule: str) -> Ending:
    """P-050: no request was made, so the grant goes back."""
    return Ending(
        status=Status.DONE,
        stage=Stage.DONE,
        outcome=ROBOTS_BLOCKED,
        reason=Reject.BLOCKED_BY_ROBOTS_TXT,
        error=rule,
        unused_grant=True,
    )


def lost_page() -> Ending:
    """The archived body is gone (deleted, or its disk lost it): the page is fetched again."""
    return postponed(FailureCode.PAGE_LOST)


def no_adapter(task: Claimed, broken: str | None) -> Ending:
    """P-055: the adapter is not registered, or its file is broken. Nothing was sent; a person has to look."""
    error = (
        f"no adapter {task.adapter_id!r} is registered" if broken is None else f"the adapter cannot be used: {broken}"
    )
    return Ending(
        status=Status.FAILED, stage=Stage.EXTRACT, outcome=INTERNAL, reason=FailureCode.ADAPTER_UNKNOWN,
        error=error, unused_grant=True, dead=True,
    )  # fmt: skip


def adapter_disabled() -> Ending:
    """P-087. Nothing was sent. What is queued when an adapter is disabled leaves the queue; this one came back to it
    at that moment, and waits until the adapter is enabled, or for a day (P-071)."""
    return postponed(FailureCode.ADAPTER_DISABLED)


def no_proxy(task: Claimed, error: NoHealthyProxies) -> Ending:
    """S-067. Nothing was sent. A requested task fails at once, as behind an open circuit (DESIGN §11.14),
    without a dead letter; for the rest a health check may restore a proxy before the attempts are used up."""
    asked = task.producer == Producer.ENRICHMENT
    final = asked or task.attempts >= task.max_attempts
    return Ending(
        status=Status.FAILED if final else Status.QUEUED, stage=Stage.FETCH, outcome="error",
        reason=FailureCode.NO_HEALTHY_PROXIES, error=str(error), wait_seconds=30.0, unused_grant=True,
        dead=final and not asked,
    )  # fmt: skip


def no_credential(error: CredentialsUnavailable) -> Ending:
    """S-070. Nothing was sent, and the caller gets the failure: no dead letter."""
    return Ending(
        status=Status.FAILED, stage=Stage.FETCH, outcome="error", reason=FailureCode(error.code),
        error=str(error), unused_grant=True,
    )  # fmt: skip


def took_too_long(seconds: float, stage: Stage) -> Ending:
    """End a visit after the time its caller waits (S-034)."""
    return Ending(
        status=Status.FAILED, stage=stage, outcome=Outcome.TIMEOUT, reason=FailureCode.TASK_TIMEOUT,
        error=f"not done within {seconds:g} s",
    )  # fmt: skip


def without_letter(ending: Ending) -> Ending:
    """The same ending without a dead letter, for work whose failure is written down elsewhere."""
    return msgspec.structs.replace(ending, dead=False)


def archive_failed(task: Claimed, error: ArchiveError) -> Ending:
    """The body could not be kept (disk full, store away): typed, nothing half-written, tried again."""
    final = task.attempts >= task.max_attempts
    return Ending(
        status=Status.FAILED if final else Status.QUEUED, stage=Stage.FETCH, outcome="error",
        reason=FailureCode(error.code), error=str(error), wait_seconds=30.0, dead=final,
    )  # fmt: skip


def cached(since: datetime) -> Ending:
    """E-043: only a page that was read and accepted before is available. It is not news and does not count as seen."""
    return Ending(
        status=Status.DONE, stage=Stage.DONE, outcome=CACHED, reason=FailureCode.API_QUOTA, error=cached_note(since)
    )  # fmt: skip


def cached_note(since: datetime) -> str:
    return f"the scraping API's quota is used up: the page fetched {since:%Y-%m-%d %H:%M:%S} UTC was used"


def unchanged() -> Ending:
    return Ending(status=Status.DONE, stage=Stage.DONE, outcome=UNCHANGED)


def another_way(task: Claimed, result: FetchResult, plan: FetchPlan) -> Ending | None:
    """Try the page another way, if there is one that may get it (E-034). That is one more request: the task waits
    for its turn again."""
    way = tiers.next_way(result, plan.way, plan.ladder, task.attempts, task.max_attempts)
    if way is None:
        return None
    return Ending(
        status=Status.QUEUED, stage=Stage.FETCH, outcome=result.outcome, reason=result.error_class,
        error=result.error, wait_seconds=result.retry_after_s or 0.0, route=plan.route(way),
    )  # fmt: skip


def another_path(task: Claimed, result: FetchResult, plan: FetchPlan) -> Ending | None:
    """E-037: where events are looked for at several paths, one that is not there leads to the next."""
    absent = result.error_class is not None and result.error_class.meaning.absent
    path = tiers.alternative(task.url, task.kind, plan.known.route) if absent else None
    if path is None:
        return None
    return Ending(
        status=Status.QUEUED, stage=Stage.FETCH, outcome=result.outcome, reason=result.error_class,
        error=result.error, route=Route(plan.known.route.way, path),
    )  # fmt: skip


def past_forbidden(found: Ending, task: Claimed, plan: FetchPlan) -> Ending:
    """E-037: a path that robots.txt forbids leads to the next one too; nothing was sent."""
    path = tiers.alternative(task.url, task.kind, plan.known.route) if found.outcome == ROBOTS_BLOCKED else None
    if path is None:
        return found
    route = Route(plan.known.route.way, path)
    return msgspec.structs.replace(found, status=Status.QUEUED, stage=Stage.FETCH, route=route)


def read_another_way(found: Ending, kind: str, url: str, plan: FetchPlan, script_driven: bool) -> Ending | None:
    """Try another way for what was not found on a page: it may be there once scripts have run, or, for events, at
    another path (E-037)."""
    way = Way.DYNAMIC if plan.way is Way.STATIC and Way.DYNAMIC in plan.ladder else None
    path = tiers.alternative(url, kind, plan.known.route)
    if way is not None and script_driven and plan.known.preferred is None:
        route = plan.route(way)
    elif path is not None:
        route = Route(plan.known.route.way, path)
    else:
        return None
    return msgspec.structs.replace(found, status=Status.QUEUED, stage=Stage.FETCH, route=route, dead=False)


def unread(found: Ending, task: Claimed) -> Ending:
    """E-004, E-100: an agenda that could not be read for good leaves a dead letter, which retries from the stored page.
    Pages of other kinds are read anew at their next visit, and whoever asked for one has the answer."""
    return msgspec.structs.replace(found, dead=task.kind == "event" and task.producer == Producer.EVENTS)


def of_fetch(task: Claimed, result: FetchResult, plan: FetchPlan = PLAIN) -> Ending | None:
    """None: the page arrived, go on. A failure that may pass is tried again after a wait (P-039)."""
    failure = result.error_class
    if failure is None:
        return None
    if failure is FailureCode.ROBOTS:  # a redirect led to where robots.txt forbids it
        return Ending(
            status=Status.DONE, stage=Stage.DONE, outcome=ROBOTS_BLOCKED, reason=Reject.BLOCKED_BY_ROBOTS_TXT,
            error=result.error,
        )  # fmt: skip
    if failure.meaning.postpone_s is not None:
        return postponed(failure, result.retry_after_s or None)
    if failure.meaning.absent and _is_guessed(task):
        return Ending(status=Status.DONE, stage=Stage.DONE, outcome=EMPTY, error=f"not there: {failure}")
    elsewhere = another_way(task, result, plan) or another_path(task, result, plan)
    if elsewhere is not None:
        return elsewhere
    comes_again = tiers.comes_again(result, plan.way, plan.ladder)
    may_pass = failure.meaning.may_pass or comes_again
    if may_pass and task.attempts < task.max_attempts:
        wait = wait_before(task.attempts, result.retry_after_s)
        return Ending(
            status=Status.QUEUED, stage=Stage.FETCH, outcome=result.outcome, reason=result.error_class,
            error=result.error, wait_seconds=wait,
        )  # fmt: skip
    return Ending(
        status=Status.FAILED, stage=Stage.FETCH, outcome=result.outcome, reason=result.error_class,
        error=result.error, dead=failure.keeps_letter or comes_again,
    )  # fmt: skip


def _is_guessed(task: Claimed) -> bool:
    """A crawl looks for sitemaps and catalogues where shops usually have them."""
    return task.role == Role.SITEMAP or (task.role == Role.FEED and task.kind in ("product", "offer"))


def of_assessment(assessment: Assessment) -> Ending:
    """The best verdict on its records; else that the page says it is empty, or leads on; else why nothing was read.
    Out of stock without a price is expected (P-030)."""
    if assessment.records:
        return of_verdicts([judged.verdict for judged in assessment.records])
    if assessment.failure is Reason.OOS_NO_PRICE:
        return Ending(status=Status.DONE, stage=Stage.DONE, outcome=REJECTED, reason=Reject.OOS_NO_PRICE)
    if assessment.empty is not None:
        return Ending(status=Status.DONE, stage=Stage.DONE, outcome=EMPTY, error=assessment.empty[:200] or None)
    if assessment.links:
        return Ending(status=Status.DONE, stage=Stage.DONE, outcome=FOLLOWED)
    return Ending(
        status=Status.FAILED, stage=Stage.EXTRACT, outcome=EXTRACT_FAILED, reason=assessment.failure,
        error=assessment.details or None,
    )  # fmt: skip


def of_verdicts(verdicts: Sequence[Verdict]) -> Ending:
    """Of a page with records: the best verdict is its outcome, and the counts stand beside it."""
    best = best_of(verdicts)
    assert best is not None
    details = "; ".join(finding.details for finding in best.findings if finding.details)
    return Ending(
        status=Status.DONE, stage=Stage.DONE, outcome=OF_DECISION[best.decision], reason=best.reason,
        error=details or None, counts=count(verdicts),
    )  # fmt: skip


def of_defect(task: Claimed, error: BaseException, stack: str, stage: Stage) -> Ending:
    """End a visit that met a defect of ours: retried like any failure, then kept as a dead letter with its stack."""
    described = f"{type(error).__name__}: {error}"
    if task.attempts < task.max_attempts:
        return Ending(
            status=Status.QUEUED, stage=stage, outcome=INTERNAL, reason=type(error).__name__, error=described,
            wait_seconds=wait_before(task.attempts),
        )  # fmt: skip
    return Ending(
        status=Status.FAILED, stage=stage, outcome=INTERNAL, reason=type(error).__name__, error=described,
        stack=stack, dead=True,
    )  # fmt: skip
