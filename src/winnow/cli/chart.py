"""A chart made of block characters. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

BLOCKS = " ▁▂▃▄▅▆▇█"
HEIGHT = 8


def chart(
    points: Sequence[tuple[datetime, int]], width: int, label: Callable[[int], str], height: int = HEIGHT
) -> list[str]:
    """Lines of text: time runs to the right, a value holds until the next one. `points` are in order of time.

    The scale starts a little below the lowest value, so that the lowest is still seen and a change of a few
    per cent shows; the labels say what the top and the bottom are."""
    if not points:
        return []
    low, high = min(v for _, v in points), max(v for _, v in points)
    labels = [label(high), label(low)]
    margin = max(map(len, labels))
    columns = _columns(points, max(8, width - margin - 2))
    filled = [_eighths(value, low, high, height) for value in columns]
    top = height - 1 if high != low else height // 2 - 1
    lines = []
    for row in range(height - 1, -1, -1):
        name = labels[0] if row == top else labels[1] if row == 0 and high != low else ""
        bar = "".join(BLOCKS[min(8, max(0, eighths - 8 * row))] for eighths in filled)
        lines.append(f"{name:>{margin}} │{bar}")
    return [*lines, _axis(points[0][0], points[-1][0], margin, len(columns))]


def _columns(points: Sequence[tuple[datetime, int]], width: int) -> list[int]:
    """The value that held at each column's time; a change within a column wins over what it replaced."""
    begin, end = points[0][0].timestamp(), points[-1][0].timestamp()
    values, n = [], 0
    for column in range(width):
        until = begin + (end - begin) * (column + 1) / width
        while n + 1 < len(points) and points[n + 1][0].timestamp() <= until:
            n += 1
        values.append(points[n][1])
    return values


def _eighths(value: int, low: int, high: int, height: int) -> int:
    """How many eighths of a block a column is high: 4 for the lowest value, all for the highest."""
    if high == low:
        return height * 4
    return 4 + round((value - low) / (high - low) * (height * 8 - 4))


def _axis(begin: datetime, end: datetime, margin: int, width: int) -> str:
    first, last = (f"{m:%Y-%m-%d %H:%M}" for m in (begin, end))
    gap = width - len(first) - len(last)
    text = f"{first}{' ' * gap}{last}" if gap > 0 else last if begin == end else f"{first} … {last}"
    return f"{'':>{margin}}  {text}"
