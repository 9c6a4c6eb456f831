"""`Grid`: a table that is paged by the server. It never asks for more rows than it shows, and one.

    grid = Grid(view, [Column("name", "Name"), Column("seen", "Seen")], load, empty=Empty("No runs yet", "…"))
    await grid.refresh()

`load(after, limit)` gives the rows of one page and the cursor of the next one (None on the last), as the functions of
`winnow.queries` do; each row is a dict of cells (widgets/cells.py) with its `id`, and optionally
`actions` (buttons), `label` (its name for screen readers) and `tone`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Literal

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from winnow.console.act import call_handler
from winnow.console.view import View
from winnow.console.widgets.html import div, tag
from winnow.console.widgets.parts import Empty, show_empty, show_error
from winnow.errors import WinnowError

PAGE_ROWS = 25

Load = Callable[[str | None, int], Awaitable[tuple[list[dict[str, Any]], Any]]]
RowAction = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    label: str
    align: Literal["left", "right"] = "left"
    sortable: bool = False


class _Table(Element, component="grid.js"):
    def __init__(self, columns: Sequence[Column], caption: str, key: str, selectable: bool) -> None:
        super().__init__()
        self._props.update(
            {"columns": [asdict(c) for c in columns], "rows": [], "row-key": key, "caption": caption,
             "selectable": selectable, "busy": False, "sort": None}
        )  # fmt: skip

    def show(self, rows: list[dict[str, Any]], sort: dict[str, Any] | None) -> None:
        self._props["rows"] = rows
        self._props["sort"] = sort
        self.update()


class Grid:
    """Also remembers which rows are chosen (`chosen`, keys of the page shown) and how it is sorted (`sort`)."""

    def __init__(
        self,
        view: View,
        columns: Sequence[Column],
        load: Load,
        *,
        empty: Empty,
        caption: str,
        key: str = "id",
        rows: int = PAGE_ROWS,
        selectable: bool = False,
        on_choose: Callable[[list[Any]], Any] | None = None,
        actions: Mapping[str, RowAction] | None = None,
    ) -> None:
        self._view, self._load, self._empty, self._size = view, load, empty, rows
        self._actions, self._on_choose = actions or {}, on_choose
        self._cursors: list[str | None] = [None]  # of the pages up to the one shown
        self._next: str | None = None
        self.chosen: list[Any] = []
        self.sort: dict[str, Any] | None = None  # {"by": column, "down": bool}
        with div("w-grid-box") as self.box:
            self._instead = div()
            self._table = _Table(columns, caption, key, selectable)
            self._table.on("act", self._acted)
            self._table.on("choose", self._chose)
            self._table.on("sort", self._sorted)
            self._pager()

    def _pager(self) -> None:
        with tag("nav", cls="w-pager", aria_label="Pages") as self._nav:
            self._status_text = tag("span", cls="w-quiet")
            self._back = tag("button", "← Back", cls="w-button w-small", type="button").on("click", self._go_back)
            self._on = tag("button", "Next →", cls="w-button w-small", type="button").on("click", self._go_on)

    async def refresh(self) -> None:
        """The same page again."""
        try:
            found, following = await self._load(self._cursors[-1], self._size)
        except WinnowError as error:
            self._show_instead(partial(show_error, error))
            return
        if not found and len(self._cursors) > 1:  # what was here is gone meanwhile
            self._cursors = [None]
            await self.refresh()
            return
        self._next = None if following is None else str(following)
        self._show(found)

    async def restart(self) -> None:
        """From the first page: a filter has changed."""
        self._cursors = [None]
        await self.refresh()

    def _show(self, found: list[dict[str, Any]]) -> None:
        if not found:
            self._show_instead(lambda: show_empty(self._empty))
            return
        self._instead.clear()
        self._table.set_visibility(True)
        self._table.show(found, self.sort)
        first = (len(self._cursors) - 1) * self._size + 1
        self._status_text.set_text(f"Rows {first}–{first + len(found) - 1}")
        self._back.props["disabled"] = len(self._cursors) == 1
        self._on.props["disabled"] = self._next is None
        self._back.update()
        self._on.update()
        self._nav.set_visibility(len(self._cursors) > 1 or self._next is not None)

    def _show_instead(self, draw: Callable[[], None]) -> None:
        self._table.show([], self.sort)
        self._table.set_visibility(False)
        self._nav.set_visibility(False)
        self._instead.clear()
        with self._instead:
            draw()

    async def _go_on(self) -> None:
        if self._next is not None:
            self._cursors.append(self._next)
            await self.refresh()

    async def _go_back(self) -> None:
        if len(self._cursors) > 1:
            self._cursors.pop()
            await self.refresh()

    async def _acted(self, event: GenericEventArguments) -> None:
        action = self._actions.get(event.args["name"])
        if action is not None:
            await call_handler(action, event.args["key"])

    async def _chose(self, event: GenericEventArguments) -> None:
        self.chosen = list(event.args or [])
        if self._on_choose is not None:
            await call_handler(self._on_choose, self.chosen)

    async def _sorted(self, event: GenericEventArguments) -> None:
        down = not self.sort["down"] if self.sort and self.sort["by"] == event.args else True
        self.sort = {"by": event.args, "down": down}
        await self.restart()
