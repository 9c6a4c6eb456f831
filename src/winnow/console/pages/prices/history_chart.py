"""The prices of one or more offers over time, in one chart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from winnow.console.price_chart import TONES, gap_limit, gaps, line
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.charts import chart
from winnow.console.widgets.form import filter_bar, select_field
from winnow.console.widgets.html import quiet, tag
from winnow.console.widgets.parts import card
from winnow.console.widgets.refreshable import Refreshable
from winnow.queries import charts

Row = dict[str, Any]
RANGES = {
    "7": "the last 7 days",
    "30": "the last 30 days",
    "90": "the last 90 days",
    "365": "the last year",
    "3650": "everything",
}
MAX_LINES = 5  # offers drawn together
MAX_GAPS = 10


class HistoryChart:
    """`offers`: the name of each line, the first ones are drawn. `gaps_of`: the offer whose gaps are listed."""

    def __init__(
        self, view: View, offers: Mapping[int, str], currency: str | None, title: str, *, gaps_of: int | None = None
    ) -> None:
        self._view, self._currency, self._title, self._gaps_of = view, currency, title, gaps_of
        self._names = dict(list(offers.items())[:MAX_LINES])
        self._confirmed: dict[int, datetime] = {}

    async def draw(self) -> None:
        with card(
            "Price history",
            "Each line ends at the last visit that confirmed its price; gaps had no visits.",
            wide=True,
        ):
            with filter_bar():
                days = select_field("Show", RANGES, "30", on_change=lambda: part.refresh())
            part = Refreshable(lambda: self._points(int(days.value)), lambda loaded: self._lines(*loaded))
        await part.refresh()

    async def _points(self, days: int) -> tuple[dict[int, list[Row]], timedelta]:
        until = datetime.now(UTC)
        since = until - timedelta(days=days)
        if self._currency is None:
            return {}, timedelta()
        drawn = list(self._names)
        async with self._view.reading() as conn:
            oldest = await charts.first_price(conn, drawn, self._currency)
            since = max(since, oldest or since)
            found = await charts.prices(conn, drawn, currency=self._currency, since=since, until=until)
            self._confirmed = await charts.confirmed(conn, drawn)
        lines: dict[int, list[Row]] = {offer: [] for offer in drawn}
        for point in found:
            lines[point["source_product_id"]].append(point)
        return {offer: points for offer, points in lines.items() if points}, (until - since) / charts.MAX_POINTS

    def _lines(self, lines: dict[int, list[Row]], width: timedelta) -> None:
        if not lines:
            quiet("No price was observed in this period. Choose a longer one.")
            return
        series = [
            line(self._names[n], points, gap_limit(points, width), TONES[i % len(TONES)], self._confirmed.get(n))
            for i, (n, points) in enumerate(lines.items())
        ]
        whose = "1 offer" if len(series) == 1 else f"{len(series)} offers"
        description = f"Prices of {self._title} over time, from {whose}, in {self._currency}"
        chart(description, series, height=280, unit=self._currency or "", from_zero=False)
        own = lines.get(self._gaps_of, []) if self._gaps_of is not None else []
        self._list_gaps(gaps(own, gap_limit(own, width)) if own else [])

    def _list_gaps(self, found: list[tuple[datetime, datetime]]) -> None:
        if not found:
            return
        with tag("details"):
            tag("summary", f"{len(found)} {'gap' if len(found) == 1 else 'gaps'} in which nothing was observed")
            with tag("ul", cls="w-list"):
                for since, until in found[-MAX_GAPS:][::-1]:
                    lasted = formatting.duration((until - since).total_seconds())
                    tag("li", f"{formatting.absolute(since)} – {formatting.absolute(until)} ({lasted})")
