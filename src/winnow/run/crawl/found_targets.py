"""Makes targets of the pages of a crawl that have products.

Before a page was read nobody knows what it is: what a crawl follows is no target unless it was one already. A page with
a record that was accepted or held becomes one with its first visit, so that its validators and its presence are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

import msgspec

from winnow.db.engine import Connection
from winnow.normalise.urls import canonical_url, url_hash
from winnow.run.visit import Visit
from winnow.sources import targets
from winnow.sources.domain import domain_of
from winnow.sources.targets import NewTarget

_LINK_TASKS = """
UPDATE tasks AS t SET target_id = g.target_id
FROM unnest(%(task_id)b::uuid[], %(target_id)b::bigint[]) AS g (task_id, target_id) WHERE t.id = g.task_id
"""


async def with_targets(conn: Connection, visits: Sequence[Visit]) -> list[Visit]:
    """The visits, those of new product pages with their target. Copies: the transaction may have to be repeated."""
    wanted = {visit.task.id: _new_target(visit) for visit in visits if _is_new_product(visit)}
    if not wanted:
        return list(visits)
    await targets.add_many(conn, list(wanted.values()))
    ids = {place.canonical_url: place.id for place in await targets.existing(conn, list(wanted.values()))}
    found = {task_id: ids[new.canonical_url] for task_id, new in wanted.items()}
    await conn.execute(_LINK_TASKS, {"task_id": list(found), "target_id": list(found.values())})
    return [_with_target(visit, found) for visit in visits]


def _is_new_product(visit: Visit) -> bool:
    if visit.brief.crawl_scope is None or visit.task.target_id is not None or visit.ending is None:
        return False
    return visit.ending.final and visit.ending.counts.accepted + visit.ending.counts.held > 0


def _new_target(visit: Visit) -> NewTarget:
    task = visit.task
    assert task.source_id is not None
    return NewTarget(
        url=task.url,
        canonical_url=canonical_url(task.url),
        url_hash=url_hash(task.url),
        domain=domain_of(task.url),
        source_id=task.source_id,
        adapter_id=task.adapter_id or "",
        kind=task.kind,
        created_by=f"run:{task.run_id}",
        found_by_run_id=task.run_id,
    )


def _with_target(visit: Visit, found: dict[UUID, int]) -> Visit:
    if visit.task.id not in found:
        return visit
    return replace(visit, task=msgspec.structs.replace(visit.task, target_id=found[visit.task.id]))
