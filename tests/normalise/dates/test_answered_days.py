"""What a language model read of a day counts as far as the text itself confirms it (E-061)."""

from __future__ import annotations

from datetime import date

import pytest

from winnow.extract.answered_day import AnsweredDay
from winnow.normalise.dates.answered import confirmed

TODAY = date(2026, 11, 19)


def _confirmed(text: str, day: str | None, hour: str | None = None) -> str | None:
    return confirmed(AnsweredDay(text=text, day=day, hour=hour), TODAY)


@pytest.mark.parametrize(
    ("text", "day", "hour", "read"),
    [
        ("28.XI.2026", "2026-11-28", None, "2026-11-28"),
        ("Op zaterdag de achtentwintigste november spelen we", "2026-11-28", None, "2026-11-28"),
        ("zaterdag de achtentwintigste november om 20.30 uur", "2026-11-28", "20:30", "2026-11-28T20:30"),
        ("on the 28 Novemmber 2026 it starts, 8 p.m.", "2026-11-28", "20:00", "2026-11-28T20:00"),
        ("dinsdag de 2 februari in onze zaal", "2027-02-02", None, "2027-02-02"),
    ],
)
def test_e061_a_day_that_the_text_names_is_confirmed(text: str, day: str, hour: str | None, read: str) -> None:
    assert _confirmed(text, day, hour) == read


@pytest.mark.parametrize(
    ("text", "hour"),
    [
        ("zaterdag de achtentwintigste november om 20.30 uur", "21:30"),
        ("zaterdag de achtentwintigste november", "20:30"),
        ("zaterdag de achtentwintigste november, deuren 19.00, aanvang 20.30", "20:30"),
    ],
)
def test_e061_an_hour_is_left_out_where_the_text_names_another_or_several(text: str, hour: str) -> None:
    assert _confirmed(text, "2026-11-28", hour) == "2026-11-28"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("als de maan vol is", "2026-11-28"),
        ("28.XI.2026", "2026-12-28"),
        ("28.XI.2026", "2026-11-27"),
        ("28.XI.2026", "2027-11-28"),
        ("de achtentwintigste november", "2026-11-28"),
        ("zaterdag de achtentwintigste november", "2027-11-28"),
        ("vrijdag de achtentwintigste november", "2026-11-28"),
        ("zaterdag de achtentwintigste november, half negen", "2026-11-28"),
        ("de derde donderdag na Sint-Maarten (27e)", "2026-11-27"),
        ("28 der wintermaand 2026", "2026-12-28"),
        ("28 listopada 2026", "2026-11-28"),
        ("zaterdag de achtentwintigste november, zaal 2", "2026-11-28"),
        ("zaterdag de achtentwintigste of zondag de negenentwintigste november", "2026-11-28"),
        ("t/m zaterdag de achtentwintigste november", "2026-11-28"),
        ("geen voorstelling op 28.XI.2026", "2026-11-28"),
        ("28.XI.2026 is verplaatst", "2026-11-28"),
        ("not on 28.XI.2026", "2026-11-28"),
        ("28.XI.2026 " + "en nog veel meer " * 30, "2026-11-28"),
        ("1.XI.2019", "2019-11-01"),
        ("28.XI.2096", "2096-11-28"),
        ("31.II.2027", "2027-02-31"),
        ("29.II.2027", None),
        ("28.XI.2026", "morgen"),
    ],
)
def test_e061_a_day_that_the_text_leaves_open_or_denies_is_not_confirmed(text: str, day: str | None) -> None:
    assert _confirmed(text, day) is None
