"""What a listing gives beside its events: links, marks, what was cut, and which of several readings wins."""

from __future__ import annotations

from tests.product_pages import page
from tests.quality.event_shapes import FOOT, NAV, html
from winnow.extract.draft import Extracted, Failure, Role
from winnow.extract.event.event import extract_events
from winnow.extract.event.listing import MAX_ENTRIES

URL = "https://zaal.example.nl/agenda"


def read(body: str, url: str = URL) -> Extracted:
    found = extract_events(page(html(body), url))
    assert isinstance(found, Extracted), found
    return found


def card(n: int, more: str = "") -> str:
    return f'<li class="event"><a href="/agenda/{n}"><h3>Avond {n}</h3></a><span class="date">{n} september 2026</span>{more}</li>'


def test_e046_each_event_of_a_list_has_the_link_to_its_page():
    found = read(f"<h1>Agenda</h1><ul>{''.join(map(card, range(1, 5)))}</ul>")
    details = [link for link in found.links if link.role is Role.DETAIL]
    assert [(link.url, link.draft) for link in details] == [
        (f"https://zaal.example.nl/agenda/{n}", n - 1) for n in range(1, 5)
    ]


def test_e052_what_a_limit_leaves_out_is_counted():
    rows = "".join(f"<tr><td>{n % 28 + 1}-09-2026</td><td>Avond {n}</td></tr>" for n in range(MAX_ENTRIES + 30))
    found = read(f"<h1>Agenda</h1><table><tr><th>Datum</th><th>Titel</th></tr>{rows}</table>")
    assert (len(found.drafts), found.cut) == (MAX_ENTRIES, 30)


def test_e052_the_system_an_agenda_is_made_with_stands_in_the_trace():
    rows = "".join(
        f'<article class="type-tribe_events"><h3><a href="/event/{n}">Avond {n}</a></h3>'
        f'<time datetime="2026-09-0{n}">{n} sep</time></article>'
        for n in range(1, 4)
    )
    notes = [attempt.note for attempt in read(rows).trace]
    assert "listing, wordpress: the events calendar" in notes


def test_e056_broken_json_ld_leaves_the_page_to_the_next_reader():
    broken = '<script type="application/ld+json">{"@type": "Event", "name": "A", "startDate": </script>'
    found = read(f"{broken}<h1>Agenda</h1><ul>{''.join(map(card, range(1, 4)))}</ul>")
    assert [draft.values["title"][0].raw for draft in found.drafts] == ["Avond 1", "Avond 2", "Avond 3"]


def test_e051_the_hour_the_doors_open_is_not_the_beginning():
    hours = "<p>Zaal open: 19:30</p><p>Aanvang: 21:30 uur</p>"
    found = read(f"<h1>Agenda</h1><ul>{''.join(card(n, hours) for n in range(1, 4))}</ul>")
    first = found.drafts[0].values
    assert (first["doors"][0].raw, first["start"][0].raw) == ("19:30", "1 september 2026 21:30 uur")


def test_e051_a_stated_day_stands_before_the_same_day_shown_without_a_year():
    rows = "".join(
        f'<li class="event"><h3>Avond {n}</h3><time datetime="2027-03-0{n}">{n} mrt</time></li>' for n in range(1, 4)
    )
    found = read(f"<h1>Agenda</h1><ul>{rows}</ul>")
    assert [draft.values["start"][0].raw for draft in found.drafts] == ["2027-03-01", "2027-03-02", "2027-03-03"]


def test_e051_a_mark_says_sold_out_and_another_cancelled():
    found = read(f"<h1>Agenda</h1><ul>{card(1, '<b>Uitverkocht</b>')}{card(2, '<b>Geannuleerd</b>')}{card(3)}</ul>")
    fields = [set(draft.values) & {"sold_out", "status"} for draft in found.drafts]
    assert fields == [{"sold_out"}, {"status"}, set()]


def test_e051_rows_share_the_day_of_a_cell_that_spans_them():
    rows = (
        '<tr><td rowspan="2">4 september 2026</td><td>19:00</td><td>Vroeg</td></tr><tr><td>22:00</td><td>Laat</td></tr>'
        "<tr><td>5 september 2026</td><td>20:00</td><td>Matinee</td></tr>"
        "<tr><td>6 september 2026</td><td>20:00</td><td>Zondag</td></tr>"
    )
    found = read(f"<h1>Agenda</h1><table>{rows}</table>")
    assert [draft.values["title"][0].raw for draft in found.drafts] == ["Vroeg", "Laat", "Matinee", "Zondag"]
    assert found.drafts[1].values["heading_day"][0].raw == "4 september 2026"


def test_e057_a_page_of_frames_only_is_broken():
    found = extract_events(page(f"<html><body>{NAV}{FOOT}</body></html>", URL))
    assert isinstance(found, Failure)
