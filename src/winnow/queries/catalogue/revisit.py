"""Why a URL is visited when it is, in one sentence (C-007, C-020). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

_BECAUSE = {
    "hand": "due because a person asked for it",
    "change": "due early: another shop changed the same product",
    "confirm": "due early: what its last visit said has to be confirmed",
}


def describe_revisit(target: Mapping[str, Any]) -> str:
    """`target`: its cadence, and what its visits found."""
    parts = [_cadence(target)]
    if target.get("next_crawl_at") is not None and (early := _BECAUSE.get(target.get("due_because") or "")):
        parts.append(early)
    return "; ".join(parts)


def _cadence(target: Mapping[str, Any]) -> str:
    if target.get("schedule"):
        return f"by its cron {target['schedule']}"
    if target.get("next_crawl_at") is None and target.get("found_by_run_id") is not None:
        return "by the next crawl that finds it, or when asked for"
    if target.get("next_crawl_at") is None and target.get("crawl_frequency") is None:
        return "only when asked for"
    every = describe_interval(target["crawl_frequency"] or timedelta(days=1))
    if target.get("revisit_least") is None:
        return f"every {every}, fixed"
    least, most = describe_interval(target["revisit_least"]), describe_interval(target["revisit_most"])
    return f"every {every} ({_history(target)}; halved by a change, half as long again without one, {least} to {most})"


def _history(target: Mapping[str, Any]) -> str:
    changed, same = target["visits_changed"], target["visits_same"]
    if not changed and not same:
        return "not compared yet"
    last = f"{same} {'visit' if same == 1 else 'visits'} without a change"
    if not same:
        last = "changed at the last visit"
    return f"{last}, {changed} {'change' if changed == 1 else 'changes'} in all"


def describe_interval(every: timedelta) -> str:
    """In the largest unit that leaves at most one decimal: 36 h, 1.5 d, 20 min."""
    seconds = every.total_seconds()
    for name, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length and (seconds * 10 / length).is_integer():
            return f"{seconds / length:g} {name}"
    for name, length in (("d", 172_800), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / (86_400 if name == 'd' else length):.1f} {name}"
    return f"{seconds:g} s"
