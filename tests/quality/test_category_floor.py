"""Which category events of made-up agendas get (E-063). The floor may only rise."""

from __future__ import annotations

from pathlib import Path

from winnow.normalise.categories import classify_event

FLOOR = 0.98


def test_e063_titles_are_classified_as_a_person_would() -> None:
    lines = (Path(__file__).parent / "event_categories.tsv").read_text(encoding="utf-8").splitlines()
    known = [line.split("\t") for line in lines]
    wrong = [(title, category, found) for category, title in known if (found := classify_event(title)) != category]
    assert 1 - len(wrong) / len(known) >= FLOOR, wrong
