"""The list of console pages. Each module below `pages/` registers its own with `@page`; no list has to be edited."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from winnow.console.view import View
from winnow.observe.users import UserRole

GROUPS = ("Now", "Watching", "Trust", "Catalogue", "Events", "Work", "System")  # of the navigation, in this order

Builder = Callable[..., Awaitable[None]]


@dataclass(frozen=True, slots=True)
class ConsolePage:
    """`path` is below /console and may hold {parameters}; without a group the page is not in the navigation."""

    path: str
    title: str
    build: Builder
    group: str | None = None
    icon: str = ""
    order: int = 50
    key: str = ""  # g and then this key leads here
    role: UserRole = UserRole.VIEWER
    parent: str = ""  # path of the page that stays marked in the navigation


_PAGES: dict[str, ConsolePage] = {}


def page(
    path: str,
    title: str,
    *,
    group: str | None = None,
    icon: str = "",
    order: int = 50,
    key: str = "",
    role: UserRole = UserRole.VIEWER,
    parent: str = "",
) -> Callable[[Builder], Builder]:
    """`async def build(view, **parameters_of_the_path)` fills the page; layout and title are there already."""

    def declared(build: Builder) -> Builder:
        if path in _PAGES and _PAGES[path].build.__module__ != build.__module__:
            raise ValueError(f"two pages at {path}")
        if group is not None and group not in GROUPS:
            raise ValueError(f"{path}: there is no group {group!r} in the navigation")
        _PAGES[path] = ConsolePage(path, title, build, group, icon, order, key, role, parent)
        return build

    return declared


def discover() -> list[ConsolePage]:
    """Imports every module of pages/ and its folders, and returns the pages they declare."""
    from winnow.console import pages

    for found in pkgutil.walk_packages(pages.__path__, f"{pages.__name__}."):
        importlib.import_module(found.name)
    return list(_PAGES.values())


def navigation(pages: list[ConsolePage], role: UserRole) -> list[tuple[str, list[ConsolePage]]]:
    """What somebody with this role may open, by group."""
    shown = [
        (
            group,
            sorted((p for p in pages if p.group == group and role.may(p.role)), key=lambda p: (p.order, p.title)),
        )
        for group in GROUPS
    ]
    return [(group, members) for group, members in shown if members]


__all__ = ["GROUPS", "ConsolePage", "View", "discover", "navigation", "page"]
