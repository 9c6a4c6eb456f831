"""Places inside results: parts that data names, and parts that it put into one field."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from winnow.normalise.fields import Around
from winnow.normalise.places.located import PostalAddress, address

NEAR = Around("https://acme.example/", datetime(2026, 3, 1, tzinfo=UTC), None, None)


def read(**parts: str) -> PostalAddress:
    found = address(json.dumps({"@type": "PostalAddress", **parts}), NEAR)
    assert isinstance(found, PostalAddress)
    return found


@pytest.mark.parametrize(
    ("stated", "street", "code", "city"),
    [
        ("1910 Carnegie Avenue, Cleveland, OH 44115", "1910 Carnegie Avenue", "44115", "Cleveland"),
        ("Archives Building, 3951 Perkins Ave. Cleveland, Ohio 44114", "3951 Perkins Ave.", "44114", "Cleveland"),
        ("20 Ninth Street, Fiscal Rm 3, Dover, DE 19901", "20 Ninth Street, Fiscal Rm 3", "19901", "Dover"),
        ("Hauptstraße 5, 80331 München", "Hauptstraße 5", "80331", "München"),
        ("10 High Street", "10 High Street", None, None),
    ],
)  # fmt: skip
def test_a_street_field_may_hold_the_whole_address(stated: str, street: str, code: str | None, city: str | None):
    found = read(streetAddress=stated)
    assert (found.street, found.postal_code, found.city, found.raw) == (street, code, city, stated)


def test_small_letters_in_a_form_are_names_all_the_same():
    found = read(streetAddress="6740 N. Sheridan Rd.", addressLocality="chicago", addressRegion="il")
    assert (found.city, found.state_region, found.country_code) == ("Chicago", "Illinois", "US")


def test_a_town_behind_its_code_in_one_field():
    found = read(streetAddress="Gewerbestrasse 12", addressLocality="8606 Nänikon")
    assert (found.street, found.postal_code, found.city) == ("Gewerbestrasse 12", "8606", "Nänikon")
