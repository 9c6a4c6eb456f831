"""One run of a feed: what it read, what it would change, and the decision of a person (F-089 … F-091, F-140)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from winnow.actions import feeds as feed_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.catalogues.feed import result_cell
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, money, when
from winnow.console.widgets.form import text_field
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
    figure,
    refresh_every,
    reload_page,
    row,
)
from winnow.errors import InvalidInput, NotFound
from winnow.feeds.load.jumps import JUMP_FACTOR
from winnow.feeds.promote.breaker import (
    JUMP_SHARE,
    SPIKE_MAX_COUNT,
    SPIKE_MIN_COUNT,
    SPIKE_SHARE,
    URL_HASH_MAX_COUNT,
    URL_HASH_SHARE,
    Block,
)
from winnow.feeds.run_result import RunResult, result_of
from winnow.observe.users import UserRole
from winnow.queries import feeds as queries
from winnow.queries.reading import Row

UNSEEN = [Column("offer", "Offer"), Column("price", "Last price", "right"), Column("seen", "Last active")]
ERRORS = [
    Column("row", "Row", "right"),
    Column("code", "Code"),
    Column("message", "Problem"),
    Column("raw", "The row"),
]
WHY = {
    Block.SPIKE: f"More than {SPIKE_SHARE:.0%} (and at least {SPIKE_MIN_COUNT}), or at least {SPIKE_MAX_COUNT}, of the "
    f"offers that are "
    "active now are missing from the file. This usually means that the file was cut off.",
    Block.URL_HASH: f"More than {URL_HASH_SHARE:.0%} of the rows, or more than {URL_HASH_MAX_COUNT}, have no id of "
    "their own and were identified by their URL. This usually means that a column of the file changed.",
    Block.PRICES: f"More than {JUMP_SHARE:.0%} of the offers that were there before have a price in another currency, "
    f"or at least {JUMP_FACTOR} times as high or as low as before. This usually means a wrong decimal point or column.",
}
ALL_SEEN = Empty("Nothing would expire", "Every offer that was active is in the file.")
NO_ERRORS = Empty("No errors", "Every row of the file was usable.")
LOOK_SECONDS = 2.0


@page("/feed-runs/{run_id:int}", "Feed run", parent="/feeds")
async def build(view: View, run_id: int) -> None:
    async with view.reading() as conn:
        run = await queries.run(conn, run_id)

    reload = reload_page(view)

    with heading(
        f"Run {run_id} of {run['name']}",
        f"{formatting.humanize(run['trigger'].lower())} · {formatting.absolute(run['started_at'])}",
    ):
        link("The feed", f"/feeds/{run['feed_id']}", cls="w-button")
    _figures(run)
    _spike(view, run, reload)
    with columns():
        with card("Result"):
            shown = result_cell(run)
            known = {
                "Started": run["started_at"],
                "Finished": run["finished_at"],
                "Took": _took(run),
                "Downloaded": _bytes(run["download_bytes"]),
                "Error": run["error_code"],
                "Why": run["error_message"],
                "Skipped because": run["skipped_reason"],
                "Activated": run["promoted_at"],
                "Approved by": run["expiry_approved_by"],
                "Rolled back by": run["invalidated_by"],
                "Replaced": _replaced(run),
            }
            ended = {"Ended": lambda: badge(shown["text"], shown["text"], tone=shown.get("tone", "neutral"))}
            facts(ended | {name: value for name, value in known.items() if value is not None})
        with card("Rows"):
            facts({name: formatting.number(run[key]) for key, name in COUNTS.items()})
    if run["newest"] and (run["would_expire_count"] or 0) > 0:
        with card("Missing offers", "Active before this run and not in its file."):
            await _unseen(view, run)
    if run["error_count"]:
        with card("Unusable rows"):
            await _errors(view, run_id)
    if (
        run["status"] == "SUCCEEDED"
        and run["skipped_reason"] is None
        and run["invalidated_at"] is None
        and run["newest"]
    ):
        _roll_back(view, run, reload)
    if run["status"] == "RUNNING":
        await _wait(view, run_id, reload)


COUNTS = {
    "rows_read": "Read",
    "rows_parsed": "Understood",
    "products_upserted": "Offers",
    "products_rejected": "Rejected",
    "prices_written": "New prices",
    "duplicate_key_count": "Duplicate rows",
    "products_removed": "Removed by the file",
    "unknown_stock_count": "Stock unknown",
    "url_hash_fallback_count": "Without an id",
    "products_promoted": "Activated",
    "products_expired": "Expired",
}


def _figures(run: Row) -> None:
    active, gone = run["active_count_before"], run["would_expire_count"]
    with div("w-figures"):
        figure("Offers in the file", formatting.number(run["products_upserted"]))
        figure("Active before", formatting.number(active))
        figure("Seen again", formatting.number(run["seen_success_count"]))
        figure(
            "Would expire",
            formatting.number(gone),
            description=formatting.percent(gone, active) if active else "",
            tone="bad" if result_of(run) is RunResult.AWAITING_APPROVAL else "",
        )


def _spike(view: View, run: Row, reload: Callable[[], None]) -> None:
    if not run["expiry_blocked"]:
        return
    waits = result_of(run) is RunResult.AWAITING_APPROVAL

    async def approve(context: ActionContext) -> str:
        done = await feed_actions.approve(context.parts.database, context.actor, run["id"])
        return f"Approved: {done} offers are active."

    gone = run["would_expire_count"] or 0
    with card("Reason for the block" if not waits else "Waiting for your approval"):
        quiet(WHY.get(run["expiry_blocked_reason"], formatting.humanize(run["expiry_blocked_reason"])))
        if active := run["active_count_before"]:
            share = min(100, 100 * gone / active)
            with div("w-bar", role="img", aria_label=f"{gone} of {active} active offers would expire"):
                tag("i").style(f"width:{share:.1f}%;background:var(--bad)")
            quiet(
                f"{formatting.number(gone)} of {formatting.number(active)} active offers would expire "
                f"({formatting.percent(gone, active)})."
            )
        if not waits:
            return
        quiet(
            "While it waits, what was active stays active until it expires, and nothing new is shown. If the file is "
            "wrong, do nothing: the next good file makes this run obsolete."
        )
        with row():
            button(
                "Approve Activation",
                confirmed(
                    f"Activate the offers of run {run['id']}?",
                    f"{formatting.number(run['products_upserted'])} offers "
                    f"become active "
                    f"now. {formatting.number(gone)} offers that are active today are not among them and expire.",
                    "Activate",
                    act(view, UserRole.OPERATOR, "feed_run.approve", approve, about=run["id"], then=reload),
                ),
                view=view,
                needs=UserRole.OPERATOR,
                kind="primary",
            )


def _roll_back(view: View, run: Row, reload: Callable[[], None]) -> None:
    with card("Roll back", "Use this when the file turns out to be wrong. Only the newest run can be rolled back."):
        reason = text_field("Reason", placeholder="Prices in the file were ten times too high")

        async def back(context: ActionContext) -> str:
            if not str(reason.value).strip():
                raise InvalidInput("enter a reason for the audit trail")
            await feed_actions.roll_back(context.parts.database, context.actor, run["id"], str(reason.value).strip())
            return f"Run {run['id']} is rolled back."

        with row():
            button(
                "Roll back the run",
                confirmed(
                    f"Roll back run {run['id']}?",
                    f"The {formatting.number(run['prices_written'])} prices it wrote are "
                    f"hidden, its "
                    "activation is undone, and the next run reads the whole file again. History is kept.",
                    "Roll back",
                    act(view, UserRole.OPERATOR, "feed_run.roll_back", back, about=run["id"], then=reload),
                ),
                view=view,
                needs=UserRole.OPERATOR,
                kind="danger",
            )


async def _unseen(view: View, run: Row) -> None:
    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.unseen(conn, run, after=int(after) if after else None, limit=limit)
        rows = [
            {
                "id": one["id"],
                "offer": cell(one["title"] or one["identity_value"], one["url"]),
                "price": money(one["amount_minor"], one["currency"]),
                "seen": when(one["last_seen_success_at"]),
            }
            for one in found
        ]
        return rows, following

    grid = Grid(view, UNSEEN, load, empty=ALL_SEEN, caption="Offers missing from the run", rows=10)
    await grid.refresh()


async def _errors(view: View, run_id: int) -> None:
    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.errors(conn, run_id, after=int(after) if after else None, limit=limit)
        rows = [
            {
                "id": one["id"],
                "row": formatting.text(one["row_number"]),
                "code": cell(one["code"]),
                "message": cell(one["message"]),
                "raw": cell(_short(one["raw_row"]), mono=True),
            }
            for one in found
        ]
        return rows, following

    grid = Grid(view, ERRORS, load, empty=NO_ERRORS, caption="Unusable rows", rows=10)
    await grid.refresh()


async def _wait(view: View, run_id: int, reload: Callable[[], None]) -> None:
    """A run under way: the page is new when it has ended."""
    with card(), div("w-progress", role="status"):
        tag("span", "The run is under way.")
        tag("progress", aria_label="The run is in progress")

    async def look() -> None:
        try:
            async with view.reading() as conn:
                running = (await queries.run(conn, run_id))["status"] == "RUNNING"
        except NotFound:
            running = False
        if not running:
            reload()

    refresh_every(LOOK_SECONDS, look, view)


def _replaced(run: Row) -> str | None:
    held = run["replaced_run_id"]
    return None if held is None else f"run {held}, which waited for approval"


def _took(run: Row) -> str | None:
    return None if run["duration_ms"] is None else formatting.duration(run["duration_ms"] / 1000)


def _bytes(n: int | None) -> str | None:
    if n is None:
        return None
    return f"{n / 1e6:.1f} MB" if n >= 100_000 else f"{n / 1e3:.1f} kB" if n >= 1_000 else f"{n} bytes"


def _short(raw: dict[str, Any] | None) -> str | None:
    if not raw:
        return None
    text = json.dumps(raw, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:199] + "…"
