"""One task's trip, filled in stage by stage, until it can be committed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec

from winnow.fetch.credentials import Credential
from winnow.fetch.outcome import FetchResult
from winnow.fetch.page_actions import NO_ACTIONS, PageActions
from winnow.fetch.tiers import Known, Ladder, Route, Way, url_of
from winnow.judge.counts import VerdictCounts
from winnow.kinds.assess import Assessment
from winnow.kinds.kind import Kind
from winnow.run.admission.proxy_choice import ProxyChoice
from winnow.run.brief import Brief
from winnow.schedule.budget import CutBy
from winnow.schedule.follow_ups import Planned
from winnow.schedule.ledger.grant import Grant
from winnow.schedule.queue.task import Claimed, Handover, Settlement, Stage, Status


class FetchPlan(msgspec.Struct, frozen=True):
    """The ways this page may be fetched, the one it is fetched now, and what decided."""

    known: Known = Known()
    ladder: Ladder = (Way.STATIC,)
    way: Way = Way.STATIC
    actions: PageActions = NO_ACTIONS

    @property
    def failover(self) -> bool:
        return self.known.route.way is not None

    def route(self, way: Way) -> Route:
        return Route(way, self.known.route.path)


class FoundLinks(msgspec.Struct, frozen=True):
    """Where a page leads to: links for the frontier of its run, and how many were left out and why. `urls` are the
    links that were looked at, as the page names them."""

    links: list[Planned] = []
    left_out: Counter[CutBy] = msgspec.field(default_factory=Counter)
    urls: list[str] = []


PLAIN = FetchPlan()
NO_LINKS = FoundLinks()
EPOCH = datetime.fromtimestamp(0, UTC)


class Ending(msgspec.Struct, frozen=True, kw_only=True):
    """How a trip ends: what the task becomes, and whether its failure is kept as a dead letter.

    status `queued` hands the task back: after `wait_seconds`, with the attempt refunded when it was not
    the task's fault, and with the grant returned when nothing was sent. With a `route` it goes on another way.
    """

    status: Status
    stage: Stage
    outcome: str
    reason: str | None = None
    error: str | None = None
    stack: str | None = None
    wait_seconds: float = 0.0
    refund: bool = False
    unused_grant: bool = False
    dead: bool = False
    route: Route | None = None
    counts: VerdictCounts = VerdictCounts()

    @property
    def final(self) -> bool:
        return self.status is not Status.QUEUED


@dataclass(slots=True)
class Visit:
    """`grant` is the right to send its request now (None: none is held, or nothing is to be sent);
    `plan` is how the page is fetched, `exit` the proxy it goes through, `credential` what it identifies itself with;
    `page_id` is set once there was a fetch worth a row; `checkpointed` once that row is committed;
    `unchanged` when the page is the one judged before (DESIGN §11.17); `cached` is when the page was fetched that was
    read because no fresh one could be had (E-043); `leads` is where the
    page leads to; `shadow` is what a candidate made of the page."""

    task: Claimed
    brief: Brief
    grant: Grant | None = None
    plan: FetchPlan = PLAIN
    why: dict[str, Any] = field(default_factory=dict)
    exit: ProxyChoice | None = None
    credential: Credential | None = None
    fetch: FetchResult | None = None
    page_id: UUID | None = None
    checkpointed: bool = False
    unchanged: bool = False
    cached: datetime | None = None
    kind: Kind | None = None
    adapter_version: str | None = None
    assessment: Assessment | None = None
    observed_at: datetime = EPOCH
    leads: FoundLinks = NO_LINKS
    shadow: Assessment | None = None
    extract_ms: int = 0
    wants_picture: bool = False
    ending: Ending | None = None
    screenshot_hash: str | None = None

    @property
    def url(self) -> str:
        return url_of(self.task.url, self.plan.known.route)

    @property
    def resume_stage(self) -> Stage:
        """Where the task goes on if it is handed back now: a page that is archived, or will be with this visit,
        is not fetched again (DESIGN §11.18)."""
        in_hand = self.fetch is not None and self.fetch.body is not None
        return Stage.EXTRACT if in_hand or self.task.stage != Stage.FETCH else Stage.FETCH

    def handover(self) -> Handover:
        """For the process that is to execute it (see Claimer.take_over)."""
        granted_at, stamp = (None, 0) if self.grant is None else (self.grant.granted_at, self.grant.stamp)
        return Handover(id=self.task.id, fence=self.task.fence, granted_at=granted_at, stamp=stamp)

    def drop_result(self) -> bool:
        """Leave out what the visit found because it cannot be written, and the page as well when there is no result
        to blame; False when nothing is left to leave out."""
        if self.assessment is None and not self.unchanged:
            if self.fetch is None:
                return False
            self.fetch, self.page_id = None, None
        self.assessment, self.unchanged = None, False
        return True

    def settlement(self) -> Settlement:
        end = self.ending
        if end is None:
            raise RuntimeError(f"task {self.task.id} has not ended")
        return Settlement(
            task=self.task,
            status=end.status,
            stage=end.stage,
            outcome=end.outcome,
            reason=end.reason,
            error=None if end.error is None else end.error[:2_000],
            page_id=self.page_id,
            refund=end.refund,
            wait_seconds=end.wait_seconds,
            unused=self.grant if end.unused_grant else None,
            route=None if end.route is None else msgspec.to_builtins(end.route),
            accepted=end.counts.accepted,
            held=end.counts.held,
            rejected=end.counts.rejected,
        )
