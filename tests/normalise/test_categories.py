"""E-063: one of ten categories, for every event."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winnow.normalise.categories import classify_event
from winnow.vocabulary.event_categories import categories, category_words


def test_e063_there_are_ten_and_community_is_one_of_them() -> None:
    assert len(categories()) == 10
    assert "community" in categories()


def test_e063_every_category_has_words_in_four_languages() -> None:
    assert all(sorted(words) == ["de", "en", "fr", "nl"] for words in category_words().values())


@given(st.text(max_size=200), st.text(max_size=400), st.text(max_size=40))
def test_e063_the_classifier_never_fails(title: str, description: str, stated: str) -> None:
    assert classify_event(title, description, stated) in categories()


def test_e063_what_nothing_speaks_for_is_community() -> None:
    assert classify_event("Zomaar een avond") == "community"


def test_e063_the_title_counts_more_than_a_long_description() -> None:
    text = "Workshop, lezing, cursus, debat, wijn, bier, diner en film in het museum."
    assert classify_event("Jazzconcert in de kerk", text) == "music"


def test_e063_what_the_source_files_it_under_counts_most() -> None:
    assert classify_event("An evening with Miller", stated="MusicEvent") == "music"
    assert classify_event("An evening with Miller", stated="Literatuur en lezingen") == "learning"


@pytest.mark.parametrize("title", ["Kees Plak: Alles kan", "The Beatles", "Les Misérables", "Los Angeles", "Hercules"])
def test_e063_the_end_of_another_word_is_no_lesson(title: str) -> None:
    assert classify_event(title) != "learning"


@pytest.mark.parametrize("title", ["Proefles houtbewerking", "Pianoles voor volwassenen", "Danslessen tango"])
def test_e063_a_lesson_is_learning(title: str) -> None:
    assert classify_event(title) == "learning"
