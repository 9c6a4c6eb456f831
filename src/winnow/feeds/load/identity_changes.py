"""Detects offers whose identity changed with a run, after it is loaded; logs and counts them (F-039, F-137).

An identity is never changed: under a better id a product is a new offer, and the old one ages out. A few of that is
how catalogues improve; the same addresses going back and forth is how they fall ill, and doubles a shop's products.
"""

from __future__ import annotations

from typing import Any

import msgspec
import structlog
from psycopg.rows import dict_row

from winnow.db.sql import load
from winnow.feeds.feed import Connection, Feed
from winnow.feeds.load.load import Totals

log = structlog.get_logger(__name__)

CHANGES = load("feeds/load/identity_changes.sql")
PATH_CASE = load("feeds/path_case.sql")
SHOWN = 10  # of a kind; the run counts all
FLAP_SHARE, FLAP_MIN_COUNT = 0.10, 10  # F-137 leaves the threshold open: a tenth of the catalogue, and not a handful


class IdentityChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The run's columns."""

    identity_upgrade_count: int = 0
    identity_flap_count: int = 0
    path_case_collision_count: int = 0


def flapping(changes: IdentityChanges, upserted: int) -> bool:
    """Whether so many identities changed that the feed must be paused for review (F-137)."""
    return changes.identity_flap_count >= FLAP_MIN_COUNT and changes.identity_flap_count > FLAP_SHARE * upserted


async def detect(conn: Connection, feed: Feed, run_id: int, totals: Totals) -> IdentityChanges:
    """`feed` as it was before the run: a first load has nothing to compare with."""
    given = {"run_id": run_id, "source_id": feed.source_id, "shown": SHOWN}
    changed = await _rows(conn, CHANGES, given) if feed.current_seen_run_id is not None else []
    doubled = await _rows(conn, PATH_CASE, given) if totals.url_hash_fallback_count else []
    _log_changes(changed, doubled)
    return IdentityChanges(
        identity_upgrade_count=_total(changed, "upgrade"),
        identity_flap_count=_total(changed, "flap"),
        path_case_collision_count=doubled[0]["total"] if doubled else 0,
    )


def _log_changes(changed: list[dict[str, Any]], doubled: list[dict[str, Any]]) -> None:
    """FN-17: warnings, all of them."""
    for row in changed:
        if row["kind"] == "upgrade":
            log.warning("IDENTITY_UPGRADE_DETECTED", stage="transform", old_type=row["old_type"],
                        old_value=row["old_value"], new_type=row["new_type"], new_value=row["new_value"],
                        total=row["total"])  # fmt: skip
        else:
            log.warning("IDENTITY_FLAP_DETECTED", stage="transform", old_type=row["old_type"],
                        old_value=row["old_value"], new_type=row["new_type"], new_value=row["new_value"],
                        total=row["total"])  # fmt: skip
    for row in doubled:
        log.warning("PATH_CASE_COLLISION", stage="transform", url=row["url"], other_url=row["other_url"],
                    total=row["total"])  # fmt: skip


def _total(rows: list[dict[str, Any]], kind: str) -> int:
    return next((int(row["total"]) for row in rows if row["kind"] == kind), 0)


async def _rows(conn: Connection, query: str, given: dict[str, Any]) -> list[dict[str, Any]]:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, given)
        return await cursor.fetchall()
