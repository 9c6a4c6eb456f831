"""A part of a page that is drawn anew after a change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from winnow.console.act import call_handler
from winnow.console.widgets.html import div
from winnow.console.widgets.parts import show_error
from winnow.errors import WinnowError

T = TypeVar("T")


class Refreshable(Generic[T]):
    """`load` brings what `draw` shows. What was there stays until the new is at hand."""

    def __init__(self, load: Callable[[], Awaitable[T]], draw: Callable[[T], Any]) -> None:
        self._load, self._draw = load, draw
        self._times = 0
        self.box = div("w-stack", data_drawn=0)

    async def refresh(self) -> None:
        try:
            loaded = await self._load()
        except WinnowError as error:
            self.box.clear()
            with self.box:
                show_error(error)
            return
        self.box.clear()
        with self.box:
            await call_handler(self._draw, loaded)
        self._times += 1
        self.box.props["data-drawn"] = self._times  # who waits for the new one can see that it is there
        self.box.update()

    def after(self, handler: Callable[..., Any]) -> Callable[..., Any]:
        """The handler (an act), and when it was done, this part anew."""

        async def both(event: Any = None) -> bool:
            done = bool(await call_handler(handler, event))
            if done:
                await self.refresh()
            return done

        return both
