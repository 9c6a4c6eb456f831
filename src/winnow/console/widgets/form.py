"""Fields of forms and filters: native controls with a label, their value on this side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson
from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments

from winnow.console.act import call_handler
from winnow.console.widgets.html import Tag, div, tag

OnChange = Callable[[], Any]
_VALUE = "(e) => emit(e.target.value)"
_CHECKED = "(e) => emit(e.target.checked)"


class FormField:
    """One labelled control. `value` is what it holds; assigning shows it.

    What it starts with is its `defaultValue`: a `value` would be written again with every update of the page, over what
    somebody is typing."""

    def __init__(
        self, label: str, control: str, value: Any, help_text: str, on_change: OnChange | None, /, **more: Any
    ):
        self._value, self._on_change = value, on_change
        with div("w-field") as self.box:
            named = tag("label", label, cls="w-label")
            self.control: Element = tag(control, **more)
            named.props["for"] = self.control.html_id
            if help_text:
                self.control.props["aria-describedby"] = tag("span", help_text, cls="w-sub").html_id
            self.error = tag("span", cls="w-field-error", role="alert")
        self.error.set_visibility(False)

    @property
    def value(self) -> Any:
        return self._value

    @value.setter
    def value(self, given: Any) -> None:
        self._value = given
        name = "checked" if isinstance(given, bool) else "value"
        ui.run_javascript(f"getHtmlElement({self.control.id}).{name} = {orjson.dumps(given).decode()}")

    @property
    def wanted(self) -> str | None:
        """As a filter: None when it is empty."""
        return str(self._value or "").strip() or None

    def set_error(self, description: str) -> None:
        """Says what is wrong with it; an empty text takes that back."""
        self.error.set_text(description)
        self.error.set_visibility(bool(description))

    async def _changed(self, event: GenericEventArguments) -> None:
        self._value = event.args
        if self._on_change is not None:
            await call_handler(self._on_change)


def text_field(
    label: str,
    value: str = "",
    *,
    kind: str = "text",
    placeholder: str = "",
    help_text: str = "",
    on_change: OnChange | None = None,
    **more: Any,
) -> FormField:
    """`kind` is the type of the input: text, password, number, url, search, date …"""
    given = {"type": kind, "defaultValue": value, "placeholder": placeholder or None, **more}
    field = FormField(label, "input", value, help_text, on_change, **given)
    field.control.on("change", field._changed, js_handler=_VALUE)
    return field


def area_field(label: str, value: str = "", *, rows: int = 4, help_text: str = "", **more: Any) -> FormField:
    field = FormField(label, "textarea", value, help_text, None, rows=rows, defaultValue=value, **more)
    field.control.on("change", field._changed, js_handler=_VALUE)
    return field


def select_field(
    label: str,
    options: Mapping[str, str],
    value: str = "",
    *,
    help_text: str = "",
    on_change: OnChange | None = None,
    **more: Any,
) -> FormField:
    """`options` are value -> what is said; the empty value usually means "all"."""
    field = FormField(label, "select", value, help_text, on_change, **more)
    with field.control:
        for key, message in options.items():
            tag("option", message, value=key, selected=True if key == value else None)
    field.control.on("change", field._changed, js_handler=_VALUE)
    return field


def switch_field(label: str, value: bool, *, help_text: str = "", on_change: OnChange | None = None) -> FormField:
    """On or off, with what it means."""
    field = FormField(label, "input", value, help_text, on_change, type="checkbox", checked=True if value else None)
    field.box.classes("w-check")
    field.control.on("change", field._changed, js_handler=_CHECKED)
    return field


def filter_bar() -> Tag:
    """Where filters stand, above a grid. `/` leads to its first field."""
    return div("w-filters", role="search")
