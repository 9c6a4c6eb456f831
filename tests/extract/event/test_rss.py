"""RSS and Atom as a body (E-049): the modules that say a day, days in words, and feeds that are no agenda."""

from __future__ import annotations

from tests.extract.event.feeds import HEAD, found, one, plain, read, rss
from winnow.extract.draft import Extracted, Failure, Role

PUBLISHED = "<pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate>"


def test_e049_the_event_module_says_when_and_where() -> None:
    item = f"""<title>Jazz &amp; wijn</title><link>https://kroon.example/jazz</link><guid isPermaLink="false">55@kroon</guid>{PUBLISHED}
        <ev:startdate>2026-05-01T20:30:00+02:00</ev:startdate><ev:enddate>2026-05-01T23:00:00+02:00</ev:enddate>
        <ev:location>De Kroon, Markt 1, Delft</ev:location><ev:organizer>Stichting Kroon</ev:organizer>
        <georss:point>52.0116 4.3571</georss:point><category>Muziek</category>
        <enclosure url="https://kroon.example/jazz.jpg" type="image/jpeg" length="1"/><description>&lt;p&gt;Trio&lt;/p&gt;</description>"""
    assert one(rss(item)) == {
        "title": "Jazz & wijn",
        "start": "2026-05-01T20:30:00+02:00",
        "end": "2026-05-01T23:00:00+02:00",
        "url": "https://kroon.example/jazz",
        "uid": "55@kroon",
        "venue_name": "De Kroon",
        "location": "Markt 1, Delft",
        "organiser": "Stichting Kroon",
        "latitude": "52.0116",
        "longitude": "4.3571",
        "category": "Muziek",
        "image_url": "https://kroon.example/jazz.jpg",
        "description": "<p>Trio</p>",
        "lang": "nl",
    }


def test_e049_other_modules_say_it_in_their_words() -> None:
    body = rss(
        "<title>A</title><mec:startDate>2026-05-01</mec:startDate><mec:startHour>8:00 pm</mec:startHour><mec:location>Hall</mec:location>",
        "<title>B</title><xcal:dtstart>2026-06-01T20:00:00</xcal:dtstart><xcal:location>Bar</xcal:location>",
        '<title>C</title><gd:when startTime="2026-07-01T10:00:00" endTime="2026-07-01T11:00:00"/><gd:where valueString="Here"/>',
    )
    read_ = [plain(draft) for draft in found(body).drafts]
    assert [(d["start"], d["venue_name"]) for d in read_] == [
        ("2026-05-01 8:00 pm", "Hall"),
        ("2026-06-01T20:00:00", "Bar"),
        ("2026-07-01T10:00:00", "Here"),
    ]


def test_e049_days_in_the_titles_of_an_agenda_are_taken_out_of_them() -> None:
    body = rss(
        "<title>vr 1 mei 2026 20:30 - Jazz in de kroeg</title>",
        "<title>Sat 2 May 2026: Blues</title>",
        "<title>Concert (zondag 3 mei 2026)</title>",
    )
    assert [(plain(d)["title"], plain(d)["start"]) for d in found(body).drafts] == [
        ("Jazz in de kroeg", "vr 1 mei 2026 20:30"),
        ("Blues", "Sat 2 May 2026"),
        ("Concert", "zondag 3 mei 2026"),
    ]


def test_e049_a_labelled_day_in_the_text_is_read() -> None:
    draft = one(
        rss(
            f"<title>Jazz</title>{PUBLISHED}<description>&lt;p&gt;Datum: 1 mei 2026 om 20:30&lt;/p&gt;&lt;p&gt;Trio&lt;/p&gt;</description>"
        )
    )
    assert draft["start"] == "1 mei 2026 om 20:30"


def test_e049_the_day_of_publication_is_never_the_day_of_an_event() -> None:
    extraction = found(rss(f"<title>Jazz</title><link>https://kroon.example/jazz</link>{PUBLISHED}"))
    [draft] = extraction.drafts
    assert "start" not in draft.values
    assert [(link.role, link.url, link.draft) for link in extraction.links] == [
        (Role.DETAIL, "https://kroon.example/jazz", 0)
    ]


def test_e049_a_feed_of_news_is_no_agenda() -> None:
    extraction = read(
        rss(
            f"<title>Brug geopend</title>{PUBLISHED}",
            f"<title>Raad vergadert op 5 mei 2026 over haven</title>{PUBLISHED}",
            title="Nieuws",
        )
    )
    assert isinstance(extraction, Failure)


def test_e049_days_in_the_titles_of_a_podcast_are_no_events() -> None:
    days = ("do 30 april 2026", "vr 1 mei 2026", "za 2 mei 2026")
    assert isinstance(
        read(rss(*(f"<title>Het weer, {day}</title>{PUBLISHED}" for day in days), title="Het weer")), Failure
    )


def test_e057_a_feed_without_entries_is_empty() -> None:
    extraction = read(rss())
    assert isinstance(extraction, Extracted)
    assert extraction.empty == "the feed has no entries"


def test_e049_atom_is_read_like_rss() -> None:
    body = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Agenda</title><entry><title>Jazz</title><id>tag:1</id>
        <link href="https://kroon.example/jazz"/><published>2026-01-01T00:00:00Z</published><summary>Wanneer: 1 mei 2026</summary></entry></feed>"""
    draft = one(body)
    assert (draft["title"], draft["start"], draft["url"], draft["uid"]) == (
        "Jazz",
        "1 mei 2026",
        "https://kroon.example/jazz",
        "tag:1",
    )


def test_r17_r18_entities_do_not_grow() -> None:
    entities = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    body = rss("<title>&a9; agenda</title><ev:startdate>2026-05-01</ev:startdate>").replace(
        "?><rss", f"?><!DOCTYPE rss [{entities}]><rss"
    )
    extraction = read(body)
    size = sum(
        len(value.raw)
        for draft in getattr(extraction, "drafts", [])
        for values in draft.values.values()
        for value in values
    )
    assert size < 10_000


def test_r17_r18_external_entities_are_not_read(tmp_path: object) -> None:
    body = rss("<title>x &file; y</title><ev:startdate>2026-05-01</ev:startdate>").replace(
        "?><rss", '?><!DOCTYPE rss [<!ENTITY file SYSTEM "file:///etc/hostname">]><rss'
    )
    with open("/etc/hostname", encoding="utf-8") as secret:
        name = secret.read().strip()
    assert name
    assert name not in str(read(body))


def test_r17_entries_beyond_the_limit_are_counted() -> None:
    items = "".join(
        f"<item><title>Event {n}</title><ev:startdate>2026-05-01</ev:startdate><description>{'x' * 2_000}</description></item>"
        for n in range(1_200)
    )
    extraction = found(f"{HEAD}<title>Agenda</title>{items}</channel></rss>")
    assert len(extraction.drafts) + extraction.cut == 1_200
    assert extraction.cut > 0


def test_e011_a_feed_that_breaks_off_gives_what_came() -> None:
    body = rss(
        "<title>A</title><ev:startdate>2026-05-01</ev:startdate>",
        "<title>B</title><ev:startdate>2026-05-02</ev:startdate>",
    )
    assert plain(found(body[: body.index("<title>B")]).drafts[0])["title"] == "A"


def test_e011_bytes_that_are_no_utf8_are_read_and_not_refused() -> None:
    body = rss("<title>Caf\xe9</title><ev:startdate>2026-05-01</ev:startdate>").encode("latin-1")
    assert one(body)["start"] == "2026-05-01"
