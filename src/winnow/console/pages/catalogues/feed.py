"""One feed: its settings, its runs, and what an operator can do with it (F-106, F-107)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from nicegui import ui

from winnow.actions import feeds as feed_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.catalogues.feed_test import test_card
from winnow.console.pages.catalogues.feeds import RESULTS, TONES, means, next_run, schedule_text, stale_at
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import Cell, cell, number
from winnow.console.widgets.charts import Series, chart
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, quiet, tag
from winnow.console.widgets.parts import (
    Empty,
    badge,
    button,
    card,
    columns,
    confirmed,
    facts,
    refresh_every,
    reload_page,
    row,
)
from winnow.errors import NotFound
from winnow.feeds.admin import expires_between_runs
from winnow.feeds.run_result import RunResult, result_of
from winnow.observe.users import UserRole
from winnow.queries import feeds as queries
from winnow.queries.reading import Row

RUNS = [
    Column("run", "Run"),
    Column("status", "Result"),
    Column("rows", "Rows", "right"),
    Column("offers", "Offers", "right"),
    Column("rejected", "Rejected", "right"),
    Column("prices", "New prices", "right"),
    Column("expire", "Would expire", "right"),
    Column("took", "Took"),
]
TURN_ON = {"DRAFT": "Enable", "PAUSED": "Resume", "DISABLED": "Re-enable"}  # F-104
NO_RUNS = Empty(
    "No runs yet", "Test it first: a test reads the first rows and writes nothing. Then enable it and run it."
)
LOOK_SECONDS = 5.0  # between two looks at the runs


@page("/feeds/{feed_id:int}", "Feed", parent="/feeds")
async def build(view: View, feed_id: int) -> None:
    async with view.reading() as conn:
        feed = await queries.one(conn, feed_id)
        runs = await queries.metrics(conn, feed_id)
    if feed is None:
        raise NotFound(f"there is no feed {feed_id}")
    with heading(feed["name"], f"Feed {feed_id} · {feed['network']} · {feed['retailer'] or 'no retailer'}"):
        _buttons(view, feed)
    _notices(feed)
    with columns():
        with card("The feed"):
            facts(
                {
                    "State": lambda: badge(feed["status"], means(feed), tone=TONES[feed["status"]]),
                    "Schedule": schedule_text(feed),
                    "Next run": next_run(feed),
                    "Requested": "Run queued" if feed["manual_run_pending"] else None,
                    "Last run": feed["last_run_at"],
                    "Failures in a row": feed["consecutive_failures"],
                    "Offers expire": f"after {feed['expiry_hours']} h unseen",
                    "Activated": feed["promoted_at"],
                    "Shown to consumers": "yes, as the retailer's primary source"
                    if feed["is_display_primary"]
                    else "no",
                }
            )
        with card("Where it comes from"):
            facts(
                {
                    "Transport": _transport(feed),
                    "File": feed["path"],
                    "User": feed["username"],
                    "Password": "stored encrypted" if feed["has_password"] else "none",
                    "Host key": feed["host_key_fingerprint"]
                    or ("trusted on first use" if feed["transport"] == "SFTP" else None),
                    "Format": f"{feed['format']} · {feed['default_currency']} unless a row names another",
                }
            )
    test_card(view, feed_id)
    if len(runs) > 1:
        _metrics(runs)

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.runs(conn, feed_id, after=int(after) if after else None, limit=limit)
        return [_run(one) for one in found], following

    with card("Runs", "Newest first, kept for 30 days. Prices are kept."):
        grid = Grid(view, RUNS, load, empty=NO_RUNS, caption="Runs of the feed")
        await grid.refresh()
    refresh_every(LOOK_SECONDS, grid.refresh, view)


def _buttons(view: View, feed: Row) -> None:
    feed_id, name = feed["id"], feed["name"]

    reload = reload_page(view)

    async def enable(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await feed_actions.enable(conn, context.actor, feed_id, acknowledged=True)
        return f"{name} is enabled."

    async def pause(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await feed_actions.pause(conn, context.actor, feed_id)
        return f"{name} is paused."

    async def run(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await feed_actions.run_now(conn, context.actor, feed_id)
        return "A run is queued. It starts now or right after the one in progress."

    async def primary(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await feed_actions.make_primary(conn, context.actor, feed_id)
        return f"{name} is now the retailer's primary source."

    async def clone(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            copy = await feed_actions.clone(conn, context.actor, context.parts.feed_setup, feed_id, f"{name} (copy)")
        return f"{copy.name} is added as a draft, with the same settings and password."

    async def delete(context: ActionContext) -> str:
        async with context.parts.database.transaction() as conn:
            await feed_actions.delete(conn, context.actor, feed_id)
        return f"{name} is removed."

    def to_list() -> None:
        ui.navigate.to("/feeds")

    if view.may(UserRole.ADMIN):
        link("Edit", f"/feeds/{feed_id}/edit", cls="w-button")
        button("Clone", act(view, UserRole.ADMIN, "feed.clone", clone, about=feed_id, then=to_list))
        button(
            "Delete",
            confirmed(
                f"Delete {name}?",
                "The feed, its runs and its password are removed, its offers are hidden. Prices stay in the history.",
                "Delete",
                act(view, UserRole.ADMIN, "feed.delete", delete, about=feed_id, then=to_list),
            ),
        )
    if not feed["is_display_primary"]:
        button(
            "Show to consumers",
            confirmed(
                f"Show the offers of {name} to consumers?",
                "It becomes the primary source of its retailer; the source shown until now is hidden.",
                "Show offers",
                act(view, UserRole.ADMIN, "feed.primary", primary, about=feed_id, then=reload),
            ),
            view=view,
            needs=UserRole.ADMIN,
        )
    if feed["status"] == "ENABLED":
        button(
            "Pause",
            confirmed(
                f"Pause {name}?",
                "No run starts until it is enabled again; a run in progress finishes. Its offers "
                "expire "
                f"{feed['expiry_hours']} h after the last activated run.",
                "Pause",
                act(view, UserRole.OPERATOR, "feed.pause", pause, about=feed_id, then=reload),
            ),
            view=view,
            needs=UserRole.OPERATOR,
        )
        button(
            "Run now",
            act(view, UserRole.OPERATOR, "feed.run", run, about=feed_id),
            view=view,
            needs=UserRole.OPERATOR,
            kind="primary",
        )
        return
    turn_on: Any = act(view, UserRole.OPERATOR, "feed.enable", enable, about=feed_id, then=reload)
    if feed["status"] == "DISABLED":
        turn_on = confirmed(
            f"Re-enable {name}?",
            "It was disabled due to repeated failures; the last one: "
            f"{feed['last_error'] or 'unknown'}. Enabling it confirms that you have reviewed the cause.",
            "Re-enable",
            turn_on,
        )
    button(TURN_ON[feed["status"]], turn_on, view=view, needs=UserRole.OPERATOR, kind="primary")


def _notices(feed: Row) -> None:
    """What an operator should notice, with the way to it."""
    if (waiting := feed["waiting_run_id"]) is not None:
        with div("w-card w-notice", role="status"):
            tag("h2", "A run waits for your approval")
            quiet("It was loaded but not activated, because too much would change at once.")
            with row():
                link(f"Open run {waiting}", f"/feed-runs/{waiting}", cls="w-button w-primary")
    for description in notices(feed, datetime.now(UTC)):
        with div("w-card w-notice", role="status"):
            tag("p", description)


def notices(feed: Row, now: datetime) -> list[str]:
    """FN-07 and the like, in words."""
    found = []
    if expires_between_runs(feed):
        found.append(
            f"Its offers expire after {feed['expiry_hours']} h but it runs only every "
            f"{feed['schedule_frequency_hours']} h: between two runs everything would expire."
        )
    stale = stale_at(feed)
    if feed["status"] == "ENABLED" and stale is not None and stale < now + timedelta(hours=feed["expiry_hours"] / 4):
        found.append(f"Its offers expire {formatting.ago(stale, now)} unless a run is activated before.")
    if feed["transport"] == "FTP":
        found.append("It uses plain FTP: its password and file are sent in clear text.")
    return found


def _metrics(runs: list[Row]) -> None:
    labels = [f"#{one['id']}" for one in runs]
    with columns():
        with card("Offers per run"):
            chart(
                f"Offers and rejected rows of the last {len(runs)} runs",
                [
                    Series("Offers", [one["products_upserted"] for one in runs], "good", "bar", "rows"),
                    Series("Rejected", [one["products_rejected"] for one in runs], "bad", "bar", "rows"),
                ],
                labels=labels,
            )
        with card("Missing offers per run"):
            chart(
                f"Offers missing from each of the last {len(runs)} runs",
                [
                    Series("Would expire", [one["would_expire_count"] for one in runs], "warn", "bar"),
                    Series("Active before", [one["active_count_before"] for one in runs], "neutral", "line"),
                ],
                labels=labels,
            )


def _run(run: Row) -> dict[str, Any]:
    return {
        "id": run["id"],
        "label": f"run {run['id']}",
        "run": cell(
            f"Run {run['id']}",
            f"{formatting.humanize(run['trigger'].lower())}, {formatting.ago(run['started_at'], datetime.now(UTC))}",
            path=f"/feed-runs/{run['id']}",
            title=formatting.absolute(run["started_at"]),
        ),
        "status": result_cell(run),
        "rows": number(run["rows_read"]),
        "offers": number(run["products_upserted"]),
        "rejected": number(run["products_rejected"]),
        "prices": number(run["prices_written"]),
        "expire": number(run["would_expire_count"]),
        "took": cell(formatting.duration(run["duration_ms"] / 1000) if run["duration_ms"] is not None else None),
    }


def result_cell(run: Row) -> Cell:
    """The result of a run as a badge, with who decided or what went wrong."""
    result = result_of(run)
    details = {
        RunResult.ROLLED_BACK: f"by {run['invalidated_by']}",
        RunResult.APPROVED: f"by {run['expiry_approved_by']}",
        RunResult.REPLACED: f"by run {run['replaced_by_run_id']}, before it was approved",
        RunResult.FAILED: (run["error_message"] or "")[:120],
    }
    label, tone = RESULTS[result]
    return cell(label, details.get(result), tone=tone, title=run["skipped_reason"])


def _transport(feed: Row) -> str:
    host = "".join((feed["host"] or "", f":{feed['port']}" if feed["port"] else ""))
    return f"{feed['transport']} · {host}" if host else str(feed["transport"])
