"""Replays as they are kept: of stored pages, and beside the live adapter on real traffic (C-069). Never a price."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
import psycopg
from psycopg import AsyncConnection
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb

from winnow.db.sql import load
from winnow.errors import Conflict, NotFound
from winnow.judge.compare import Difference, Facts, PageFacts, differences, pairs
from winnow.judge.difference_report import Effect, effect_of

PAGES = load("judge/replay_pages.sql")
MAX_DIFFERENCES = 10_000  # kept of one replay; the counters go on
LOST_AFTER = "1 hour"  # a replay that did not finish within this time has lost its process
Connection = AsyncConnection[Any]

_START = """
INSERT INTO replays (mode, adapter_id, live_version, candidate_version, scope, requested_by)
VALUES (%(mode)s, %(adapter_id)s, %(live_version)s, %(candidate_version)s, %(scope)s, %(actor)s) RETURNING id
"""
_COUNT = """
UPDATE replays AS r
SET pages = r.pages + g.pages, same = r.same + g.same, changed = r.changed + g.changed, gained = r.gained + g.gained,
    lost = r.lost + g.lost
FROM unnest(%(id)b::bigint[], %(pages)b::integer[], %(same)b::integer[], %(changed)b::integer[],
            %(gained)b::integer[], %(lost)b::integer[]) AS g (id, pages, same, changed, gained, lost)
WHERE r.id = g.id
"""
_DIFFERENCES = f"""
INSERT INTO replay_differences (replay_id, page_id, identity_key, field, before, after)
SELECT g.replay_id, g.page_id, g.identity_key, g.field, to_jsonb(g.before), to_jsonb(g.after)
FROM unnest(%(replay_id)b::bigint[], %(page_id)b::uuid[], %(identity_key)b::text[], %(field)b::text[],
            %(before)b::text[], %(after)b::text[]) AS g (replay_id, page_id, identity_key, field, before, after)
JOIN replays AS r ON r.id = g.replay_id AND r.changed + r.gained + r.lost <= {MAX_DIFFERENCES}
"""
_FINISH = """
UPDATE replays SET status = %(status)s, error_message = %(error)s, finished_at = now()
WHERE id = %(id)s AND status = 'running' RETURNING adapter_id, mode
"""
_ABANDON = f"""
UPDATE replays SET status = 'failed', error_message = 'its process ended before it did', finished_at = now()
WHERE mode = 'stored' AND status = 'running' AND created_at < now() - interval '{LOST_AFTER}'
"""
_FORGET = """
DELETE FROM replays WHERE id IN (
    SELECT id FROM replays WHERE finished_at < now() - make_interval(secs => %s) ORDER BY id LIMIT %s
)
"""


class StoredReading(msgspec.Struct, frozen=True, kw_only=True):
    """A stored page and what was made of it: the `records` that were written of it, or the `reason` why there were
    none. `judged` counts the records it had: a record without a change was not written again."""

    id: UUID
    url: str
    final_url: str
    content_hash: str
    charset: str | None
    content_type: str | None
    status_code: int | None
    created_at: datetime
    deleted: bool
    currency: str | None
    assume_in_stock: bool
    locale: str | None
    timezone: str | None
    kind: str | None
    records: list[dict[str, Any]]
    judged: int
    reason: str | None

    @property
    def known(self) -> bool:
        """Whether what was made of it is still there: records and tasks are kept for a while only. If not, the live
        adapter says what it makes of the page now."""
        complete = len(self.records) == self.judged
        return complete and (bool(self.records) or self.reason is not None)


class ReplayScope(msgspec.Struct, frozen=True, kw_only=True):
    """Which pages: of a source, or of the adapter's targets and domain."""

    adapter_id: str
    domain: str | None = None
    source_id: int | None = None
    since: datetime | None = None


class ReplayedPage(msgspec.Struct, frozen=True, kw_only=True):
    """One page read twice."""

    replay_id: int
    page_id: UUID
    before: PageFacts
    after: PageFacts


async def readings(conn: Connection, scope: ReplayScope, before: StoredReading | None, n: int) -> list[StoredReading]:
    """The next `n` after `before`, newest first."""
    given = {
        **msgspec.structs.asdict(scope),
        "before_at": before.created_at if before else None,
        "before_id": before.id if before else None,
        "n": n,
    }
    async with conn.cursor(row_factory=class_row(StoredReading)) as cursor:
        await cursor.execute(PAGES, given)
        return await cursor.fetchall()


async def start(
    conn: Connection, mode: str, adapter_id: str, live: str | None, candidate: str, scope: dict[str, Any], actor: str
) -> int:
    """A second shadow of one adapter is a Conflict: two candidates beside each other would share one counter."""
    given = {"mode": mode, "adapter_id": adapter_id, "live_version": live, "candidate_version": candidate,
             "scope": Jsonb(scope), "actor": actor}  # fmt: skip
    try:
        async with conn.cursor(row_factory=scalar_row) as cursor:
            await cursor.execute(_START, given)
            return int(await cursor.fetchone() or 0)
    except psycopg.errors.UniqueViolation:
        raise Conflict(f"{adapter_id} has a shadow already: stop it first", existing=adapter_id) from None


async def add(conn: Connection, compared: Sequence[ReplayedPage]) -> None:
    """Counts them, and keeps what was different as long as there is room for it."""
    if not compared:
        return
    records = [(c, *pair) for c in compared for pair in pairs(c.before, c.after)]
    found = [_Pair(c, key, old, new, differences(old, new)) for c, key, old, new in records]
    await conn.execute(_COUNT, _counts(compared, found))
    rows = [(pair, difference) for pair in found for difference in pair.different]
    if rows:
        given = {
            "replay_id": [pair.page.replay_id for pair, _ in rows],
            "page_id": [pair.page.page_id for pair, _ in rows],
            "identity_key": [pair.key or None for pair, _ in rows],
            "field": [d.field for _, d in rows],
            "before": [d.before for _, d in rows],
            "after": [d.after for _, d in rows],
        }
        await conn.execute(_DIFFERENCES, given)


class _Pair(msgspec.Struct, frozen=True):
    """One record of one page, read twice."""

    page: ReplayedPage
    key: str
    before: Facts
    after: Facts
    different: list[Difference]


def _counts(compared: Sequence[ReplayedPage], found: Sequence[_Pair]) -> dict[str, list[int]]:
    """By replay, in one order, so that two workers cannot wait for each other."""
    names = ("pages", *(effect.value for effect in Effect))
    counts = {page.replay_id: dict.fromkeys(names, 0) for page in compared}
    for page in compared:
        counts[page.replay_id]["pages"] += 1
    for pair in found:
        counts[pair.page.replay_id][effect_of(pair.before, pair.after, pair.different).value] += 1
    ids = sorted(counts)
    return {"id": ids, **{name: [counts[i][name] for i in ids] for name in names}}


async def finish(conn: Connection, replay_id: int, status: str = "done", error: str | None = None) -> str:
    """Finish the replay and return its adapter. Conflict when it has already ended."""
    found = await conn.execute(_FINISH, {"id": replay_id, "status": status, "error": error})
    row = await found.fetchone()
    if row is None:
        raise Conflict(f"replay {replay_id} has already ended, or does not exist")
    return str(row[0])


async def abandon_lost(conn: Connection) -> int:
    return (await conn.execute(_ABANDON)).rowcount


async def forget(conn: Connection, days: float, n: int) -> int:
    """With their differences."""
    return (await conn.execute(_FORGET, (days * 86_400, n))).rowcount


async def shadow_of(conn: Connection, adapter_id: str) -> int:
    """The shadow that runs beside this adapter now."""
    found = await conn.execute(
        "SELECT id FROM replays WHERE adapter_id = %s AND mode = 'shadow' AND status = 'running'", (adapter_id,)
    )
    row = await found.fetchone()
    if row is None:
        raise NotFound(f"no shadow runs beside {adapter_id}")
    return int(row[0])
