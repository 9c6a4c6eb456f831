from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from winnow.cli import show
from winnow.cli.chart import chart

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)


def draw(*values: int, width: int = 40) -> list[str]:
    return chart([(BEGIN + timedelta(hours=n), v) for n, v in enumerate(values)], width, str)


def test_the_highest_value_reaches_the_top_and_the_lowest_is_still_seen() -> None:
    lines = draw(100, 200)
    assert lines[0].startswith("200 │")
    assert lines[7].startswith("100 │▄")
    assert lines[0].rstrip().endswith("█")
    assert "█" not in lines[0].split("│")[1][:10]


def test_one_price_and_no_price() -> None:
    assert len(draw(5)) == 9
    assert chart([], 40, str) == []


def test_a_value_holds_until_the_next_one() -> None:
    points = [(BEGIN, 100), (BEGIN + timedelta(hours=9), 200), (BEGIN + timedelta(hours=10), 200)]
    bottom = chart(points, 45, str)[7].split("│")[1]
    assert bottom[: len(bottom) * 8 // 10] == "▄" * (len(bottom) * 8 // 10)


@given(st.lists(st.integers(1, 10**12), min_size=1, max_size=50), st.integers(1, 300))
def test_any_history_fits_any_width(values: list[int], width: int) -> None:
    lines = draw(*values, width=width)
    assert len(lines) == 9
    assert len({len(line) for line in lines[:8]}) == 1


@given(st.text())
def test_nothing_a_terminal_obeys_gets_through(text: str) -> None:
    assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 for c in show.clean(text))
