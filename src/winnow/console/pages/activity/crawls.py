"""Crawls: shops whose products are found by links and sitemaps, as they go."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from winnow.actions.catalogue import crawls as crawl_actions
from winnow.actions.catalogue.crawls import CrawlOrder
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import cell, number, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import area_field, switch_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link, tag
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
    row,
)
from winnow.console.widgets.parts import when as moment
from winnow.db.engine import Connection
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import crawls
from winnow.queries.reading import Row

LIVE = ("waiting", "running", "paused")
STATES = {"": "All", **{name: name.capitalize() for name in (*LIVE, "done", "stopped", "failed")}}
COLUMNS = [
    Column("crawl", "Crawl"),
    Column("state", "State"),
    Column("started", "Started"),
    Column("pages", "Pages", "right"),
    Column("products", "Products", "right"),
    Column("held", "Held", "right"),
    Column("failed", "Failed", "right"),
    Column("queue", "Queue", "right"),
]
REASONS = [
    Column("pages", "Pages", "right"),
    Column("ended", "Ended"),
    Column("reason", "Because"),
    Column("example", "Example"),
]
STOP_TEXT = "Queued pages are removed; running ones finish. What was stored is kept. It cannot be resumed."
Change = Callable[[Connection, str, int], Awaitable[int]]


@page("/crawls", "Crawls", group="Now", icon="travel_explore", order=30, key="g")
async def build(view: View) -> None:
    with heading("Crawls", "Whole shops, whose products are found by links and sitemaps; newest first."):
        if view.may(UserRole.OPERATOR):
            link("Crawl a shop", "/crawls/new", cls="w-button w-primary")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.reading() as conn:
            found, following = await crawls.listed(
                conn, state=wanted.wanted, after=int(after) if after else None, limit=limit
            )
        return [_listed(crawl) for crawl in found], following

    with FilterBar(view) as filters:
        wanted = filters.choice("State", STATES, "state")
    empty = Empty("No crawls", "Crawl a shop, or run winnow crawl URL.")
    grid = filters.above(Grid(view, COLUMNS, load, empty=empty, caption="Crawls"))
    await grid.refresh()
    refresh_every(5, grid.refresh, view)


def _listed(crawl: Row) -> Row:
    return {
        "id": crawl["id"],
        "label": f"crawl {crawl['id']}",
        "crawl": cell(crawl["url"], crawl["source_name"], path=f"/crawls/{crawl['id']}"),
        "state": state(crawl["state"]),
        "started": when(crawl["started_at"]),
        "pages": number(crawl["pages"]),
        "products": number(crawl["products"]),
        "held": number(crawl["held"]),
        "failed": number(crawl["failed"]),
        "queue": number(crawl["queue"]),
    }


@page("/crawls/new", "Crawl a shop", parent="/crawls", role=UserRole.OPERATOR)
async def build_new(view: View) -> None:
    heading("Crawl a shop", "Every page of its host is visited once, within the limits of its domain.")
    with card("Shop"):
        url = text_field("URL", view.query("url") or "", kind="url", placeholder="https://shop.example/",
                         help_text="Where to begin: the home page.")  # fmt: skip
        whole = switch_field(
            "Whole domain", False, help_text="Every host of its registrable domain, not only this one."
        )
        path = text_field("Path", "", placeholder="/en/", help_text="Only paths that begin so. Empty: all.")
        pages = text_field(
            "Maximum of pages", "", kind="number", placeholder="100000", help_text="It ends after so many pages."
        )
        include = area_field("Include", "", rows=2, help_text="One pattern a line, as in robots.txt: /products/*")
        exclude = area_field("Exclude", "", rows=2, help_text="One pattern a line.")
        sections = area_field(
            "Sections", "", rows=2, help_text="At most so many pages of paths that begin so: /blog/ 100"
        )
    made: list[int] = []

    async def begin(context: ActionContext) -> str:
        order = CrawlOrder(
            url=(url.value or "").strip(), whole_domain=bool(whole.value), path=(path.value or "").strip(),
            include=_lines(include.value), exclude=_lines(exclude.value), sections=_sections(sections.value),
            budget=_budget(pages.value),
        )  # fmt: skip
        parts = context.parts
        async with parts.database.transaction() as conn:
            crawl_id, began = await crawl_actions.start(
                conn, context.actor, parts.intake, parts.settings.schedule, order
            )
        made.append(crawl_id)
        return f"Crawl {crawl_id} {'has begun' if began else 'waits for its source'}."

    start = act(view, UserRole.OPERATOR, "start a crawl", begin, then=lambda: ui.navigate.to(f"/crawls/{made[-1]}"))
    with row():
        button("Start", start, view=view, needs=UserRole.OPERATOR, kind="primary", sign="play_arrow")


def _lines(text: Any) -> list[str]:
    return [line.strip() for line in str(text or "").splitlines() if line.strip()]


def _sections(text: Any) -> dict[str, int]:
    found = {}
    for line in _lines(text):
        prefix, _, pages = line.rpartition(" ")
        if not pages.isdigit() or not prefix:
            raise InvalidInput("a section is a prefix and a number of pages: /blog/ 100", field="sections")
        found[prefix.strip()] = int(pages)
    return found


def _budget(pages: Any) -> Mapping[str, int]:
    written = str(pages or "").strip()
    if not written:
        return {}
    if not written.isdigit():
        raise InvalidInput("pages is a whole number", field="pages")
    return {"pages": int(written)}


@page("/crawls/{crawl_id:int}", "Crawl", parent="/crawls")
async def build_one(view: View, crawl_id: int) -> None:
    crawl = await _crawl(view, crawl_id)
    buttons = heading(f"Crawl {crawl_id}", crawl["url"])

    async def refresh() -> None:
        found = await _crawl(view, crawl_id)
        shown.clear()
        with shown:
            _progress(found)
        buttons.clear()
        with buttons:
            _buttons(view, found, refresh)
        await grid.refresh()

    async def load(_after: str | None, _limit: int) -> tuple[list[Row], str | None]:
        found = await _crawl(view, crawl_id)
        return [_reason(n, one) for n, one in enumerate(found["without_product"])], None

    with buttons:
        _buttons(view, crawl, refresh)
    with div("w-stack") as shown:
        _progress(crawl)
    with card("Pages without a product", "How they ended, and what was said of one of them."):
        grid = Grid(view, REASONS, load, empty=Empty("None so far", "Pages that only lead on are not counted."),
                    caption="Pages without a product")  # fmt: skip
    await grid.refresh()
    if crawl["state"] in LIVE:
        refresh_every(2, refresh, view)


async def _crawl(view: View, crawl_id: int) -> Row:
    async with view.reading() as conn:
        found = await crawls.report(conn, crawl_id)
    if found is None:
        raise NotFound(f"there is no crawl {crawl_id}")
    return found


def _buttons(view: View, crawl: Row, then: Callable[[], Awaitable[None]]) -> None:
    def change(verb: str, work: Change) -> Any:
        async def changed(context: ActionContext) -> str:
            async with context.parts.database.transaction() as conn:
                pages = await work(conn, context.actor, crawl["id"])
            return f"Crawl {crawl['id']} is {verb}: {formatting.count(pages, 'queued page')}."

        return act(view, UserRole.OPERATOR, f"crawl {verb}", changed, about=crawl["id"], then=then)

    if crawl["run_id"] is not None:
        link("Its visits", f"/runs/{crawl['run_id']}", cls="w-button")
    if crawl["state"] == "running":
        paused = change("paused", crawl_actions.pause)
        button("Pause", paused, view=view, needs=UserRole.OPERATOR, sign="pause")
    if crawl["state"] == "paused":
        resumed = change("resumed", crawl_actions.resume)
        button("Resume", resumed, view=view, needs=UserRole.OPERATOR, kind="primary", sign="play_arrow")
    if crawl["state"] in LIVE:
        ask = confirmed(f"Stop crawl {crawl['id']}?", STOP_TEXT, "Stop it", change("stopped", crawl_actions.stop))
        button("Stop", ask, view=view, needs=UserRole.OPERATOR, kind="danger", sign="stop")


def _progress(crawl: Row) -> None:
    total = max(1, crawl["pages"] + crawl["queue"])
    with div("w-progress", role="status"):
        tag("span", _sentence(crawl))
        tag("progress", aria_label="Progress", value=crawl["pages"], max=total)
    with div("w-figures"):
        figure("Products", formatting.number(crawl["products"]))
        figure("Pages", formatting.number(crawl["pages"]), description=_pace(crawl))
        figure("Queue", formatting.number(crawl["queue"]), description=_left(crawl))
        held, failed = crawl["held"], crawl["failed"]
        figure("Held", formatting.number(held), tone="warn" if held else "")
        figure("Rejected", formatting.number(crawl["rejected"]))
        figure("Failed", formatting.number(failed), tone="bad" if failed else "",
               description=formatting.percent(failed, crawl["pages"]))  # fmt: skip
    with columns():
        with card("Crawl"):
            facts({
                "State": lambda: badge(crawl["state"]),
                "Source": lambda: link(crawl["source_name"], f"/sources/{crawl['source_id']}"),
                "Started": lambda: moment(crawl["started_at"]),
                "Ended": lambda: moment(crawl["ended_at"]),
                "Started by": crawl["requested_by"],
                "Scope": _scope(crawl["scope"]),
                "Limits": _limits(crawl["budget"]),
            })  # fmt: skip
        with card("Links", "Links found on its pages. Each is visited once, or cut by a limit."):
            facts({
                "Found": formatting.number(crawl["links_found"]),
                "Visited": _counts(crawl["links_by_role"]),
                "Cut": _counts(crawl["links_cut_by"]),
                "Forbidden by robots.txt": formatting.number(crawl["robots_blocked"]),
                "Sitemaps": _coverage(crawl["sitemap"]),
            })  # fmt: skip


def _sentence(crawl: Row) -> str:
    if crawl["state"] == "waiting":
        return "Waiting: its source has another run, or is paused."
    so_far = " so far" if crawl["state"] in LIVE else ""
    return f"{formatting.humanize(crawl['state'])} · {formatting.count(crawl['products'], 'product')}{so_far}"


def _pace(crawl: Row) -> str:
    rate = crawl["pages_per_second"]
    return f"{rate:g} a second" if rate else ""


def _left(crawl: Row) -> str:
    return "" if crawl["eta_seconds"] is None else f"{formatting.duration(crawl['eta_seconds'])} left"


def _scope(scope: Mapping[str, Any]) -> str:
    parts = [scope["host"] or f"all of {scope['domain']}", scope["path"]]
    parts += [f"only {pattern}" for pattern in scope["include"]] + [f"not {pattern}" for pattern in scope["exclude"]]
    parts += [f"at most {formatting.number(n)} of {prefix}" for prefix, n in scope.get("sections", {}).items()]
    return ", ".join(filter(None, parts))


def _limits(budget: Mapping[str, int]) -> str:
    time, gigabytes = formatting.duration(budget["seconds"]), budget["bytes"] / 1e9
    return f"{formatting.count(budget['pages'], 'page')}, {budget['depth']} links deep, {time}, {gigabytes:.3g} GB"


def _counts(by_name: Mapping[str, int]) -> str:
    named = (f"{formatting.humanize(name)} {formatting.number(n)}" for name, n in sorted(by_name.items()))
    return ", ".join(named) or formatting.NOTHING


def _coverage(sitemap: Row | None) -> str:
    if sitemap is None or not sitemap["listed"]:
        return formatting.NOTHING
    listed, products = formatting.number(sitemap["listed"]), formatting.number(sitemap["products"])
    return f"{formatting.number(sitemap['read'])} of {listed} read, {products} with a product"


def _reason(n: int, one: Row) -> Row:
    return {
        "id": n,
        "label": one["outcome"],
        "pages": number(one["n"]),
        "ended": state(one["outcome"]),
        "reason": cell(one["reason"] or formatting.NOTHING),
        "example": cell(one["example"] or formatting.NOTHING),
    }
