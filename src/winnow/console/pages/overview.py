"""Overview: what runs now and what needs a person."""

from __future__ import annotations

from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets.html import link
from winnow.console.widgets.parts import Empty, card, show_empty


@page("/", "Overview", group="Now", icon="space_dashboard", order=10, key="o")
async def build(view: View) -> None:
    heading("Overview", "What runs now, and what needs a person.")
    with card("Welcome"):
        show_empty(Empty("Nothing is watched yet", "Watch a product: `winnow watch URL`, or add a source here."))
        link("Your account", "/account")
