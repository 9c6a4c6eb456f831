"""When a page is visited, in words, and the fields to choose it with."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from winnow.actions import validation
from winnow.actions.intake import Cadence
from winnow.console.widgets import formatting
from winnow.console.widgets.form import FormField, select_field, text_field
from winnow.console.widgets.html import div, quiet, tag
from winnow.errors import WinnowError
from winnow.schedule import cadence

NEXT = 5
CRON, BY_HAND = "cron", "by hand"
INTERVALS = {
    "15m": "every 15 minutes",
    "1h": "every hour",
    "4h": "every 4 hours",
    "12h": "every 12 hours",
    "1d": "once a day",
    "1w": "once a week",
}


def format_moment(moment: datetime, now: datetime) -> str:
    """today 16:00 UTC, tomorrow 04:00 UTC, Thu 19 Nov 04:00 UTC; each with how long that is from now."""
    at, today = moment.astimezone(UTC), now.astimezone(UTC).date()
    days = (at.date() - today).days
    day = {0: "today", 1: "tomorrow"}.get(days, f"{at:%a} {at.day} {at:%b}")
    year = f" {at.year}" if at.year != today.year else ""
    return f"{day}{year} {at:%H:%M} UTC ({formatting.ago(moment, now)})"


def next_times(when: Cadence, now: datetime, n: int = NEXT) -> list[str]:
    """The next visits in words; none when only a person starts them."""
    if when.by_hand:
        return []
    if when.schedule:
        moments = list(cadence.next_fires(cadence.check_cron(when.schedule), now, n))
    else:
        every = validation.every(when.every or timedelta(days=1))
        moments = [now + k * every for k in range(1, n + 1)]
    return [format_moment(moment, now) for moment in moments]


def format_cadence(schedule: str | None, every: timedelta | None) -> str:
    if schedule:
        return format_cron(schedule)
    if every is None:
        return "manual only"
    known = {validation.every(key): message for key, message in INTERVALS.items()}
    return known.get(every, f"every {formatting.duration(every.total_seconds())}")


def format_cron(schedule: str) -> str:
    """The usual ones in words, the others as they are written."""
    if found := re.fullmatch(r"\*/(\d+) \* \* \* \*", schedule):
        return f"every {found[1]} minutes"
    if found := re.fullmatch(r"\d+ \*/(\d+) \* \* \*", schedule):
        return f"every {found[1]} hours"
    if re.fullmatch(r"\d+ \* \* \* \*", schedule):
        return "every hour"
    if found := re.fullmatch(r"(\d+) (\d+) \* \* \*", schedule):
        return f"daily at {int(found[2]):02}:{int(found[1]):02} UTC"
    return f"cron {schedule}"


class CadenceInputs:
    """A choice of interval, cron or by hand; below it the next five times, live."""

    def __init__(self, schedule: str | None, every: timedelta | None, *, by_hand: bool = False) -> None:
        self._intervals = dict(INTERVALS)
        chosen = CRON if schedule else BY_HAND if by_hand else self._key_of(every or timedelta(hours=4))
        options = {**self._intervals, CRON: "cron schedule", BY_HAND: "manual only"}
        self.choice: FormField = select_field("Visited", options, chosen, on_change=self.draw)
        self.cron: FormField = text_field(
            "Cron schedule",
            schedule or "",
            placeholder="0 */4 * * *",
            on_change=self.draw,
            help_text="Minute, hour, day of month, month, day of week; UTC.",
        )
        self.times = div("w-times", aria_live="polite")
        self.draw()

    def _key_of(self, every: timedelta) -> str:
        for key in self._intervals:
            if validation.every(key) == every:
                return key
        key = f"{int(every.total_seconds())}s"
        self._intervals[key] = format_cadence(None, every)
        return key

    @property
    def value(self) -> Cadence:
        """InvalidInput when the cron schedule is wrong."""
        if self.choice.value == BY_HAND:
            return Cadence(by_hand=True)
        if self.choice.value == CRON:
            return Cadence(schedule=cadence.check_cron(self.cron.value or ""))
        return Cadence(every=validation.every(self.choice.value))

    def draw(self) -> None:
        self.cron.box.set_visibility(self.choice.value == CRON)
        self.cron.set_error("")
        try:
            times: list[Any] = next_times(self.value, datetime.now(UTC))
        except WinnowError as wrong:
            self.cron.set_error(str(wrong))
            times = []
        self.times.clear()
        with self.times:
            show_times(times, self.choice.value == BY_HAND)


def show_times(times: list[str], by_hand: bool = False, title: str = "The next five times") -> None:
    if by_hand:
        quiet("The page is visited only when a run is started manually.")
    if times:
        tag("span", title, cls="w-label")
        with tag("ol", cls="w-list"):
            for message in times:
                tag("li", message)
