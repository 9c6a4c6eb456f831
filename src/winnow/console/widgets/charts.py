"""Charts (ECharts, as NiceGUI bundles it) in the console's colours, each with a sentence for who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui

from winnow.console.widgets.html import div

# Readable on the light and on the dark ground.
COLOURS = {"good": "#2e9e75", "warn": "#d29a2b", "bad": "#d4574e", "info": "#4a8fd8", "neutral": "#8792a0"}
_AXIS = {"axisLabel": {"color": "#7d8896"}, "axisLine": {"lineStyle": {"color": "#7d889655"}}}


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    values: Sequence[Any]  # numbers beside `labels`, or [moment, number] pairs on a time axis
    tone: str = "info"
    kind: str = "line"  # line, bar, step (a line that jumps), dashed
    stack: str | None = None


def chart(
    description: str,
    series: Sequence[Series],
    *,
    labels: Sequence[str] | None = None,
    height: int = 220,
    unit: str = "",
    from_zero: bool = True,
) -> ui.echart:
    """`says` tells what it shows. Without labels the values are [ISO moment, number] pairs. None is a gap."""
    with div("w-chart", role="img", aria_label=description).style(f"height:{height}px"):
        return ui.echart(options(series, labels, unit, from_zero)).classes("w-chart-inner")


def options(
    series: Sequence[Series], labels: Sequence[str] | None, unit: str = "", from_zero: bool = True
) -> dict[str, Any]:
    over_time = labels is None
    return {
        "animation": False,
        "useUTC": True,  # as every moment the console names
        "color": [COLOURS[s.tone] for s in series],
        "grid": {"left": 8, "right": 34 if over_time else 12, "top": 34 if len(series) > 1 else 14, "bottom": 4,
                 "containLabel": True},
        "legend": {"show": len(series) > 1, "top": 0, "left": 0, "textStyle": {"color": "#7d8896"}, "itemHeight": 8},
        "tooltip": {"trigger": "axis", "confine": True},
        "xAxis": {"type": "time" if over_time else "category", "data": None if over_time else list(labels or []),
                  "name": "UTC" if over_time else "", "nameGap": 6,
                  "nameTextStyle": {"color": "#7d8896"},
                  "splitLine": {"show": False}, **_AXIS},
        "yAxis": {"type": "value", "scale": not from_zero,
                  "minInterval": 0 if unit else 1, "splitLine": {"lineStyle": {"color": "#7d889633"}}, **_AXIS,
                  "axisLabel": {"color": "#7d8896", "formatter": f"{{value}} {unit}".strip()}},
        "series": [_drawn(s) for s in series],
    }  # fmt: skip


def _drawn(series: Series) -> dict[str, Any]:
    line = series.kind != "bar"
    return {
        "name": series.name,
        "type": "line" if line else "bar",
        "data": list(series.values),
        "step": "end" if series.kind == "step" else False,
        "stack": series.stack,
        "lineStyle": {"type": "dashed", "width": 1.5} if series.kind == "dashed" else None,
        "showSymbol": line and series.kind != "dashed" and len(series.values) <= 40,
        "symbolSize": 5,
        "connectNulls": False,
        "areaStyle": {"opacity": 0.12} if line and series.stack else None,
        "barMaxWidth": 28,
    }
