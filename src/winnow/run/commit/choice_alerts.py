"""A chosen variant or selector that a page no longer has: twice in a row is an alert, and finding it again is its end.

One page says nothing about the adapter of its site, so a choice has a baseline of its own: that it was found.
"""

from __future__ import annotations

from collections.abc import Sequence

from winnow.db.engine import Connection
from winnow.extract.target_choice import PROBLEM
from winnow.judge.verdict import Decision
from winnow.publish import alerts
from winnow.publish.alerts import SLACK, Alert
from winnow.run.visit import Visit

ACTOR = "choice"


async def notify(conn: Connection, visits: Sequence[Visit]) -> None:
    """In the order of their keys, so that two workers never wait for each other."""
    chosen = [(visit, _missing(visit)) for visit in visits if _is_read_by_choice(visit)]
    missing = {_key(visit): why for visit, why in chosen if why and visit.brief.last_verdict == Decision.HOLD}
    for key in sorted(missing):
        title = f"target {key.split(':')[1]}: {missing[key]}, twice in a row"
        await alerts.open_alert(
            conn, Alert(severity=SLACK, code="choice_not_found", key=key, title=title, details={"reason": missing[key]})
        )
    found = sorted(_key(visit) for visit, why in chosen if not why)
    if found:
        await alerts.resolve(conn, ACTOR, keys=found)


def _is_read_by_choice(visit: Visit) -> bool:
    read = visit.assessment
    return (
        visit.task.target_id is not None and visit.brief.chosen is not None and read is not None and bool(read.drafts)
    )


def _missing(visit: Visit) -> str:
    """What the draft says about the choice; "" where it was found."""
    assert visit.assessment is not None
    problem = visit.assessment.drafts[0].first(PROBLEM)
    return "" if problem is None else problem.raw


def _key(visit: Visit) -> str:
    return f"target:{visit.task.target_id}:choice"
