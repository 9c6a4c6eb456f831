"""The filters above a list. Each starts with what the address says; a change shows the list from its first page.

with Filters(view) as filters:
    q = filters.search("Search", "q", "part of the URL")
    state = filters.choice("State", STATES, "status")
…  # `load` asks for q.wanted and state.wanted
grid = filters.above(Grid(view, …))
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

import orjson

from winnow.console.view import View
from winnow.console.widgets.form import FormField, filter_bar, select_field, text_field
from winnow.console.widgets.grid import Grid
from winnow.console.widgets.html import tag
from winnow.queries.sources import names
from winnow.sources import sources


@dataclass
class Kept:
    """A value that is chosen elsewhere on the page and kept in the address like a field of the bar."""

    value: str


class FilterBar:
    def __init__(self, view: View) -> None:
        self._view = view
        self._grid: Grid | None = None
        self._also: Callable[[], Awaitable[None]] | None = None
        self._bar = filter_bar()
        self._fields: dict[str, tuple[FormField | Kept, str]] = {}  # name in the address -> field, its default

    def __enter__(self) -> FilterBar:
        self._bar.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__()

    def search(self, label: str, name: str, placeholder: str = "", *, kind: str = "search") -> FormField:
        """`name` is the one it has in the address."""
        given = self._view.query(name) or ""
        field = text_field(label, given, kind=kind, placeholder=placeholder, on_change=self._changed)
        self._fields[name] = field, ""
        return field

    def choice(self, label: str, options: Mapping[str, str], name: str, usual: str = "") -> FormField:
        given = self._view.query(name)
        chosen = usual if given is None or given not in options else given
        field = select_field(label, options, chosen, on_change=self._changed)
        self._fields[name] = field, usual
        return field

    def keep(self, name: str) -> Kept:
        kept = Kept(self._view.query(name) or "")
        self._fields[name] = kept, ""
        return kept

    async def changed(self) -> None:
        """Something that is kept has another value."""
        await self._changed()

    async def source(self) -> SourceFilter:
        return await SourceFilter.among(self._view, self.search("Source", "source_id", "its name or number"))

    def day(self, label: str, name: str) -> FormField:
        return self.search(label, name, kind="date")

    def above(self, grid: Grid, also: Callable[[], Awaitable[None]] | None = None) -> Grid:
        """`also` draws what else shows the matching rows."""
        self._grid, self._also = grid, also
        return grid

    async def _changed(self) -> None:
        self._keep_in_address()
        if self._grid is not None:
            await self._grid.restart()
        if self._also is not None:
            await self._also()

    def _keep_in_address(self) -> None:
        """Writes the filters into the address, so that Back, Reload and a shared link show the same list."""
        kept = {name: str(field.value or "") for name, (field, usual) in self._fields.items() if field.value != usual}
        query = f"?{urlencode(kept)}" if kept else "?"
        self._view.client.run_javascript(f"history.replaceState(history.state, '', {orjson.dumps(query).decode()})")


class SourceFilter:
    """One source, by its name (offered while typing) or its number. A name that means none, or several, is an error and
    never "all of them": what is done to all that match follows this field."""

    def __init__(self, view: View, field: FormField) -> None:
        self._view, self._field = view, field

    @classmethod
    async def among(cls, view: View, field: FormField) -> SourceFilter:
        async with view.reading() as conn:
            known = await names(conn)
        with field.box, tag("datalist") as offered:
            for source in known:
                tag("option", value=source["name"], label=f"{source['domain']} · {source['id']}")
        field.control.props["list"] = offered.html_id
        return cls(view, field)

    async def id(self) -> int | None:
        if self._field.wanted is None:
            return None
        async with self._view.connection() as conn:
            return (await sources.find(conn, self._field.wanted)).id
