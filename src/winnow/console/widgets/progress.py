"""Long work: it runs on, the page shows how far it is, and says how it ended."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from winnow.console.widgets.html import div, tag

Report = Callable[[int, int, str], None]  # done, of how many (0: nobody knows), what is being done


class ProgressBar:
    """Draws a bar. `report` may be called as often as one likes: it is drawn four times a second."""

    def __init__(self, label: str) -> None:
        self._state = (0, 0, label)
        with div("w-progress", role="status") as self.box:
            self._status_text = tag("span", label)
            self._bar = tag("progress", aria_label=label)
        self._timer = ui.timer(0.25, self._draw)

    def report(self, done: int, total: int, description: str) -> None:
        self._state = (done, total, description)

    def _draw(self) -> None:
        done, total, description = self._state
        self._status_text.set_text(f"{description} · {done} of {total}" if total else description)
        if total:
            self._bar.props["value"], self._bar.props["max"] = done, total
            self._bar.update()

    async def track(self, work: Callable[[Report], Awaitable[None]]) -> None:
        try:
            await work(self.report)
        finally:
            self._timer.cancel()
            self.box.delete()
