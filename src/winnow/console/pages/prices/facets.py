"""What a list of offers can be narrowed down by: brands, categories, shops and prices, each with its count."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

from winnow.console.widgets import formatting
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.html import div, quiet, tag
from winnow.console.widgets.parts import row
from winnow.console.widgets.refreshable import Refreshable
from winnow.queries.search.request import Facets, FacetValue, Found, PriceRange

MAX_SHOWN = 8  # values of one facet
LABELS = {"brand": "Brand", "category": "Category", "domain": "Shop", "price": "Price"}
_MAX_VALUE = 300
_PRICE_PARTS = 3  # currency, from, to


class FacetPanel:
    """One value of each facet may be chosen; pressed again it is given up."""

    def __init__(self, filters: FilterBar, count: Callable[[], Awaitable[Found]]) -> None:
        self._filters = filters
        self._chosen = {name: filters.keep(name) for name in LABELS}
        self._part = Refreshable(count, self._draw)

    @property
    def is_used(self) -> bool:
        return bool(self.wanted())

    async def refresh(self) -> None:
        await self._part.refresh()

    def wanted(self) -> dict[str, Any]:
        """As a search request calls it."""
        found: dict[str, Any] = {
            name: (self._chosen[name].value[:_MAX_VALUE],) for name in LABELS if name != "price" and self._value(name)
        }
        currency, low, high = _range_of(self._value("price"))
        if currency:
            found |= {"currency": currency, "price_min": low, "price_max": high}
        return found

    def _value(self, name: str) -> str:
        return self._chosen[name].value.strip()

    def _draw(self, found: Found) -> None:
        groups = {name: list(_values(found.facets, name)) for name in LABELS}
        shown = {name: values for name, values in groups.items() if len(values) > 1 or self._value(name)}
        if not shown:
            return
        with div("w-facets", role="group", aria_label="Narrow down"):
            for name, values in shown.items():
                self._draw_group(name, values)
        if found.capped:
            quiet(f"Counted among the first {formatting.number(found.total)} that match.")

    def _draw_group(self, name: str, values: list[tuple[str, str, int | None]]) -> None:
        chosen = self._value(name)
        if chosen and chosen not in [value for value, _, _ in values]:
            values = [(chosen, _label(name, chosen), None), *values]
        with tag("fieldset"):
            tag("legend", LABELS[name])
            with row():
                for value, label, count in values[:MAX_SHOWN]:
                    pressed = "true" if value == chosen else "false"
                    spoken = label if count is None else f"{label} {count}"
                    with tag("button", cls="w-facet", type="button", aria_pressed=pressed, aria_label=spoken) as made:
                        tag("span", label)
                        if count is not None:
                            tag("span", formatting.number(count), cls="w-sub")
                    made.on("click", partial(self._press, name, value))

    async def _press(self, name: str, value: str) -> None:
        kept = self._chosen[name]
        kept.value = "" if kept.value == value else value
        await self._filters.changed()


def _values(facets: Facets, name: str) -> Iterator[tuple[str, str, int | None]]:
    """(value in the address, label, count)"""
    for found in getattr(facets, name):
        if isinstance(found, FacetValue):
            yield found.value, found.value, found.count
        elif isinstance(found, PriceRange):
            value = (
                f"{found.currency}:{'' if found.low is None else found.low}:{'' if found.high is None else found.high}"
            )
            yield value, _label("price", value), found.count


def _label(name: str, value: str) -> str:
    currency, low, high = _range_of(value) if name == "price" else ("", None, None)
    if not currency:
        return value
    if low is None:
        return f"below {high:,} {currency}" if high is not None else currency
    return f"{low:,} {currency} and more" if high is None else f"{low:,} to {high:,} {currency}"


def _range_of(value: str) -> tuple[str, Decimal | None, Decimal | None]:
    """EUR:10:25; ("", None, None) for what is none."""
    parts = value.split(":")
    if len(parts) != _PRICE_PARTS or not all(part.isdigit() or not part for part in parts[1:]) or len(value) > 30:
        return "", None, None
    return parts[0], *(Decimal(part) if part else None for part in parts[1:])  # type: ignore[return-value]
