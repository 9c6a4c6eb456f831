"""Dutch towns and postcodes: where they are, and when a name says nothing."""

from __future__ import annotations

import pytest

from winnow.normalise.places.towns import distance_km, locate, municipalities, postcodes, read_postcode, towns

UTRECHT = (52.09, 5.12)
BEEK_IN_LIMBURG = (50.94, 5.80)


@pytest.mark.parametrize(
    ("town", "municipality"),
    [
        ("Utrecht", "Utrecht"),
        ("'s-Hertogenbosch", "'s-Hertogenbosch"),
        ("den bosch", "'s-Hertogenbosch"),
        ("The Hague", "Den Haag"),
        ("Ljouwert", "Leeuwarden"),
        ("Zaandam", "Zaanstad"),
    ],
)
def test_e062_a_town_is_found_under_its_names(town: str, municipality: str) -> None:
    found = locate(town)
    assert found is not None
    assert (found.precision, found.municipality) == ("town", municipality)


def test_e062_a_postcode_says_more_than_its_town() -> None:
    found = locate("Amsterdam", "1017 PT")
    assert found is not None
    assert (found.precision, found.town) == ("postcode", "Amsterdam")
    assert distance_km(found.latitude, found.longitude, 52.364, 4.891) < 1.5


def test_e062_a_postcode_of_another_town_locates_nothing() -> None:
    assert locate("Groningen", "1017 PT") is None


def test_e062_a_part_of_a_town_beside_its_postcode_is_no_contradiction() -> None:
    found = locate("Scheveningen", "2586 AA")
    assert found is not None
    assert found.precision == "postcode"


def test_e062_an_unknown_postcode_leaves_the_town() -> None:
    found = locate("Utrecht", "9999 ZZ")
    assert found is None or found.town == "Utrecht"


def test_e062_a_name_of_several_towns_is_located_by_what_is_near() -> None:
    assert len(towns()["beek"]) > 1
    assert locate("Beek") is None
    found = locate("Beek", near=BEEK_IN_LIMBURG)
    assert found is not None
    assert found.province == "Limburg"


@pytest.mark.parametrize("nothing", ["", "Nergenshuizen", "Paris", None])
def test_e062_what_is_no_dutch_town_is_not_located(nothing: str | None) -> None:
    assert locate(nothing) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1017 PT", "1017"),
        ("1017pt Amsterdam", "1017"),
        ("1017", "1017"),
        ("0999 AA", None),
        ("tel 0201017", None),
        ("D-10178", None),
    ],
)
def test_e062_only_what_is_written_as_a_postcode_is_one(text: str, code: str | None) -> None:
    assert read_postcode(text) == code


def test_e013_every_municipality_has_people_and_a_place() -> None:
    found = municipalities()
    assert 330 <= len(found) <= 400
    assert all(m.population > 0 and 50.7 < m.latitude < 53.6 and 3.3 < m.longitude < 7.3 for m in found)
    largest = {m.name for m in sorted(found, key=lambda m: -m.population)[:4]}
    assert largest == {"Amsterdam", "Rotterdam", "Den Haag", "Utrecht"}


def test_e062_postcodes_and_towns_agree_about_where_they_are() -> None:
    """Two lists from two places: a postcode lies near a town of the name it states."""
    far = [
        code
        for code, place in postcodes().items()
        if (same := towns().get(place.town.lower()))
        and min(distance_km(t.latitude, t.longitude, place.latitude, place.longitude) for t in same) > 25
    ]
    assert len(far) < 20, far
