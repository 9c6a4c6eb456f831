"""A candidate beside the live adapter, on real traffic (C-069). What it reads is compared and counted, never stored.

Workers learn of it with their tasks; the candidate must be among the adapters they have (`WINNOW_ADAPTERS_DIR`).
"""

from __future__ import annotations

from winnow.db.engine import Connection
from winnow.errors import InvalidInput
from winnow.extract.adapter import Registry
from winnow.judge import adapter_status, replays
from winnow.judge.replays import ReplayedPage
from winnow.kinds.adapters import choose
from winnow.kinds.facts import facts_of
from winnow.observe import audit
from winnow.run.visit import Visit


async def start(conn: Connection, actor: str, adapters: Registry, adapter_id: str, version: str) -> int:
    live, candidate = choose(adapters, adapter_id), choose(adapters, adapter_id, version)
    if candidate.version == live.version:
        raise InvalidInput(f"{adapter_id} {live.version} is the live version itself", field="version")
    replay_id = await replays.start(conn, "shadow", adapter_id, live.version, candidate.version, {}, actor)
    await adapter_status.shadow(conn, adapter_id, candidate.version)
    after = {"adapter_id": adapter_id, "version": candidate.version}
    await audit.record(conn, actor, "shadow.started", "replay", replay_id, after=after)
    return replay_id


async def stop(conn: Connection, actor: str, adapter_id: str) -> int:
    """Stop comparing; its counters stay. Returns the replay it was."""
    replay_id = await replays.shadow_of(conn, adapter_id)
    await replays.finish(conn, replay_id)
    await adapter_status.shadow(conn, adapter_id, None)
    await audit.record(conn, actor, "shadow.stopped", "replay", replay_id, after={"adapter_id": adapter_id})
    return replay_id


def compared(visit: Visit) -> ReplayedPage | None:
    """Return what the shadow of a visit adds to its replay."""
    brief = visit.brief
    if visit.shadow is None or visit.assessment is None or visit.kind is None:
        return None
    if brief.shadow_id is None or visit.page_id is None:
        return None
    return ReplayedPage(
        replay_id=brief.shadow_id,
        page_id=visit.page_id,
        before=facts_of(visit.assessment, visit.kind),
        after=facts_of(visit.shadow, visit.kind),
    )
