"""`act`: the one way to change something. Every button that changes anything is

    button("Pause", act(view, Role.OPERATOR, "pause a source", pause))

where `pause(context)` calls a function of `actions/` with `context.actor` and returns the sentence to show. Session and
role are checked when the button is pressed, not when the page was built. Audit entries of that function carry the id of
this action; when it wrote none, `act` writes one, so that every change is in the audit trail.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal
from uuid import uuid4

import psycopg
import structlog
from nicegui import ui

from winnow.actions.parts import Parts
from winnow.console.view import View
from winnow.errors import DatabaseUnavailable, WinnowError
from winnow.observe import audit, logs
from winnow.observe.users import UserRole

log = structlog.get_logger(__name__)

_TRACE = "SELECT 1 FROM audit_log WHERE at >= now() - interval '1 hour' AND request_id = %s LIMIT 1"


@dataclass(frozen=True, slots=True)
class ActionContext:
    """Who acts, the parts to work with, and the arguments of the event."""

    actor: str
    parts: Parts
    arguments: Any = None  # of the event: the row an action was chosen for, the value of a switch


Work = Callable[[ActionContext], Awaitable[str | None]]
Handler = Callable[..., Awaitable[bool]]


def act(
    view: View,
    needed: UserRole,
    action: str,
    work: Work,
    *,
    about: object = "",
    then: Callable[[], Any] | None = None,
) -> Handler:
    """Returns an event handler that is True when the action succeeded. `about` names the object in the audit trail,
    `then` is called on success (usually to refresh), `action` describes the action in words."""

    async def handler(event: Any = None) -> bool:
        session = await view.current()
        if session is None:
            return False
        if not session.role.may(needed):
            log.warning("console_refused", path=view.path, why=f"{action} needs {needed.value}")
            notify(
                f"This needs the role {needed.value}; you are {session.role.value}. Nothing was changed.", "negative"
            )
            return False
        act_id = str(uuid4())
        with logs.context(request_id=act_id):
            message = await _done(
                work, ActionContext(session.actor, view.parts, getattr(event, "args", event)), action, act_id
            )
            if message is None:
                return False
            await _ensure_audit_entry(view, session.actor, action, about, act_id)
        if message:
            notify(message, "positive")
        if then is not None:
            await call_handler(then)
        return True

    return handler


async def _done(work: Work, context: ActionContext, action: str, act_id: str) -> str | None:
    """The sentence to show, or None when it failed and the user was notified."""
    try:
        return await work(context) or ""
    except (DatabaseUnavailable, psycopg.OperationalError):
        notify("The database is unavailable; the change may not have been saved. Try again in a moment.", "negative")
    except WinnowError as refused:
        notify(sentence(str(refused)), "negative")
    except Exception as error:
        log.error("console_act_crashed", action=action, act_id=act_id, exc_info=error)
        notify(f"Internal error. The log has the details under {act_id}.", "negative")
    return None


async def _ensure_audit_entry(view: View, actor: str, action: str, about: object, act_id: str) -> None:
    async with view.database.connection() as conn:
        if await (await conn.execute(_TRACE, (act_id,))).fetchone() is None:
            await audit.record(conn, actor, f"console.{action.replace(' ', '_')}", "console", about)


def notify(text: str, kind: Literal["info", "positive", "negative", "warning"] = "info") -> None:
    """Shows a notification at the top of the page. Failures stay until they are closed."""
    stays = kind == "negative"
    ui.notification(
        text, type=kind, position="top", timeout=None if stays else 4.0, close_button="Close" if stays else False
    )


def sentence(text: str) -> str:
    """Errors are written to stand after `winnow: `; here they stand alone."""
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


async def call_handler(handler: Callable[..., Any], *given: Any) -> Any:
    """Calls a handler that may or may not be a coroutine function."""
    result = handler(*given)
    return await result if inspect.isawaitable(result) else result
