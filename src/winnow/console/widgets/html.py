"""Plain elements: what a page is made of below the widgets. Text is always text, whatever characters it has."""

from __future__ import annotations

from typing import Any

from nicegui.elements.mixins.text_element import TextElement

from winnow.console.urls import href


class Tag(TextElement):
    """tag("button", "Save", cls="w-button", type="button", aria_label="…"); None leaves an attribute out."""

    def __init__(self, name: str, text: object = "", /, *, cls: str = "", **attributes: Any) -> None:
        super().__init__(tag=name, text="" if text is None else str(text))
        if cls:
            self.classes(cls)
        for key, value in attributes.items():
            if value is not None:
                self._props[key.rstrip("_").replace("_", "-")] = value


def tag(name: str, text: object = "", /, *, cls: str = "", **attributes: Any) -> Tag:
    return Tag(name, text, cls=cls, **attributes)


def div(cls: str = "", **attributes: Any) -> Tag:
    return Tag("div", cls=cls, **attributes)


def quiet(text: object) -> Tag:
    """A sentence of explanation."""
    return Tag("p", text, cls="w-quiet")


def icon(name: str) -> Tag:
    """A sign of the bundled Material Icons; what it means is said by the text beside it."""
    return Tag("span", name, cls="material-icons w-icon", aria_hidden="true")


def link(text: object, path: str, *, cls: str = "", **query: object) -> Tag:
    """To another page of the console: link("Run 7", "/runs/7")."""
    return Tag("a", text, cls=cls, href=href(path, **query))


def mono(text: object) -> Tag:
    """Something to be read letter by letter, or text of a page: shown as it is, never as markup."""
    return Tag("pre", text, cls="w-pre", tabindex="0")
