"""A secret that is shown once: in a dialog, and nowhere else afterwards."""

from __future__ import annotations

from nicegui import ui

from winnow.console.widgets.html import quiet, tag
from winnow.console.widgets.parts import row

_COPY = """(e) => { const f = e.target.closest('.w-dialog').querySelector('input'); f.select();
if (navigator.clipboard) navigator.clipboard.writeText(f.value); else document.execCommand('copy'); }"""


async def show_once(title: str, secret: str, description: str) -> None:
    """Until it is closed. The value is gone from the page then."""
    with ui.dialog().props("persistent") as dialog, tag("div", cls="w-dialog", role="document"):
        dialog.props["aria-label"] = title
        tag("h2", title)
        quiet(description)
        with tag("label", cls="w-field"):
            tag("span", "Copy it now. It is not shown again.", cls="w-label")
            tag("input", cls="w-mono", value=secret, readonly=True, type="text")
        with row("w-end"):
            tag("button", "Copy", cls="w-button", type="button").on("click", js_handler=_COPY)
            tag("button", "Done", cls="w-button w-primary", type="button").on("click", lambda: dialog.submit(True))
    await dialog
    dialog.delete()
