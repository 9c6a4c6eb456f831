"""Discovery as people order it: seeds to look at, and candidates accepted or rejected. All audited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from winnow.actions import sources as source_actions
from winnow.actions import targets
from winnow.actions.intake import Cadence, Intake
from winnow.db.engine import Connection
from winnow.errors import Conflict, InvalidInput
from winnow.normalise.dates.timezones import COUNTRY_ZONE
from winnow.observe import audit
from winnow.run.discovery import weekly
from winnow.sources import discovery, sources


async def add_seeds(conn: Connection, actor: str, intake: Intake, urls: Sequence[str]) -> list[int]:
    """Jobs for these pages; what is being looked at already is not queued twice."""
    made = [await discovery.add_seed(conn, intake.check(url).url, actor) for url in urls]
    jobs = [job for job in made if job is not None]
    for job in jobs:
        await audit.record(conn, actor, "source.discovery_started", "discovery_job", job)
    return jobs


async def add_known(conn: Connection, actor: str, intake: Intake) -> list[int]:
    """A job for one page of each event source that is visited: its links may lead to others."""
    return await add_seeds(conn, actor, intake, await discovery.known_pages(conn))


async def import_file(conn: Connection, actor: str, file: Path) -> int:
    """What discovery found while the database was away (E-023); the file is renamed when it is stored."""
    stored = await weekly.import_file(conn, file)
    after = {"file": file.name, "results": stored}
    await audit.record(conn, actor, "source.discovery_imported", "discovery_job", 0, after=after)
    return stored


async def accept(
    conn: Connection,
    actor: str,
    intake: Intake,
    candidate_id: int,
    *,
    daily_run: bool = True,
    changes: Mapping[str, Any] | None = None,
    at_municipality: bool = False,
) -> int:
    """Its source is enabled and its page becomes a target; the source's id (E-018). The daily run visits it; where
    there is none (`daily_run`), it has a time of its own. `changes` are settings of the source that its pages need,
    such as its time zone; `at_municipality`: its place and zone are those of the municipality it was found for."""
    row = await discovery.candidate(conn, candidate_id)
    await discovery.decide(conn, row, "accepted", actor)
    if row["source_id"] is None:
        raise Conflict(f"the source of candidate {candidate_id} was removed", existing=str(candidate_id))
    source = await sources.get(conn, row["source_id"])
    place = await _place(conn, row) if at_municipality else {}
    await source_actions.update(conn, actor, intake, source.id, {**place, **(changes or {}), "enabled": True})
    await targets.add(conn, actor, intake, source, row["url"], when=Cadence(by_hand=daily_run))
    await audit.record(conn, actor, "source.candidate_accepted", "source", source.id, after={"url": row["url"]})
    return source.id


async def _place(conn: Connection, row: Mapping[str, Any]) -> dict[str, Any]:
    if row["municipality_id"] is None:
        raise InvalidInput(
            f"candidate {row['id']} was not found by searching a municipality: give its time zone and coordinates"
        )
    found = await discovery.place_of(conn, row["municipality_id"])
    return {
        "default_latitude": found["latitude"],
        "default_longitude": found["longitude"],
        "timezone": COUNTRY_ZONE.get(found["country"]),
    }


async def reject(conn: Connection, actor: str, candidate_id: int, reason: str | None = None) -> None:
    """Its source is removed; neither the page nor its site is proposed again."""
    row = await discovery.candidate(conn, candidate_id)
    await discovery.decide(conn, row, "rejected", actor, reason)
    if row["source_id"] is not None:
        await discovery.remove_source(conn, row["source_id"])
    await audit.record(
        conn, actor, "source.candidate_rejected", "discovery_candidate", candidate_id, after={"url": row["url"]},
        reason=reason,
    )  # fmt: skip
