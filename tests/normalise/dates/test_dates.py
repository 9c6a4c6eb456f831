"""Date strings as pages write them, in many languages (E-060). The clock stands at Wednesday, 10 June 2026, noon UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from winnow.normalise.dates.read import Lean, When, month_first, read_epoch, read_when
from winnow.normalise.doubts import Doubt, Unread

NOW = datetime(2026, 6, 10, 12, tzinfo=UTC)

READ = [
    # months of other languages, days and hours with signs of their own
    ("14 stycznia 2027 r., godz. 19:00", "pl", "2027-01-14T19:00", None),
    ("od 12 do 14 grudnia 2026", "pl", "2026-12-12", "2026-12-14"),
    ("12 listopada 2026", "pl", "2026-11-12", None),
    ("12. listopada 2026.", "hr", "2026-10-12", None),
    ("sobota 12. prosince 2026 v 19:00", "cs", "2026-12-12T19:00", None),
    ("5. 12. 2026 v 19 h", "cs", "2026-12-05T19:00", None),
    ("2026. december 12. szombat 19:00", "hu", "2026-12-12T19:00", None),
    ("joi, 10 decembrie 2026, ora 19:00", "ro", "2026-12-10T19:00", None),
    ("12 Mart 2026 Perşembe saat 20.00", "tr", "2026-03-12T20:00", None),
    ("Cumartesi 12 Aralık 2026 20:30", "tr", "2026-12-12T20:30", None),
    ("lauantai 12.12.2026 klo 18", "fi", "2026-12-12T18:00", None),
    ("la 12.12. klo 18–20", "fi", "2026-12-12T18:00", "2026-12-12T20:00"),
    ("12. joulukuuta 2026", "fi", "2026-12-12", None),
    ("lördag 12 december kl. 19.00", "sv", "2026-12-12T19:00", None),
    ("10. decembris 2026", "lv", "2026-12-10", None),
    ("5 декабря 2026, 19:00", "ru", "2026-12-05T19:00", None),
    ("12 грудня 2026 о 18:00", "uk", "2026-12-12T18:00", None),
    ("12 май 2027", "bg", "2027-05-12", None),
    ("12 Δεκεμβρίου 2026, 21:00", "el", "2026-12-12T21:00", None),
    ("12 أغسطس 2026", "ar", "2026-08-12", None),
    ("ngày 12 tháng 12 năm 2026, 19:30", "vi", "2026-12-12T19:30", None),
    ("2026年12月19日(土) 14:00開演(13:30開場)", "ja", "2026-12-19T14:00", None),
    ("12月19日(土)午後6時半開演", "ja", "2026-12-19T18:30", None),
    ("2026년 12월 19일 (토) 오후 7시 30분", "ko", "2026-12-19T19:30", None),
    # midnight at the end of a day
    ("2026-12-05 24:00", None, "2026-12-06T00:00", None),
    ("Sa 5.12. 24:00 Uhr", "de", "2026-12-06T00:00", None),
    ("5.12.2026, 20:00 - 24:00 Uhr", "de", "2026-12-05T20:00", "2026-12-06T00:00"),
    ("2026-12-05 00:00", None, "2026-12-05T00:00", None),
    # today and its neighbours
    ("imorgon kl. 19.30", "sv", "2026-06-11T19:30", None),
    ("i dag kl. 20.00", "da", "2026-06-10T20:00", None),
    ("jutro o 19:00", "pl", "2026-06-11T19:00", None),
    ("wczoraj", "pl", "2026-06-09", None),
    ("dnes v 19:00", "cs", "2026-06-10T19:00", None),
    ("сегодня в 20:00", "ru", "2026-06-10T20:00", None),
    ("Послезавтра", "ru", "2026-06-12", None),
    ("yarın saat 20:00", "tr", "2026-06-11T20:00", None),
    ("αύριο στις 21:00", "el", "2026-06-11T21:00", None),
    ("huomenna klo 18.00", "fi", "2026-06-11T18:00", None),
    ("明日 19:00", "ja", "2026-06-11T19:00", None),
    ("昨天", "zh", "2026-06-09", None),
    ("내일", "ko", "2026-06-11", None),
    ("5. des. 2026 kl. 19.30", "nb", "2026-12-05T19:30", None),
    # a year of two digits stands close to its month
    ("Sa 5.12. 20 Uhr", "de", "2026-12-05T20:00", None),
    ("5.12.26, 20 Uhr", "de", "2026-12-05T20:00", None),
    ("mar. 15 déc. 2026", "fr", "2026-12-15", None),
    ("9 Aug 96", None, "1996-08-09", None),
    ("Feb 3, 82", None, "1982-02-03", None),
    ("3/3/94", None, "1994-03-03", None),
    ("Sat 12 Sep 26, 19:00", None, "2026-09-12T19:00", None),
    ("12 May, 45 Main Street", None, "2027-05-12", None),
    # the half of the day that is named once
    ("12 May 2026, 1:00 - 4:00 PM", None, "2026-05-12T13:00", "2026-05-12T16:00"),
    ("12 May 2026, 10:00 to 2:00 p.m.", None, "2026-05-12T10:00", "2026-05-12T14:00"),
    ("12 May 2026, 9-12pm", None, "2026-05-12T09:00", "2026-05-12T12:00"),
    ("12 May 2026, 12-3pm", None, "2026-05-12T12:00", "2026-05-12T15:00"),
    ("12 May 2026, 9:30 - 1:00am", None, "2026-05-12T21:30", "2026-05-13T01:00"),
    ("12 May 2026, 14:00 - 16:00", None, "2026-05-12T14:00", "2026-05-12T16:00"),
    ("2026年9月14日晚8:00", "zh", "2026-09-14T20:00", None),
    ("令和8年7月1日", "ja", "2026-07-01", None),
    ("8/5", "ja", "2026-08-05", None),
    ("2026. 06. 04. 11:27", "hu", "2026-06-04T11:27", None),
    ("2026. június 4. 11:27", "hu", "2026-06-04T11:27", None),
    ("Date: 09.26.2026", None, "2026-09-26", None),
    ("15. elo 2026", "fi", "2026-08-15", None),
    # machine formats
    ("2026-05-12", None, "2026-05-12", None),
    ("2026-05-12T20:30:00+02:00", None, "2026-05-12T20:30+02:00", None),
    ("2026-05-12T20:30Z", None, "2026-05-12T20:30+00:00", None),
    ("2026-05-12T20:30:00.000Z", None, "2026-05-12T20:30+00:00", None),
    ("2026-05-12 20:30:00", None, "2026-05-12T20:30", None),
    ("20260512T183000Z", None, "2026-05-12T18:30+00:00", None),
    ("2026/06/13", None, "2026-06-13", None),
    ("2026.06.13", None, "2026-06-13", None),
    ("Fri, 12 Jun 2026 20:00:00 GMT", None, "2026-06-12T20:00+00:00", None),
    ("Wed Jun 10 2026 19:30:00 GMT+0200 (CEST)", None, "2026-06-10T19:30+02:00", None),
    # English
    ("12 May 2026", None, "2026-05-12", None),
    ("May 12, 2026", None, "2026-05-12", None),
    ("May 12th, 2026 at 8pm", None, "2026-05-12T20:00", None),
    ("11th of June 2026", None, "2026-06-11", None),
    ("Thursday 3 September, 8:30 PM", "en", "2026-09-03T20:30", None),
    ("Friday, June 12, 2026 7:00 PM - 10:00 PM EDT", "en-US", "2026-06-12T19:00-04:00", "2026-06-12T22:00-04:00"),
    ("June 12, 2026 | 7:30 p.m.", "en-US", "2026-06-12T19:30", None),
    ("Sat 13/06", "en-GB", "2026-06-13", None),
    ("8-10pm, 12 June 2026", None, "2026-06-12T20:00", "2026-06-12T22:00"),
    ("11am–2pm, 12 June 2026", None, "2026-06-12T11:00", "2026-06-12T14:00"),
    ("11-2pm, 12 June 2026", None, "2026-06-12T11:00", "2026-06-12T14:00"),
    ("noon, 12 June 2026", None, "2026-06-12T12:00", None),
    ("12 Jun '26", None, "2026-06-12", None),
    ("Sept 5", None, "2026-09-05", None),
    ("Mar 12, 2027", "en", "2027-03-12", None),
    ("Last updated June 1, 2026", None, "2026-06-01", None),
    ("Published: 2026-06-01", None, "2026-06-01", None),
    # ranges
    ("12–14 May 2026", None, "2026-05-12", "2026-05-14"),
    ("May 12-14, 2026", None, "2026-05-12", "2026-05-14"),
    ("Fri 12 – Sun 14 June 2026", None, "2026-06-12", "2026-06-14"),
    ("28 Dec - 2 Jan 2027", None, "2026-12-28", "2027-01-02"),
    ("June 12 - July 14, 2026", None, "2026-06-12", "2026-07-14"),
    ("June 12, 2026 - July 14, 2026", None, "2026-06-12", "2026-07-14"),
    ("from 12 June to 14 June 2026", None, "2026-06-12", "2026-06-14"),
    ("12 June 2026 20:00 – 13 June 2026 02:00", None, "2026-06-12T20:00", "2026-06-13T02:00"),
    ("12 June 2026, 22:00 - 02:00", None, "2026-06-12T22:00", "2026-06-13T02:00"),
    ("10:00–12:00, Sat 13 June 2026", None, "2026-06-13T10:00", "2026-06-13T12:00"),
    ("Friday 12 June 2026 - 20:00", None, "2026-06-12T20:00", None),
    ("Thursday 11 & Friday 12 June 2026", None, "2026-06-11", "2026-06-12"),
    ("12.-14.05.2026", "de", "2026-05-12", "2026-05-14"),
    ("28.12.2026 - 02.01.2027", "de", "2026-12-28", "2027-01-02"),
    # Dutch
    ("do 3 sep 20:30 uur", "nl", "2026-09-03T20:30", None),
    ("vr 12 juni 2026 om 20.00 uur", "nl", "2026-06-12T20:00", None),
    ("van 12 t/m 14 mei 2026", "nl", "2026-05-12", "2026-05-14"),
    ("zaterdag 13 juni 2026 van 10:00 tot 17:00", "nl", "2026-06-13T10:00", "2026-06-13T17:00"),
    ("12-06-2026", "nl", "2026-06-12", None),
    ("13 juni", "nl", "2026-06-13", None),
    ("ma 15 juni 2026", "nl", "2026-06-15", None),
    ("12 mrt. 2027", "nl", "2027-03-12", None),
    ("morgen 20:00 uur", "nl", "2026-06-11T20:00", None),
    # German
    ("12. Mai 2026, 20 Uhr", "de", "2026-05-12T20:00", None),
    ("Donnerstag, 11. Juni 2026 um 19:30 Uhr", "de", "2026-06-11T19:30", None),
    ("12.05.2026 19.30 Uhr", "de", "2026-05-12T19:30", None),
    ("Sa 13.06. 20:00 Uhr", "de", "2026-06-13T20:00", None),
    ("13.06.26", "de", "2026-06-13", None),
    ("vom 12. bis 14. Mai 2026", "de", "2026-05-12", "2026-05-14"),
    ("1. März 2027", "de", "2027-03-01", None),
    ("5. Jänner 2027", "de-AT", "2027-01-05", None),
    ("19 bis 21 Uhr, 12. Juni 2026", "de", "2026-06-12T19:00", "2026-06-12T21:00"),
    ("Einlass: 19:00 Uhr, Beginn: 20:00 Uhr, 12. Juni 2026", "de", "2026-06-12T20:00", None),
    # French
    ("samedi 12 septembre 2026 à 20h30", "fr", "2026-09-12T20:30", None),
    ("12 juin 2026 de 20h à 22h", "fr", "2026-06-12T20:00", "2026-06-12T22:00"),
    ("1er mai 2026", "fr", "2026-05-01", None),
    ("du 12 au 14 mai 2026", "fr", "2026-05-12", "2026-05-14"),
    ("Du 12 juin au 3 juillet 2026", "fr", "2026-06-12", "2026-07-03"),
    ("mar. 16 juin 2026", "fr", "2026-06-16", None),
    ("15 août 2026", "fr", "2026-08-15", None),
    ("le 3 juillet", "fr", "2026-07-03", None),
    # Spanish
    ("sábado, 12 de septiembre de 2026 a las 20:00", "es", "2026-09-12T20:00", None),
    ("del 12 al 14 de mayo de 2026", "es", "2026-05-12", "2026-05-14"),
    ("mar 12 may 2026", "es", "2026-05-12", None),
    ("mié 17 jun", "es", "2026-06-17", None),
    ("3 de enero de 2027", "es", "2027-01-03", None),
    # Italian
    ("sabato 12 settembre 2026 ore 21:00", "it", "2026-09-12T21:00", None),
    ("dal 12 al 14 maggio 2026", "it", "2026-05-12", "2026-05-14"),
    ("dom 14 giu ore 18", "it", "2026-06-14T18:00", None),
    ("12 e 13 giugno 2026", "it", "2026-06-12", "2026-06-13"),
    # Portuguese
    ("de 12 a 14 de maio de 2026", "pt", "2026-05-12", "2026-05-14"),
    ("1º de maio de 2026", "pt", "2026-05-01", None),
    ("12 de outubro de 2026, às 19h", "pt", "2026-10-12T19:00", None),
    ("quinta-feira, 11 de junho de 2026", "pt", "2026-06-11", None),
    # numbers only
    ("25/12/2026", None, "2026-12-25", None),
    ("12/25/2026", None, "2026-12-25", None),
    ("03/04/2026", "en-US", "2026-03-04", None),
    ("03/04/2026", "en-GB", "2026-04-03", None),
    ("03/04/2026", "fr", "2026-04-03", None),
    ("12/6", "en-GB", "2026-06-12", None),
    # from today
    ("today", None, "2026-06-10", None),
    ("tomorrow at 8pm", None, "2026-06-11T20:00", None),
    ("heute 20:00", "de", "2026-06-10T20:00", None),
    ("in 3 weeks", None, "2026-07-01", None),
    ("over 2 dagen", "nl", "2026-06-12", None),
    ("dans 2 jours", "fr", "2026-06-12", None),
    ("next Monday", None, "2026-06-15", None),
    ("Friday", None, "2026-06-12", None),
]  # fmt: skip
PAST = [
    ("yesterday", "2026-06-09"), ("3 days ago", "2026-06-07"), ("Posted 5 days ago", "2026-06-05"),
    ("a week ago", "2026-06-03"), ("2 months ago", "2026-04-10"), ("1 year ago", "2025-06-10"),
    ("6 hours ago", "2026-06-10"), ("13 hours ago", "2026-06-09"), ("just posted", "2026-06-10"),
    ("vor 2 Wochen", "2026-05-27"), ("vor einem Tag", "2026-06-09"), ("gestern", "2026-06-09"),
    ("gisteren", "2026-06-09"), ("eergisteren", "2026-06-08"), ("3 dagen geleden", "2026-06-07"),
    ("il y a 3 jours", "2026-06-07"), ("hier", "2026-06-09"), ("hace 2 semanas", "2026-05-27"),
    ("ayer", "2026-06-09"), ("3 giorni fa", "2026-06-07"), ("ieri", "2026-06-09"), ("há 3 dias", "2026-06-07"),
    ("ontem", "2026-06-09"), ("last Friday", "2026-06-05"), ("12 May", "2026-05-12"), ("20 December", "2025-12-20"),
    ("31 May", "2026-05-31"),
]  # fmt: skip
UNREAD = [
    ("03/04/2026", None, Doubt.AMBIGUOUS), ("03/04/2026", "en", Doubt.AMBIGUOUS), ("12-06-2026", None, Doubt.AMBIGUOUS),
    ("12/6", None, Doubt.AMBIGUOUS), ("every Friday", None, Doubt.AMBIGUOUS), ("jeden Montag", "de", Doubt.AMBIGUOUS),
    ("Monday 12 May 2026", None, Doubt.CONTRADICTION), ("31 February 2026", None, Doubt.INVALID),
    ("31.02.2026", "de", Doubt.INVALID), ("14 – 12 May 2026", None, Doubt.CONTRADICTION), ("May 2026", None, Doubt.INCOMPLETE),
    ("2026", None, Doubt.INCOMPLETE), ("30+ days ago", None, Doubt.INCOMPLETE), ("hello world", None, Doubt.UNREADABLE),
    ("+49 89 123456", None, Doubt.UNREADABLE), ("", None, Doubt.EMPTY), ("13 Blumonat 2026", None, Doubt.UNREADABLE),
    ("12 May 2026 and 30 May 2026", None, Doubt.AMBIGUOUS), ("3 weeks", None, Doubt.UNREADABLE),
    ("x" * 500, None, Doubt.TOO_LONG), ("Monday to Friday", None, Doubt.AMBIGUOUS), ("Oct-23", None, Doubt.AMBIGUOUS),
    ("12 May 300, 20:00", None, Doubt.AMBIGUOUS),
]  # fmt: skip


@pytest.mark.parametrize(("text", "locale", "start", "end"), READ)
def test_e060_dates_become_iso_8601(text: str, locale: str | None, start: str, end: str | None):
    found = read_when(text, now=NOW, locale=locale)
    assert isinstance(found, When), found
    assert (found.iso_start(), found.iso_end()) == (start, end)


@pytest.mark.parametrize(("text", "day"), PAST)
def test_e060_dates_behind_us(text: str, day: str):
    found = read_when(text, now=NOW, lean=Lean.PAST)
    assert isinstance(found, When), found
    assert found.iso_start() == day


@pytest.mark.parametrize(("text", "locale", "why"), UNREAD)
def test_what_has_two_readings_or_none_is_not_read(text: str, locale: str | None, why: Doubt):
    found = read_when(text, now=NOW, locale=locale)
    assert isinstance(found, Unread), found
    assert found.why is why


def test_a_weekday_decides_the_year():
    found = read_when("Friday 3 September", now=NOW)
    assert isinstance(found, When)
    assert found.start == date(2027, 9, 3)
    assert isinstance(read_when("Tuesday 3 September", now=NOW), Unread)


def test_epochs_are_read_from_data_only():
    assert read_epoch("1781000000") == read_epoch("1781000000000")
    assert isinstance(read_epoch("12345"), Unread)


def test_which_country_writes_the_month_first():
    assert month_first("en-US") is True
    assert month_first("en-GB") is False
    assert month_first("de") is False
    assert month_first("en") is None
    assert month_first(None) is None


FORMS = ["{d:%Y-%m-%d}", "{d:%d.%m.%Y}", "{d.day} {m} {d.year}", "{m} {d.day}, {d.year}", "{w}, {d.day} {m} {d.year}"]
MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()  # noqa: SIM905


@settings(max_examples=300, deadline=None)
@given(st.dates(date(1950, 1, 1), date(2090, 1, 1)), st.sampled_from(FORMS))
def test_every_day_is_read_back_from_every_form(day: date, form: str):
    text = form.format(d=day, m=MONTHS[day.month - 1], w=DAYS[day.weekday()])
    found = read_when(text, now=NOW)
    assert isinstance(found, When)
    assert found.start == day


@settings(max_examples=300, deadline=None)
@given(st.dates(date(2000, 1, 1), date(2080, 1, 1)), st.integers(1, 6))
def test_a_wrong_weekday_is_never_accepted(day: date, off: int):
    wrong = DAYS[(day.weekday() + off) % 7]
    found = read_when(f"{wrong} {day.day} {MONTHS[day.month - 1]} {day.year}", now=NOW)
    assert isinstance(found, Unread)
    assert found.why is Doubt.CONTRADICTION


@settings(max_examples=500, deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read_or_refused_and_never_breaks(text: str):
    found = read_when(text, now=NOW, locale="en-GB")
    assert isinstance(found, When | Unread)
    if isinstance(found, When):
        assert abs(found.start - NOW.date()) < timedelta(days=365 * 200)


@pytest.mark.parametrize(
    ("text", "locale"),
    [
        ("next Friday", "en"),  # it is Wednesday: this week or the next
        ("last Monday", "en"),
        ("Wednesday", "en"),  # today, or in a week
        ("1 month and 21 days ago", "en"),
        ("2 jaar, 1 maand en 3 dagen geleden", "nl"),
        ("2 weeks before 3 May", "en"),
        ("10. August 85 n. Chr.", "de"),
        ("3-7-2026", "ja"),
        ("15-12-18", None),
        ("in 1/2 hour", "en-GB"),
        ("367年1月1日", "ja"),
        ("listopad 12, 2026", None),  # November in Polish, October in Croatian
    ],
)
def test_a_date_with_two_readings_is_not_read(text: str, locale: str | None):
    assert isinstance(read_when(text, now=NOW, locale=locale), Unread)


@pytest.mark.parametrize(
    ("text", "locale", "day"),
    [
        ("12 listopada 2026", "pl", "2026-11-12"),
        ("12. listopada 2026.", "hr", "2026-10-12"),
        ("pe 12.6.2026", "fi", "2026-06-12"),
        ("för 3 dagar sedan", "sv", "2026-06-07"),
        ("3 дня назад", "ru", "2026-06-07"),
        ("2 gün önce", "tr", "2026-06-08"),
        ("5 天前", "zh", "2026-06-05"),
        ("kommenden Freitag", "de", "2026-06-12"),
        ("12 Dec 2026", "de", "2026-12-12"),
    ],
)
def test_words_of_the_page_s_language_are_read(text: str, locale: str, day: str):
    found = read_when(text, now=NOW, locale=locale, lean=Lean.PAST)
    assert isinstance(found, When)
    assert found.start.isoformat() == day
