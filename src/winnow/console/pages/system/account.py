"""Your account: who you are here, and your password."""

from __future__ import annotations

from nicegui import ui

from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.login import address_of
from winnow.console.registry import page
from winnow.console.urls import LOGIN, ROOT
from winnow.console.view import View
from winnow.console.widgets.form import text_field
from winnow.console.widgets.parts import button, card, columns, facts
from winnow.errors import InvalidInput
from winnow.observe import users
from winnow.observe.logins import log_in
from winnow.observe.users import SHORTEST_PASSWORD, UserRole

MEANINGS = {
    UserRole.VIEWER: "may look at everything except keys and users",
    UserRole.OPERATOR: "may also decide about held records, pause, retry and approve",
    UserRole.ADMIN: "may also change settings of sources and feeds, keys and users",
}


@page("/account", "Your account")
async def build(view: View) -> None:
    made = view.session.must_change_password
    heading("Your account", "Choose your own password first: the current one was generated for you." if made else "")
    with columns():
        with card("You"):
            role = view.session.role
            facts({"Name": view.session.username, "Role": f"{role.value}: {MEANINGS[role]}"})
        with card("Password", "Changing it ends all your sessions, including this one."):
            now = text_field("Current password", kind="password", autocomplete="current-password")
            new = text_field("New password", kind="password", autocomplete="new-password",
                             help_text=f"At least {SHORTEST_PASSWORD} characters.")  # fmt: skip
            again = text_field("Repeat new password", kind="password", autocomplete="new-password")

            async def change(context: ActionContext) -> str:
                if new.value != again.value:
                    raise InvalidInput("the two new passwords differ")
                async with context.parts.database.connection() as conn:
                    await log_in(conn, view.session.username, now.value, address_of(view.request))
                    await users.set_password(conn, view.session.username, new.value, context.actor, must_change=False)
                return "Your password was changed. Please log in again."

            leave = act(view, UserRole.VIEWER, "change the password", change, about=view.session.username,
                        then=lambda: ui.navigate.to(LOGIN.removeprefix(ROOT)))  # fmt: skip
            button("Change the password", leave, kind="primary")
