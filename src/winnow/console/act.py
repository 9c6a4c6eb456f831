"""`act`: the one way to change something. Every button that changes anything is

    button("Pause", act(view, Role.OPERATOR, "pause a source", pause))

where `pause(doing)` does it through a function of `actions/`, naming `doing.actor`, and returns the sentence to say.
Session and role are looked up in the moment it happens, not when the page was built. What that function wrote into the
audit trail carries the id of this act; when it wrote nothing, `act` does, so that no change is without a trace.
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
from winnow.observe.users import Role

log = structlog.get_logger(__name__)

_TRACE = "SELECT 1 FROM audit_log WHERE at >= now() - interval '1 hour' AND request_id = %s LIMIT 1"


@dataclass(frozen=True, slots=True)
class Doing:
    """What the work of an act is given."""

    actor: str
    parts: Parts
    arguments: Any = None  # of the event: the row an action was chosen for, the value of a switch


Work = Callable[[Doing], Awaitable[str | None]]
Handler = Callable[..., Awaitable[bool]]


def act(
    view: View,
    needed: Role,
    action: str,
    work: Work,
    *,
    about: object = "",
    then: Callable[[], Any] | None = None,
) -> Handler:
    """A handler for `on_click` and the like; True when it was done. `about` names the object in the trail, `then` is
    called after it was done (usually to show what is there now). `action` says in words what is done."""

    async def handler(event: Any = None) -> bool:
        session = await view.current()
        if session is None:
            return False
        if not session.role.may(needed):
            log.warning("console_refused", path=view.path, why=f"{action} needs {needed.value}")
            say(f"This needs the role {needed.value}; you are {session.role.value}. Nothing was changed.", "negative")
            return False
        act_id = str(uuid4())
        with logs.context(request_id=act_id):
            said = await _done(work, Doing(session.actor, view.parts, getattr(event, "args", event)), action, act_id)
            if said is None:
                return False
            await _leave_a_trace(view, session.actor, action, about, act_id)
        if said:
            say(said, "positive")
        if then is not None:
            await called(then)
        return True

    return handler


async def _done(work: Work, doing: Doing, action: str, act_id: str) -> str | None:
    """What to say, or None when it failed and that was said."""
    try:
        return await work(doing) or ""
    except (DatabaseUnavailable, psycopg.OperationalError):
        say("The database is away: nothing is certain to have changed. Try again in a moment.", "negative")
    except WinnowError as refused:
        say(sentence(str(refused)), "negative")
    except Exception as error:
        log.error("console_act_crashed", action=action, act_id=act_id, exc_info=error)
        say(f"Something went wrong on our side. The log has it under {act_id}.", "negative")
    return None


async def _leave_a_trace(view: View, actor: str, action: str, about: object, act_id: str) -> None:
    async with view.database.connection() as conn:
        if await (await conn.execute(_TRACE, (act_id,))).fetchone() is None:
            await audit.record(conn, actor, f"console.{action.replace(' ', '_')}", "console", about)


def say(text: str, kind: Literal["info", "positive", "negative", "warning"] = "info") -> None:
    """A note at the top of the page. Failures stay until they are closed."""
    stays = kind == "negative"
    ui.notification(
        text, type=kind, position="top", timeout=None if stays else 4.0, close_button="Close" if stays else False
    )


def sentence(text: str) -> str:
    """Errors are written to stand after `winnow: `; here they stand alone."""
    text = " ".join(text.split())
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '!', '?')) else '.'}"


async def called(handler: Callable[..., Any], *given: Any) -> Any:
    """Calls a handler that may or may not be a coroutine function."""
    result = handler(*given)
    return await result if inspect.isawaitable(result) else result
