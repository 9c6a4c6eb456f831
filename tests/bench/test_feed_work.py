"""The catalogues of the feed bench change what it says they change."""

from __future__ import annotations

import csv
from pathlib import Path

from isal import igzip

from bench.feed import QUICK, Work, write_catalogues


def _rows(path: Path) -> list[dict[str, str]]:
    with igzip.open(path, "rt", newline="") as packed:
        return list(csv.DictReader(packed))


def test_the_changed_catalogue_has_other_prices_and_titles(tmp_path: Path) -> None:
    work = Work(rounds=1, rows=5_000)
    assert (QUICK.changed_share, QUICK.retitled_share) == (work.changed_share, work.retitled_share) == (0.05, 0.02)
    paths = write_catalogues(tmp_path, work)
    first, same, changed = (_rows(paths[name]) for name in ("first", "same", "changed"))
    assert first == same
    assert paths["first"].read_bytes() != paths["same"].read_bytes()
    titles = sum(a["Name"] != b["Name"] for a, b in zip(first, changed, strict=True))
    prices = sum(a["SalePrice"] != b["SalePrice"] for a, b in zip(first, changed, strict=True))
    assert 0.015 < titles / work.rows < 0.025
    assert 0.04 < prices / work.rows < 0.06
    rest = [{k: v for k, v in row.items() if k not in ("Name", "SalePrice")} for row in changed]
    assert rest == [{k: v for k, v in row.items() if k not in ("Name", "SalePrice")} for row in first]
