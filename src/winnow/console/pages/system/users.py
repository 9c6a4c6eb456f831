"""Users: who may use the console, and as what."""

from __future__ import annotations

from typing import Any

import msgspec

from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.pages.system.account import MEANINGS
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.cells import action, cell, state, when
from winnow.console.widgets.form import select_field, text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import div
from winnow.console.widgets.once import show_once
from winnow.console.widgets.parts import Empty, button, card, confirm
from winnow.observe import users
from winnow.observe.users import UserRole
from winnow.queries.reading import Row

COLUMNS = [
    Column("name", "Name"),
    Column("role", "Role"),
    Column("state", "State"),
    Column("seen", "Last login"),
    Column("made", "Created"),
]
ROLES = {role.value: f"{role.value}: {message}" for role, message in MEANINGS.items()}


class _Page:
    def __init__(self, view: View) -> None:
        self._view = view
        self._form()
        actions = {"viewer": self._role("viewer"), "operator": self._role("operator"), "admin": self._role("admin"),
                   "disable": self._disable, "enable": self._enable, "password": self._password}  # fmt: skip
        empty = Empty("No users yet", "Add the first person above.")
        self.grid = Grid(view, COLUMNS, self._load, empty=empty, caption="Users", key="name_", actions=actions)

    def _form(self) -> None:
        with card("A new user", "A password is generated and shown once; it must be changed at the first login."):
            with div("w-form"):
                self._name = text_field("Name", placeholder="the name they log in with")
                self._as = select_field("Role", ROLES, UserRole.VIEWER.value)
            with div("w-row"):
                button(
                    "Add the user", self._add, view=self._view, needs=UserRole.ADMIN, kind="primary", sign="person_add"
                )

    async def _load(self, after: str | None, limit: int) -> tuple[list[Row], str | None]:
        async with self._view.connection() as conn:
            found = [msgspec.structs.asdict(person) for person in await users.listed(conn)]
        start = int(after or 0)
        shown = found[start : start + limit + 1]
        return [_listed(person) for person in shown[:limit]], str(start + limit) if len(shown) > limit else None

    async def _add(self) -> None:
        password = users.generate_password()

        async def work(context: ActionContext) -> str:
            async with context.parts.database.connection() as conn:
                await users.add(
                    conn, self._name.value, password, UserRole(self._as.value), context.actor, must_change=True
                )
            return ""

        if await self._done("add a user", work, self._name.value):
            await show_once(f"The password of {self._name.value}", password, "It must be changed at the first login.")

    async def _password(self, name: str) -> None:
        password = users.generate_password()

        async def work(context: ActionContext) -> str:
            async with context.parts.database.connection() as conn:
                await users.set_password(conn, name, password, context.actor, must_change=True)
            return ""

        description = f"{name} gets a new password that is shown to you once. All their sessions end."
        if await confirm(f"Reset the password of {name}?", description, "Reset the password") and await self._done(
            "reset a password", work, name
        ):
            await show_once(f"The new password of {name}", password, "It must be changed at the next login.")

    def _role(self, role: str) -> Any:
        async def change(name: str) -> None:
            async def work(context: ActionContext) -> str:
                async with context.parts.database.connection() as conn:
                    await users.set_role(conn, name, UserRole(role), context.actor)
                return f"{name} is {role} now."

            description = f"{name} {MEANINGS[UserRole(role)]}. It takes effect immediately."
            if await confirm(f"Make {name} {role}?", description, f"Make {role}", danger=role == UserRole.ADMIN):
                await self._done("change a role", work, name)

        return change

    async def _disable(self, name: str) -> None:
        async def work(context: ActionContext) -> str:
            async with context.parts.database.connection() as conn:
                await users.set_enabled(conn, name, False, context.actor)
            return f"{name} is disabled."

        description = (
            f"{name} can no longer log in, and all their sessions end now. Their entries stay in the audit trail."
        )
        if await confirm(f"Disable {name}?", description, "Disable"):
            await self._done("disable a user", work, name)

    async def _enable(self, name: str) -> None:
        async def work(context: ActionContext) -> str:
            async with context.parts.database.connection() as conn:
                await users.set_enabled(conn, name, True, context.actor)
            return f"{name} may log in again."

        await self._done("enable a user", work, name)

    async def _done(self, what: str, work: Any, about: str) -> bool:
        return await act(self._view, UserRole.ADMIN, what, work, about=about, then=self.grid.refresh)()


@page("/users", "Users", group="System", icon="group", order=45, role=UserRole.ADMIN)
async def build(view: View) -> None:
    heading("Users", "People who may use the console. Changes take effect immediately.")
    await _Page(view).grid.refresh()


def _listed(person: Row) -> Row:
    others = [role for role in UserRole if role.value != person["role"]]
    roles = [action(role.value, f"Make {role.value}") for role in others] if person["enabled"] else []
    switch = action("disable", "Disable", danger=True) if person["enabled"] else action("enable", "Enable")
    return {
        "name_": person["username"],
        "label": person["username"],
        "name": cell(person["username"]),
        "role": state(person["role"]),
        "state": _state(person),
        "seen": when(person["last_login_at"]),
        "made": when(person["created_at"]),
        "actions": [*roles, action("password", "Reset password"), switch],
    }


def _state(person: Row) -> dict[str, Any]:
    if not person["enabled"]:
        return cell("Disabled", tone="neutral")
    locked = when(person["locked_until"])["text"]
    if person["locked_until"] is not None and locked.startswith("in "):
        return cell(f"Locked, {locked}", tone="warn")
    return cell("Must change password", tone="info") if person["must_change_password"] else cell("Active", tone="good")
