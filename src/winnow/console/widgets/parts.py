"""The pieces every page is made of: cards, figures, badges, buttons, empty and error states, dialogs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from nicegui import ui

from winnow.console.act import Handler, call_handler, sentence
from winnow.console.urls import href
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.html import Tag, div, icon, link, quiet, tag
from winnow.errors import DatabaseUnavailable, NotFound
from winnow.observe.users import UserRole

READ_MS = 1_200  # a short sentence


@dataclass(frozen=True, slots=True)
class Empty:
    """What stands where nothing is: what this is, and what to do next."""

    title: str
    description: str
    todo: str = ""  # label of the way on
    path: str = ""


def show_empty(empty: Empty) -> None:
    with div("w-empty"):
        tag("h3", empty.title)
        quiet(empty.description)
        if empty.path:
            link(empty.todo, empty.path, cls="w-button")


def show_error(error: Exception) -> None:
    """What happened, and what to do."""
    with div("w-empty w-bad", role="alert"):
        if isinstance(error, NotFound):
            tag("h3", "Page not found")
            quiet(f"{sentence(str(error))} It may have been removed, or the address is wrong.")
        elif isinstance(error, DatabaseUnavailable):
            tag("h3", "The database is unavailable")
            quiet("No data is lost; work continues when it is back. Reload the page in a moment, or open Doctor.")
        else:
            tag("h3", "This page could not be loaded")
            quiet(sentence(str(error)))


@contextmanager
def card(title: str = "", description: str = "", *, wide: bool = False) -> Iterator[Tag]:
    """A box with a heading. `wide` takes the whole row of a `columns()`."""
    with tag("section", cls=f"w-card{' w-wide' if wide else ''}") as box:
        if title:
            with div("w-card-head"):
                tag("h2", title)
                if description:
                    quiet(description)
        yield box


def columns() -> AbstractContextManager[Tag]:
    """Cards beside each other where there is room."""
    return div("w-columns")


def row(cls: str = "") -> AbstractContextManager[Tag]:
    """Things in one line that wraps."""
    return div(f"w-row {cls}")


class Figure:
    """One number with its name, that may change while it is looked at."""

    def __init__(self, label: str, *, path: str = "") -> None:
        with tag("a", cls="w-figure", href=href(path)) if path else div("w-figure") as self._box:
            tag("span", label, cls="w-label")
            self._value = tag("strong")
            self._says = tag("span", cls="w-sub")
        self._tone = ""

    def show(self, value: object, description: str = "", *, tone: str = "") -> None:
        self._value.set_text(str(value))
        self._says.set_text(description)
        if tone != self._tone:
            self._box.classes(remove=f"w-{self._tone}", add=f"w-{tone}" if tone else None)
            self._tone = tone


def figure(label: str, value: object, *, description: str = "", tone: str = "", path: str = "") -> Figure:
    made = Figure(label, path=path)
    made.show(value, description, tone=tone)
    return made


def badge(state: object, message: str | None = None, *, tone: str | None = None) -> Tag:
    return tag("span", message or formatting.humanize(state), cls=f"w-badge w-{tone or formatting.tone_of(state)}")


def when(moment: datetime | None) -> Tag:
    if moment is None:
        return tag("span", formatting.NOTHING)
    return tag(
        "time",
        formatting.ago(moment, datetime.now(UTC)),
        datetime=moment.isoformat(),
        title=formatting.absolute(moment),
    )


def facts(values: Mapping[str, Any]) -> None:
    """Names and values beneath each other; a value may be a callable that draws it."""
    with tag("dl", cls="w-facts"):
        for name, value in values.items():
            tag("dt", name)
            with tag("dd", "" if callable(value) else _status_text(value)):
                if callable(value):
                    value()


def _status_text(value: Any) -> str:
    """A moment also as how long ago it was."""
    if isinstance(value, datetime):
        return f"{formatting.absolute(value)} ({formatting.ago(value, datetime.now(UTC))})"
    return formatting.text(value)


def button(
    label: str,
    on_click: Callable[..., Any],
    *,
    view: View | None = None,
    needs: UserRole | None = None,
    kind: str = "",
    sign: str = "",
    title: str = "",
) -> Tag:
    """`kind` is "", "primary" or "danger". With `view` and `needs` it cannot be pressed by those who may not, and says
    so; whether it is done is decided by `act` in any case."""
    denied = view is not None and needs is not None and not view.may(needs)
    message = f"This needs the role {needs.value}" if denied and needs else title or None
    made = tag("button", cls=f"w-button {'w-' + kind if kind else ''}", type="button", disabled=denied, title=message)
    with made:
        if sign:
            icon(sign)
        tag("span", label)
    if not denied:
        made.on("click", lambda: call_handler(on_click))
    return made


async def confirm(title: str, description: str, verb: str, *, danger: bool = True) -> bool:
    """Asks before something that cannot be taken back. `says` is what will happen, `verb` the word on the button."""
    with ui.dialog() as dialog, tag("div", cls="w-dialog", role="document"):
        dialog.props(f'aria-label="{title}"' if '"' not in title else "")
        tag("h2", title)
        quiet(description)
        with row("w-end"):
            tag("button", "Cancel", cls="w-button", type="button", autofocus=True).on(
                "click", lambda: dialog.submit(False)
            )
            kind = "w-danger" if danger else "w-primary"
            tag("button", verb, cls=f"w-button {kind}", type="button").on("click", lambda: dialog.submit(True))
    answer = await dialog
    dialog.delete()
    return bool(answer)


def confirmed(title: str, description: str, verb: str, handler: Handler) -> Callable[..., Any]:
    """`handler` (an act) after a person has said yes: button("Remove", asked("Remove it?", "…", "Remove", act(…)))."""

    async def ask(event: Any = None) -> bool:
        return await confirm(title, description, verb) and bool(await call_handler(handler, event))

    return ask


def refresh_every(seconds: float, refresh: Callable[[], Any], view: View) -> None:
    """Calls `refresh` again and again while the page is open, its session is valid and the tab is looked at."""

    async def tick() -> None:
        if await view.current() is not None:
            await call_handler(refresh)

    ui.timer(seconds, tick, immediate=False)


def reload_page(view: View) -> Callable[[], Any]:
    """For `then=`: the page as it is now, once what was said could be read."""
    return lambda: view.client.run_javascript(f"setTimeout(() => window.location.reload(), {READ_MS})")
