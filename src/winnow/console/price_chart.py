"""Prices of offers as lines with gaps: where nothing was observed, nothing is drawn. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from winnow.console.widgets.charts import Series

TONES = ("info", "good", "warn", "bad", "neutral")
GAP = 3  # so many times the usual distance between observations is a gap

Row = dict[str, Any]


def gap_limit(points: Sequence[Row], width: timedelta) -> timedelta:
    """How far apart two observations may be before the line is broken."""
    distances = [(b["first_at"] - a["observed_at"]).total_seconds() for a, b in pairwise(points)]
    inside = [
        (p["observed_at"] - p["first_at"]).total_seconds() / (p["observations"] - 1)
        for p in points
        if p["observations"] > 1
    ]
    usual = median(distances + inside) if distances or inside else 0.0
    return max(timedelta(seconds=GAP * usual), 2 * width)


def gaps(points: Sequence[Row], limit: timedelta) -> list[tuple[datetime, datetime]]:
    return [(a["observed_at"], b["first_at"]) for a, b in pairwise(points) if b["first_at"] - a["observed_at"] > limit]


def line(name: str, points: Sequence[Row], limit: timedelta, tone: str, confirmed: datetime | None = None) -> Series:
    """[moment, price] pairs; None breaks the line at a gap. A stretch that held several prices shows both ends, and the
    last price runs on to the visit that `confirmed` it: an unchanged price adds no point."""
    values: list[list[Any]] = []
    breaks = dict(gaps(points, limit))
    for point in points:
        scale = 10 ** point["exponent"]
        if point["observations"] > 1 and point["lowest_minor"] != point["highest_minor"]:
            other = point["lowest_minor"] if point["amount_minor"] != point["lowest_minor"] else point["highest_minor"]
            values.append([point["first_at"].isoformat(), other / scale])
        values.append([point["observed_at"].isoformat(), point["amount_minor"] / scale])
        if point["observed_at"] in breaks:
            values.append([(point["observed_at"] + timedelta(seconds=1)).isoformat(), None])
    if points and confirmed is not None and confirmed > points[-1]["observed_at"]:
        values.append([confirmed.isoformat(), values[-1][1]])
    return Series(name, values, tone, "step")
