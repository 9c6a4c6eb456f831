"""What stands around every page: navigation, title, theme, the person who is logged in."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from winnow import __version__
from winnow.console.login import form_token
from winnow.console.registry import ConsolePage, navigation
from winnow.console.urls import LOGOUT, ROOT, THEME_COOKIE, href
from winnow.console.view import View
from winnow.console.widgets.html import Tag, div, icon, link, tag

HEAD = (
    f'<link rel="stylesheet" href="{ROOT}/static/console.css?{__version__}">'
    f'<script src="{ROOT}/static/console.js?{__version__}"></script>'
)
THEMES = {"dark": True, "light": False}  # anything else follows the machine's setting


@contextmanager
def shell(view: View, page: ConsolePage, pages: list[ConsolePage], token: str) -> Iterator[None]:
    """The page's own content goes inside."""
    ui.add_head_html(HEAD)
    ui.page_title(f"{page.title} · Winnow")
    ui.dark_mode(THEMES.get(view.request.cookies.get(THEME_COOKIE, "")))
    with div("w-shell"):
        tag("a", "Skip to content", cls="w-skip", href="#w-main")
        _top(view, token)
        _nav(view, page, pages)
        with tag("main", cls="w-main", id="w-main", tabindex="-1"):
            yield
    _shortcuts(pages)


def heading(title: str, description: str = "") -> Tag:
    """The title of the page; returns the place for its buttons."""
    with div("w-heading"):
        with div():
            tag("h1", title)
            if description:
                tag("p", description, cls="w-quiet")
        return div("w-row w-end")


def _top(view: View, token: str) -> None:
    with tag("header", cls="w-top"):
        with tag("button", cls="w-plain w-menu", type="button", aria_label="Navigation", aria_expanded="false",
                 aria_controls="w-nav", data_do="menu"):  # fmt: skip
            icon("menu")
        with tag("a", cls="w-brand", href=href("/")):
            tag("img", src=f"{ROOT}/static/icon.svg", alt="", width=26, height=26)
            tag("span", "Winnow")
        div("w-space")
        with tag("button", cls="w-plain", type="button", aria_label="Light or dark", title="Light or dark (t)",
                 data_do="theme"):  # fmt: skip
            icon("contrast")
        with tag("button", cls="w-plain", type="button", aria_label="Keyboard shortcuts", title="Keyboard (?)",
                 data_do="help"):  # fmt: skip
            icon("keyboard")
        with tag("details", cls="w-who"):
            with tag("summary", aria_label=f"{view.session.username}, {view.session.role.value}"):
                tag("span", view.session.username[:1].upper(), cls="w-avatar", aria_hidden="true")
                tag("span", view.session.username, cls="w-who-name")
            with div("w-who-menu"):
                tag("span", f"{view.session.username} · {view.session.role.value}", cls="w-quiet")
                link("Your account", "/account")
                with tag("form", method="post", action=LOGOUT):
                    tag("input", type="hidden", name="form_token", value=form_token(token))
                    tag("button", "Log out", cls="w-button", type="submit")


def _nav(view: View, page: ConsolePage, pages: list[ConsolePage]) -> None:
    here = page.parent or page.path
    with tag("nav", cls="w-nav", id="w-nav", aria_label="Pages"):
        for group, members in navigation(pages, view.session.role):
            tag("h2", group)
            with tag("ul"):
                for member in members:
                    with tag("li"), tag(
                        "a", href=href(member.path), aria_current="page" if member.path == here else None,
                        data_key=member.key or None,
                    ):  # fmt: skip
                        icon(member.icon)
                        tag("span", member.title)
        tag("p", f"Winnow {__version__}", cls="w-quiet")


def _shortcuts(pages: list[ConsolePage]) -> None:
    with tag("dialog", cls="w-dialog", id="w-help", aria_labelledby="w-help-title"):
        tag("h2", "Keyboard", id="w-help-title")
        with tag("dl", cls="w-facts"):
            for keys, description in (
                ("/", "Focus the filter"),
                ("t", "Light or dark"),
                ("?", "Show this list"),
                ("Esc", "Close"),
            ):
                with tag("dt"):
                    tag("kbd", keys)
                tag("dd", description)
            for page in sorted((p for p in pages if p.key), key=lambda p: p.title):
                with tag("dt"):
                    tag("kbd", f"g {page.key}")
                tag("dd", page.title)
        with tag("form", method="dialog"):
            tag("button", "Close", cls="w-button", type="submit")
