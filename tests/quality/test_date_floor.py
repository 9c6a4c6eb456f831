"""Date strings as agendas write them (E-060). The figures in floor.json may only rise."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from pathlib import Path

from tests.quality.date_strings import Text, texts
from winnow.normalise.dates.read import When, read_days
from winnow.normalise.doubts import Unread

HERE = Path(__file__).parent
FLOOR = json.loads((HERE / "floor.json").read_text())["dates"]
NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)  # a Wednesday


def _rows() -> list[tuple[str, str, str]]:
    lines = [line for line in (HERE / "dates.tsv").read_text().splitlines() if line and not line.startswith("#")]
    return [(locale, text, expected) for locale, text, expected in (line.split("\t") for line in lines)]


def _say(found: When | Unread) -> str:
    if isinstance(found, Unread):
        return "held"
    clock = f" {found.start_time:%H:%M}" if found.start_time else ""
    last = f" / {found.end}" if found.end and not found.end_time else ""
    further = "".join(f" + {day}" for day in found.others)
    return f"{found.start}{clock}{last}{further}{' ?' if found.inferred else ''}"


def test_e060_no_date_string_is_read_wrongly_and_enough_are_read() -> None:
    rows = [(row, _say(read_days(row[1], now=NOW, locale=row[0]))) for row in _rows()]
    assert len(rows) >= FLOOR["strings"]
    wrong = [(row, got) for row, got in rows if got not in ("held", row[2])]
    assert len(wrong) <= FLOOR["wrong"], wrong
    stated = [(row, got) for row, got in rows if row[2] != "held"]
    missed = [row for row, got in stated if got == "held"]
    assert 1 - len(missed) / len(stated) >= FLOOR["recall"], missed


def _is_right(row: Text, found: When) -> bool:
    day = row.moment.date() if row.has_year else _next(row.moment.date())
    clock = row.moment.time() if row.has_hour else None
    return (found.start, found.start_time, not found.inferred) == (day, clock, row.has_year)


def _next(day: date) -> date:
    return min(d for year in (2026, 2027) if (d := day.replace(year=year)) >= NOW.date())


def test_e060_days_are_read_as_four_languages_write_them() -> None:
    rows = [(row, read_days(row.text, now=NOW, locale=row.locale)) for row in texts()]
    assert len(rows) >= FLOOR["generated"]
    wrong = [(row, found) for row, found in rows if isinstance(found, When) and not _is_right(row, found)]
    assert not wrong
    missed = [row for row, found in rows if isinstance(found, Unread)]
    assert 1 - len(missed) / len(rows) >= FLOOR["generated_recall"], missed
