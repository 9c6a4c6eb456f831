"""Price strings as shops write them. The figures in floor.json may only rise."""

from __future__ import annotations

import json
from pathlib import Path

from tests.quality.price_strings import texts
from winnow.normalise.money.read import parse_money
from winnow.normalise.record import Money

HERE = Path(__file__).parent
FLOOR = json.loads((HERE / "floor.json").read_text())["prices"]


def _rows() -> list[tuple[str, str | None, str | None, str]]:
    lines = [line for line in (HERE / "prices.tsv").read_text().splitlines() if line and not line.startswith("#")]
    return [(t, h or None, loc or None, e) for t, h, loc, e in (line.split("\t") for line in lines)]


def _read(text: str, hint: str | None, locale: str | None) -> str:
    money = parse_money(text, hint, locale)
    return f"{money.minor} {money.currency}" if isinstance(money, Money) else "-"


def test_no_price_string_is_read_wrongly_and_enough_are_read() -> None:
    rows = [(row, _read(*row[:3])) for row in _rows()]
    assert len(rows) >= FLOOR["strings"]
    wrong = [(row, got) for row, got in rows if got not in ("-", row[3])]
    assert len(wrong) <= FLOOR["wrong"], wrong
    priced = [(row, got) for row, got in rows if row[3] != "-"]
    missed = [row for row, got in priced if got == "-"]
    assert 1 - len(missed) / len(priced) >= FLOOR["recall"], missed


def test_prices_of_every_country_are_read_as_it_writes_them() -> None:
    rows = [(row, _read(row.text, row.hint, row.locale)) for row in texts()]
    assert len(rows) >= FLOOR["generated"]
    wrong = [(row, got) for row, got in rows if got not in ("-", row.says)]
    assert not wrong
    missed = [row for row, got in rows if got == "-" != row.says]
    assert 1 - len(missed) / len(rows) >= FLOOR["generated_recall"], missed
