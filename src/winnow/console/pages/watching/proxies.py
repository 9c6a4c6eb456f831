"""Proxies: the exits requests take in turn."""

from __future__ import annotations

from typing import Any

from winnow.actions import proxies
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import action, cell, number, state, when
from winnow.console.widgets.form import select_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div, link
from winnow.console.widgets.parts import Empty, button, card, confirmed
from winnow.errors import InvalidInput
from winnow.fetch.proxies import roster
from winnow.fetch.proxies.roster import Proxy
from winnow.observe.users import UserRole

COLUMNS = [
    Column("where", "Proxy"),
    Column("state", "State"),
    Column("region", "Region"),
    Column("good", "Answered", "right"),
    Column("bad", "Failed", "right"),
    Column("took", "Takes", "right"),
    Column("used", "Last used"),
]
NONE = Empty("No proxies", "Requests are sent directly. As soon as a proxy is added, only proxies are used.")
REMOVE_TEXT = "It is no longer used. Without another proxy, requests are sent directly again."


@page("/proxies", "Proxies", parent="/domains")
async def build(view: View) -> None:
    with heading("Proxies", "Proxies are used in turn. A failing proxy is skipped until it answers again."):
        link("Domains", "/domains", cls="w-button")

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], str | None]:
        start = int(after or 0)
        async with view.parts.database.connection() as conn:
            found = await roster.listed(conn)
        more = str(start + limit) if start + limit < len(found) else None
        return [_row(view, proxy) for proxy in found[start : start + limit]], more

    def change(name: str) -> Any:
        async def run(proxy_id: int) -> None:
            if await _acts(view, proxy_id)[name]():
                await grid.refresh()

        return run

    names = ("test", "enable", "disable", "remove")
    grid = Grid(view, COLUMNS, load, empty=NONE, caption="Proxies", actions={name: change(name) for name in names})
    await grid.refresh()
    if view.may(UserRole.ADMIN):
        _form(view, grid)


def _acts(view: View, proxy_id: int) -> dict[str, Any]:
    async def test(context: ActionContext) -> str:
        trouble = await context.parts.exits.check(proxy_id)
        if trouble is not None:
            raise InvalidInput(f"the proxy does not work: {trouble}")
        return "The proxy works."

    async def enable(context: ActionContext) -> str:
        async with context.parts.database.connection() as conn:
            await proxies.set_active(conn, context.actor, proxy_id, True)
        return "The proxy is enabled."

    async def disable(context: ActionContext) -> str:
        async with context.parts.database.connection() as conn:
            await proxies.set_active(conn, context.actor, proxy_id, False)
        return "The proxy is disabled."

    async def remove(context: ActionContext) -> str:
        async with context.parts.database.connection() as conn:
            await proxies.remove(conn, context.actor, proxy_id)
        return "The proxy is removed."

    works = {"test": test, "enable": enable, "disable": disable, "remove": remove}
    roles = {"test": UserRole.OPERATOR}
    made = {
        n: act(view, roles.get(n, UserRole.ADMIN), f"{n} a proxy", work, about=proxy_id) for n, work in works.items()
    }
    return {**made, "remove": confirmed("Remove this proxy?", REMOVE_TEXT, "Remove it", made["remove"])}


def _form(view: View, grid: Grid) -> None:
    with card("Add a proxy"):
        with div("w-form"):
            protocol = select_field("Speaks", {"http": "HTTP", "https": "HTTPS", "socks5": "SOCKS5"}, "http")
            host = text_field("Host", "", placeholder="proxy.example.com")
            port = text_field("Port", "", kind="number", min="1", max="65535")
            username = text_field("User (optional)", "", autocomplete="off")
            password = text_field("Password (optional)", "", kind="password", autocomplete="new-password")
            region = text_field("Region (optional)", "", placeholder="us")

        async def add(context: ActionContext) -> str:
            if not str(port.value).isdigit():
                raise InvalidInput("port must be a whole number", field="port")
            async with context.parts.database.connection() as conn:
                await proxies.add(
                    conn,
                    context.actor,
                    context.parts.settings.db,
                    context.parts.allow,
                    protocol=protocol.value,
                    host=host.value,
                    port=int(port.value),
                    username=username.value or None,
                    password=password.value or None,
                    region=region.value or None,
                )
            password.value = ""
            return "Added. Requests now use proxies."

        description = "Once a proxy is added, every request uses one. If none answers, nothing is fetched."
        ask = confirmed("Add this proxy?", description, "Add it", act(view, UserRole.ADMIN, "add a proxy", add))

        async def both() -> None:
            if await ask():
                await grid.restart()

        button("Add it", both, view=view, needs=UserRole.ADMIN, kind="primary")


def _row(view: View, proxy: Proxy) -> dict[str, Any]:
    healthy = state("healthy") if proxy.is_healthy else state("failed", "Does not answer")
    offered = [action("test", "Test")] if view.may(UserRole.OPERATOR) else []
    if view.may(UserRole.ADMIN):
        offered.append(action("disable", "Disable") if proxy.is_active else action("enable", "Enable"))
        if not proxy.from_settings:
            offered.append(action("remove", "Remove", danger=True))
    address = f"{proxy.protocol}://{proxy.host}:{proxy.port}"
    origin = "from the settings" if proxy.from_settings else f"as {proxy.username}" if proxy.username else None
    return {
        "id": proxy.id,
        "label": f"{proxy.host}:{proxy.port}",
        "where": cell(address, origin),
        "state": healthy if proxy.is_active else state("disabled"),
        "region": cell(proxy.region),
        "good": number(proxy.success_count),
        "bad": number(proxy.total_failure_count),
        "took": cell(None if proxy.avg_response_time_ms is None else f"{proxy.avg_response_time_ms} ms"),
        "used": when(proxy.last_used_at),
        "actions": offered,
    }
