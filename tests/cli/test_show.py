"""How tables look on a terminal of 80 columns."""

from __future__ import annotations

from datetime import UTC, datetime
from io import StringIO

import pytest
from rich.console import Console

from winnow.cli import show

COLUMNS = {"ID": "id", "NAME": "name", "STATE": "state", "CRON": "cron", "LAST (UTC)": "last", "URL": "url"}
WHEN = datetime(2026, 5, 1, 12, 30, 59, tzinfo=UTC)


def drawn(monkeypatch: pytest.MonkeyPatch, width: int, *rows: dict[str, object]) -> list[str]:
    out = StringIO()
    monkeypatch.setattr(show, "console", lambda: Console(file=out, width=width))
    show.table(COLUMNS, rows, "nothing")
    return [line.rstrip() for line in out.getvalue().splitlines()]


def row(url: str) -> dict[str, object]:
    return {"id": 1, "name": "Northlight", "state": "INELIGIBLE", "cron": None, "last": WHEN, "url": url}


def test_a_narrow_terminal_folds_the_long_column_and_leaves_out_the_one_that_says_nothing(monkeypatch) -> None:
    url = "https://shop.example.com/" + "x" * 60
    heading, first, *rest = drawn(monkeypatch, 80, row(url))
    assert heading.split() == ["ID", "NAME", "STATE", "LAST", "(UTC)", "URL"]
    assert "Northlight  INELIGIBLE  2026-05-01 12:30  https://" in first
    assert all(len(line) <= 80 for line in (heading, first, *rest))
    folded = first.rpartition(" ")[2] + "".join(line.strip() for line in rest)
    assert folded == url  # nothing of it is cut


def test_a_wide_one_shows_everything(monkeypatch) -> None:
    heading, line = drawn(monkeypatch, 200, row("https://shop.example.com/1"))
    assert "CRON" in heading
    assert "2026-05-01 12:30:59" in line


def test_nothing_to_show_is_said(monkeypatch) -> None:
    assert drawn(monkeypatch, 80) == ["nothing"]
