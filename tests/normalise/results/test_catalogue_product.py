"""The trail of a catalogue's product ends with its category, not with its own name (C-032)."""

from __future__ import annotations

import pytest

from winnow.extract.draft import Draft, Strategy, Value
from winnow.normalise.results.catalogue_product import read_breadcrumbs


@pytest.mark.parametrize(
    ("title", "last", "trail"),
    [
        ("Blue kettle", "Blue kettle", ["Home", "Kettles"]),
        ("salt.", "salt.", ["Home", "Kettles"]),
        ("A kettle of a very long name", "A kettle of a very …", ["Home", "Kettles"]),
        ("Kettle", "Kettles of steel", ["Home", "Kettles", "Kettles of steel"]),
    ],
)
def test_c032_the_trail_ends_before_the_product_itself(title: str, last: str, trail: list[str]):
    steps = [Value(name, Strategy.DOM, "breadcrumb") for name in ("Home", "Kettles", last)]
    assert read_breadcrumbs(Draft("product", {"breadcrumb": steps}), title) == trail
