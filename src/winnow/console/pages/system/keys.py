"""Keys: who may use the API. A key is shown once, kept as a hash, and refused at the next request when revoked."""

from __future__ import annotations

import msgspec

from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import action, cell, when
from winnow.console.widgets.form import switch_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div
from winnow.console.widgets.once import show_once
from winnow.console.widgets.parts import Empty, button, card, confirm
from winnow.errors import InvalidInput
from winnow.observe import keys
from winnow.observe.keys import Scope
from winnow.observe.users import UserRole
from winnow.queries.reading import Row

COLUMNS = [
    Column("name", "Name"),
    Column("scopes", "Scopes"),
    Column("workspace", "Workspace"),
    Column("created", "Created"),
    Column("expires", "Expires"),
    Column("used", "Last used"),
    Column("state", "State"),
]
MEANINGS = {
    Scope.READ: "read prices and products that are visible to consumers",
    Scope.SCRAPE: "use the scraping service and read",
    Scope.ADMIN: "full access, including changes",
}
REVOKE_TEXT = "Requests with this key are refused from now on. This cannot be undone; create a new key instead."


@page("/keys", "API keys", group="System", icon="key", order=40, key="k", role=UserRole.ADMIN)
async def build(view: View) -> None:
    heading("API keys", "Access to the REST API. Only a hash of each key is stored.")

    async def load(after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with view.connection() as conn:
            found = [msgspec.structs.asdict(key) for key in await keys.listed(conn, revoked=True)]
        start = int(after or 0)
        newest = sorted(found, key=lambda key: (key["revoked_at"] is not None, -key["id"]))[start : start + limit + 1]
        return [_listed(key) for key in newest[:limit]], str(start + limit) if len(newest) > limit else None

    async def revoke(key_id: int) -> None:
        async def work(context: ActionContext) -> str:
            async with context.parts.database.connection() as conn:
                gone = await keys.revoke(conn, str(key_id), context.actor)
            return f"The key {gone.name} is revoked."

        if await confirm("Revoke this key?", REVOKE_TEXT, "Revoke the key"):
            await act(view, UserRole.ADMIN, "revoke a key", work, about=key_id, then=grid.refresh)()

    async def create() -> None:
        made: list[str] = []

        async def work(context: ActionContext) -> str:
            chosen = [scope for scope, field in scopes.items() if field.value]
            async with context.parts.database.connection() as conn:
                _, secret = await keys.create(
                    conn, name.value, chosen, context.actor,
                    days=_days(days.value), workspace_id=workspace.value.strip() or None,
                )  # fmt: skip
            made.append(secret)
            return ""

        if await act(view, UserRole.ADMIN, "create a key", work, about=name.value, then=grid.restart)():
            await show_once("The new key", made[0], "Send it as X-Service-Key, or as Authorization: Bearer.")
            name.value = ""

    with card("A new key"):
        with div("w-form"):
            name = text_field("Name", placeholder="what it is for")
            workspace = text_field("Workspace", placeholder="for scope scrape; * for all")
            days = text_field("Expires after (days)", kind="number", placeholder="never", min="0.01", step="any")
        with div("w-form"):
            scopes = {
                scope: switch_field(
                    scope.value.capitalize(), scope is Scope.READ, help_text=f"{message[:1].upper()}{message[1:]}."
                )
                for scope, message in MEANINGS.items()
            }
        with div("w-row"):
            button("Create the key", create, view=view, needs=UserRole.ADMIN, kind="primary", sign="add")
    empty = Empty("No keys yet", "The API cannot be used without a key.")
    grid = Grid(view, COLUMNS, load, empty=empty, caption="API keys", actions={"revoke": revoke})
    await grid.refresh()


def _days(text: str) -> float | None:
    try:
        days = float(text) if text else None
    except ValueError:
        raise InvalidInput(f"{text!r} is not a number of days") from None
    if days is not None and not 0 < days < 36_500:
        raise InvalidInput("the number of days must be between 0 and 36500")
    return days


def _listed(key: Row) -> Row:
    revoked = key["revoked_at"] is not None
    return {
        "id": key["id"],
        "label": f"key {key['name']}",
        "name": cell(key["name"], f"wk_{key['prefix']}_…"),
        "scopes": cell(key["scopes"]),
        "workspace": cell("all" if key["workspace_id"] == keys.ALL_WORKSPACES else key["workspace_id"] or "–"),
        "created": cell(when(key["created_at"])["text"], key["created_by"]),
        "expires": when(key["expires_at"]),
        "used": when(key["last_used_at"]),
        "state": cell("Revoked", tone="bad") if revoked else cell("Valid", tone="good"),
        "actions": [] if revoked else [action("revoke", "Revoke", danger=True)],
    }
