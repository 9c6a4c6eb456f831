"""Overview: current activity, health, and items that need attention."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from nicegui import ui

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state, when
from winnow.console.widgets.charts import Series, chart, options
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, tag
from winnow.console.widgets.parts import Empty, Figure, badge, card, columns, refresh_every, show_empty
from winnow.queries import alerts, overview, tasks
from winnow.queries import demo_tour as demo_tour_module
from winnow.queries.demo_tour import Guide, StepState
from winnow.queries.reading import Row

SHORT = 8  # rows of each list here; its own page has the rest
MINUTES, DAYS = 60, 7

Rows = tuple[list[Row], None]
STEP_TONES = {StepState.SEEN: "good", StepState.DOING: "info", StepState.FAILED: "bad"}


@page("/", "Overview", group="Now", icon="space_dashboard", order=10, key="o")
async def build(view: View) -> None:
    heading("Overview", "Current activity, health, and items that need your attention.")
    async with view.reading() as conn:
        found = await overview.figures(conn)
    _tour(demo_tour_module.read(view.settings.db.folder))
    if not found["sources"]:
        show_empty(
            Empty(
                "Nothing is watched yet",
                "Enter the address of a product page and preview what is read before you save it.",
                "Watch a page",
                "/add",
            )
        )
    shown = _figures(found)
    with columns():
        running, queue = _running(view), _queue(view)
        outcomes, through = _outcomes(), _throughput()
        fresh, waiting = _freshness(view), _alerts(view)
    for grid in (running, queue, fresh, waiting):
        await grid.refresh()
    await _draw(view, outcomes, through)

    async def refresh() -> None:
        async with view.reading() as conn:
            _update(shown, await overview.figures(conn))
        for grid in (running, queue, waiting):
            await grid.refresh()

    async def refresh_slowly() -> None:
        await fresh.refresh()
        await _draw(view, outcomes, through)

    refresh_every(5, refresh, view)
    refresh_every(30, refresh_slowly, view)


# figures


FIGURES = {
    "running": ("Pages being fetched", "/runs", ""),
    "queued": ("Queued", "/domains", ""),
    "held": ("Held for review", "/quarantine", "warn"),
    "alerts": ("Open alerts", "/alerts", "bad"),
    "approvals": ("Feeds to approve", "/feeds", "warn"),
    "dead": ("Dead letters", "/dead-letters", "warn"),
}  # name -> label, page, colour when there are any


def _figures(found: Row) -> dict[str, Figure]:
    with div("w-figures"):
        shown = {name: Figure(label, path=path) for name, (label, path, _) in FIGURES.items()}
    _update(shown, found)
    return shown


def _update(shown: dict[str, Figure], found: Row) -> None:
    for name, drawn in shown.items():
        drawn.show(formatting.number(found[name]), tone=FIGURES[name][2] if found[name] else "")
    busy = f"by {formatting.count(found['workers'], 'worker')}"
    shown["running"].show(formatting.number(found["running"]), busy if found["workers"] else "idle")


# lists


def _running(view: View) -> Grid:
    async def load(after: str | None, limit: int) -> Rows:
        async with view.reading() as conn:
            found = await overview.running(conn, SHORT)
        return [
            {
                "id": row["id"],
                "source": cell(row["source_name"], f"run {row['id']}", path=f"/runs/{row['id']}"),
                "done": cell(
                    f"{row['urls_attempted']} of {row['urls_planned']}",
                    formatting.percent(row["urls_attempted"], row["urls_planned"]),
                ),
                "accepted": number(row["offers_valid"]),
                "failed": number(row["urls_failed"]),
                "since": when(row["started_at"]),
            }
            for row in found
        ], None

    shown = [Column("source", "Source"), Column("done", "Done", "right"), Column("accepted", "Accepted", "right"),
             Column("failed", "Failed", "right"), Column("since", "Since")]  # fmt: skip
    with card("Runs in progress"):
        empty = Empty("No runs in progress", "The scheduler starts a run when targets are due.",
                      "All runs", "/runs")  # fmt: skip
        return Grid(view, shown, load, empty=empty, caption="Runs under way")


def _queue(view: View) -> Grid:
    async def load(after: str | None, limit: int) -> Rows:
        async with view.reading() as conn:
            found = (await tasks.summary(conn))["by_domain"][:SHORT]
        return [
            {
                "id": row["domain"],
                "domain": cell(row["domain"], path=f"/domains/{row['domain']}"),
                "queued": number(row["queued"]),
                "running": number(row["running"]),
            }
            for row in found
        ], None

    shown = [Column("domain", "Domain"), Column("queued", "Queued", "right"), Column("running", "Running", "right")]
    with card("Queue by domain"):
        empty = Empty("The queue is empty", "Everything that was due has been visited.")
        return Grid(view, shown, load, empty=empty, caption="Queue by domain")


def _freshness(view: View) -> Grid:
    async def load(after: str | None, limit: int) -> Rows:
        async with view.reading() as conn:
            found = await overview.freshness(conn, SHORT)
        return [_fresh(row) for row in found], None

    shown = [Column("source", "Source"), Column("state", "On time"), Column("every", "Cadence"),
             Column("newest", "Last visit"), Column("oldest", "Oldest")]  # fmt: skip
    with card("Freshness", "Sources compared with their schedule, most overdue first."):
        empty = Empty("No active targets", "A source is on time when its targets were visited as often as scheduled.",
                      "Sources", "/sources")  # fmt: skip
        return Grid(view, shown, load, empty=empty, caption="Freshness by source")


def _fresh(row: Row) -> Row:
    paused = row["paused"] or not row["enabled"]
    on_time, targets = row["on_time"], row["targets"]
    if paused:
        message, tone = "paused", "neutral"
    elif row["never"] == targets:
        message, tone = "not visited yet", "bad" if row["late"] else "neutral"
    else:
        message = f"{formatting.percent(on_time, targets)} of {formatting.number(targets)}"
        tone = "good" if on_time == targets else "warn" if on_time else "bad"
    cadence = f"every {formatting.duration(row['every'].total_seconds())}" if row["every"] else row["schedule"]
    return {
        "id": row["source_id"],
        "source": cell(row["name"], path=f"/sources/{row['source_id']}"),
        "state": cell(message, tone=tone),
        "every": cell(cadence),
        "newest": when(row["newest"]),
        "oldest": when(row["oldest"]),
    }


def _alerts(view: View) -> Grid:
    async def load(after: str | None, limit: int) -> Rows:
        async with view.reading() as conn:
            found, _ = await alerts.listed(conn, limit=SHORT)
        return [
            {
                "id": row["id"],
                "severity": state(row["severity"], row["severity"]),
                "title": cell(row["title"], row["code"], path=f"/alerts/{row['id']}"),
                "seen": when(row["last_seen_at"]),
            }
            for row in found
        ], None

    shown = [Column("severity", "Severity"), Column("title", "What"), Column("seen", "Last seen")]
    with card("Open alerts"):
        empty = Empty(
            "No open alerts",
            "Adapter drift, feed spikes and similar problems are listed here and sent to your receivers.",
        )
        return Grid(view, shown, load, empty=empty, caption="Open alerts")


# charts


def _outcomes() -> ui.echart:
    with card("Accepted, held, rejected", f"Results of runs in the last {DAYS} days."):
        return chart("Records accepted, held and rejected, and pages that failed, by day", [], labels=[])


def _throughput() -> ui.echart:
    with card("Throughput", "Tasks finished per minute in the last hour (UTC)."):
        return chart("Finished and failed tasks by minute", [], labels=[])


async def _draw(view: View, outcomes: ui.echart, through: ui.echart) -> None:
    async with view.reading() as conn:
        by_day = await overview.outcomes(conn, DAYS)
        by_minute = await overview.throughput(conn, MINUTES)
    _show(outcomes, [f"{row['at']:%a %d}" for row in by_day], [
        Series(formatting.humanize(name), [int(row[name] or 0) for row in by_day], tone, "bar", "all")
        for name, tone in (("accepted", "good"), ("held", "warn"), ("rejected", "neutral"), ("failed", "bad"))
    ])  # fmt: skip
    minutes = _minutes(by_minute)
    _show(through, [f"{at:%H:%M}" for at, _ in minutes], [
        Series(formatting.humanize(name), [row.get(name, 0) for _, row in minutes], tone, "bar", "all")
        for name, tone in (("done", "good"), ("failed", "bad"))
    ])  # fmt: skip


def _minutes(found: Sequence[Row]) -> list[tuple[datetime, Row]]:
    """With those in which nothing happened."""
    known = {row["minute"].astimezone(UTC): row for row in found}
    last = datetime.now(UTC).replace(second=0, microsecond=0)
    moments = [last - timedelta(minutes=MINUTES - 1 - n) for n in range(MINUTES)]
    return [(at, known.get(at, {})) for at in moments]


def _show(shown: ui.echart, labels: list[str], series: list[Series]) -> None:
    shown.options.clear()
    shown.options.update(options(series, labels))
    shown.update()


# the demo's tour


def _tour(told: Guide | None) -> None:
    if told is None:
        return
    with card("The tour", f"This is the demo; its shop is at {told.shop}."), tag("ol", cls="w-steps"):
        for step in told.steps:
            with tag("li"):
                with div("w-row"):
                    link(step.title, step.page) if step.page.startswith("/") else tag("span", step.title)
                    badge(step.state, tone=STEP_TONES.get(step.state, "neutral"))
                if step.said:
                    tag("span", step.said, cls="w-sub")
