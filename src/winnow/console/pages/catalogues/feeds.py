"""The list of feeds, which are catalogue files of affiliate networks (F-105)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, number, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty
from winnow.feeds.run_result import RunResult
from winnow.observe.users import UserRole
from winnow.queries import feeds as queries
from winnow.queries.reading import Row

COLUMNS = [
    Column("name", "Feed"),
    Column("status", "State"),
    Column("last", "Last run"),
    Column("offers", "In last file", "right"),
    Column("schedule", "Schedule"),
    Column("next", "Next run"),
    Column("stale", "Offers expire"),
]
STATES = {"": "All", "ENABLED": "Enabled", "DRAFT": "Draft", "PAUSED": "Paused", "DISABLED": "Disabled"}
MEANS = {
    "DRAFT": "Draft: test it, then enable it",
    "PAUSED": "Paused by admin",
    "DISABLED": "Disabled due to repeated failures",
    "ENABLED": "Enabled",
}
TONES = {"ENABLED": "good", "DRAFT": "info", "PAUSED": "warn", "DISABLED": "bad"}
RESULTS = {
    RunResult.RUNNING: ("Running", "info"), RunResult.FAILED: ("Failed", "bad"),
    RunResult.ROLLED_BACK: ("Rolled back", "bad"), RunResult.AWAITING_APPROVAL: ("Waits for approval", "warn"),
    RunResult.REPLACED: ("Replaced", "neutral"), RunResult.APPROVED: ("Approved", "good"),
    RunResult.NOT_ACTIVATED: ("Not activated", "bad"),
    RunResult.UNCHANGED: ("Unchanged", "neutral"), RunResult.SUCCEEDED: ("Succeeded", "good"),
}  # fmt: skip
EMPTY = Empty(
    "No feeds yet",
    "A feed is a catalogue file of an affiliate network, fetched by SFTP, FTP or HTTPS. Its "
    "offers become visible only after a run passes the safety checks.",
    "Add a feed",
    "/feeds/new",
)


@page("/feeds", "Feeds", group="Watching", icon="inventory_2", order=40, key="f")
async def build(view: View) -> None:
    with heading(
        "Feeds",
        "Catalogue files of affiliate networks, activated only after the safety checks.",
    ):
        if view.may(UserRole.ADMIN):
            link("Add a feed", "/feeds/new", cls="w-button w-primary")
    with FilterBar(view) as filters:
        q = filters.search("Name or retailer", "q")
        status = filters.choice("State", STATES, "status")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.listed(
                conn, status=status.wanted, q=q.wanted, after=int(after) if after else None, limit=limit
            )
        return [_row(feed) for feed in found], following

    grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Feeds"))
    await grid.refresh()


def means(feed: Row) -> str:
    """Who stopped it, in F-104's words; the system pauses feeds too (F-137)."""
    if feed["status"] == "PAUSED" and feed["status_reason"]:
        return f"Paused automatically: {feed['status_reason']}"
    return MEANS[feed["status"]]


def next_run(feed: Row) -> datetime | None:
    """A draft has a moment too (F-055), and nothing happens then."""
    moment: datetime | None = feed["next_run_at"]
    return moment if feed["status"] == "ENABLED" else None


def _row(feed: Row) -> dict[str, Any]:
    stale = stale_at(feed)
    return {
        "id": feed["id"],
        "label": feed["name"],
        "tone": "warn" if feed["waiting_run_id"] else None,
        "name": cell(
            feed["name"], f"{feed['network']} · {feed['retailer'] or 'no retailer'}", path=f"/feeds/{feed['id']}"
        ),
        "status": cell(
            formatting.humanize(feed["status"].lower()),
            "Run queued" if feed["manual_run_pending"] else None,
            tone=TONES[feed["status"]],
            title=means(feed),
        ),
        "last": _last(feed),
        "offers": number(feed["last_offers"]),
        "schedule": cell(schedule_text(feed)),
        "next": when(next_run(feed)),
        "stale": when(stale),
    }


def _last(feed: Row) -> Cell:
    if feed["last_run_id"] is None:
        return cell("Never")
    path, ago = (
        f"/feed-runs/{feed['last_run_id']}",
        formatting.ago(feed["last_run_at"], datetime.now(UTC)) if feed["last_run_at"] else None,
    )
    return cell(RESULTS[RunResult(feed["last_result"])][0], ago, path=path)


def schedule_text(feed: Row) -> str:
    hours = feed["schedule_frequency_hours"]
    if feed["schedule_cron"]:
        return f"cron {feed['schedule_cron']} (UTC)"
    return "manual only" if hours is None else "every hour" if hours == 1 else f"every {hours} hours"


def stale_at(feed: Row) -> datetime | None:
    if feed["promoted_at"] is None:
        return None
    moment: datetime = feed["promoted_at"] + timedelta(hours=feed["expiry_hours"])
    return moment
