"""Meetings in public, in the shapes in which councils, boards and authorities list them."""

from __future__ import annotations

from tests.quality.event_shapes import EventPage, detail, html, listing, other

_DAYS = [("January 14", "01-14"), ("February 11", "02-11"), ("March 10", "03-10"), ("April 14", "04-14")]


def _page(body: str, title: str = "Board of Trustees") -> str:
    return html(body, lang="en", title=title)


@listing
def a_schedule_without_headings() -> EventPage:
    """The title of the table is a paragraph, three heads of columns above the first day."""
    rows = "".join(f"<tr><td><p>{day}, 2026</p></td><td>10:00 AM</td><td>Room 908</td></tr>" for day, _ in _DAYS)
    table = f"<table><tr><td><p>Date</p></td><td><p>Hour</p></td><td><p>Room</p></td></tr>{rows}</table>"
    truth = tuple(("2026 MEETING SCHEDULE", f"2026-{day}T10:00") for _, day in _DAYS)
    body = f"<div class='contact'><h4>contact us:</h4></div><p>2026 MEETING SCHEDULE</p>{table}"
    return EventPage("a schedule without headings", "https://fund.example.org/trustees/", _page(body), truth)


@listing
def two_meetings_a_row() -> EventPage:
    rows = "".join(
        f'<tr class="{"odd" if n % 2 else "even"}"><td class="col-1">{day}</td><td class="last-col">{day.split()[0]} 28</td></tr>'
        for n, (day, _) in enumerate(_DAYS)
    )
    head = "<tr><th>Regular</th><th>Adjourned</th></tr>"
    body = f"<h1>Commission Meetings</h1><h2>2026 Meeting Schedule</h2><table>{head}{rows}</table>"
    days = sorted(day for _, first in _DAYS for day in (first, f"{first[:2]}-28"))
    truth = tuple(("Commission Meetings", f"2026-{day}") for day in days)
    return EventPage("two meetings a row", "https://town.example.org/commission/", _page(body), truth)


@listing
def a_badge_and_the_whole_day() -> EventPage:
    """Site builders show the day twice: short in a badge, whole in the line of the hours, for both kinds of clock."""
    cards = "".join(
        f'<article class="eventlist-event"><div class="eventlist-datetag"><div class="startdate month">{day.split()[0][:3]}</div><div class="startdate day">{day.split()[1]}</div></div>'
        f'<h1 class="eventlist-title"><a href="/calendar/board-{n}">Water Board {n}</a></h1><ul><li><time datetime="2026-{iso}">{day}, 2026</time></li><li><time class="event-time-12hr">9:00 AM</time></li><li>Main Hall <a href="#">(map)</a></li></ul></article>'
        for n, (day, iso) in enumerate(_DAYS)
    )
    truth = tuple((f"Water Board {n}", f"2026-{iso}T09:00") for n, (_, iso) in enumerate(_DAYS))
    page = _page(f'<div class="eventlist eventlist--upcoming">{cards}</div>', "Meetings & Events")
    return EventPage("a badge and the whole day", "https://water.example.org/calendar", page, truth)


@listing
def days_that_were_posted() -> EventPage:
    """When the entry was posted is neither its day, nor its hour, nor its name."""
    rows = "".join(
        f'<tr class="catAgendaRow"><td><h4>{day[:3]} {day.split()[1]}, 2026 — Posted {day[:3]} {int(day.split()[1]) - 6}, 2026 4:54 PM</h4><p><a href="/agenda/{n}">Regular Meeting {n}</a></p></td><td><a href="/a{n}.pdf">Agenda</a></td><td></td></tr>'
        for n, (day, _) in enumerate(_DAYS)
    )
    truth = tuple((f"Regular Meeting {n}", f"2026-{iso}") for n, (_, iso) in enumerate(_DAYS))
    page = _page(f"<h1>Agenda Center</h1><h2>City Council</h2><table><tbody>{rows}</tbody></table>")
    return EventPage("days that were posted", "https://city.example.org/AgendaCenter", page, truth)


@listing
def one_row_of_a_calendar() -> EventPage:
    heads = "".join(
        f"<th>{name}</th>" for name in ("Name", "Meeting Date", "Meeting Time", "Meeting Location", "Agenda")
    )
    row = "<td>County Commissioners</td><td>5/19/2026</td><td>1:30 PM</td><td>Government Center</td><td>Not available</td>"
    return EventPage(
        "one row of a calendar",
        "https://county.example.org/Calendar.aspx",
        _page(f'<table class="rgMasterTable"><thead><tr>{heads}</tr></thead><tbody><tr>{row}</tr></tbody></table>'),
        (("County Commissioners", "2026-05-19T13:30"),),
    )


@listing
def months_as_lines() -> EventPage:
    """ "January 2026" is a line above its days, which name their month once more."""
    lines = "".join(
        f"<p>{day.split()[0]} 2026</p><p><a href='/p{n}.pdf'>{day.split()[1]} {day.split()[0]}</a> –</p><p><a href='/q{n}.pdf'>28 {day.split()[0]}</a> – CX</p>"
        for n, (day, _) in enumerate(_DAYS)
    )
    body = f"<h1>CITY COUNCIL MEETINGS AND AGENDAS</h1><h3>2026</h3><div class='panel'>{lines}</div>"
    truth = tuple(
        ("CITY COUNCIL MEETINGS AND AGENDAS", f"2026-{day}") for _, iso in _DAYS for day in (iso, f"{iso[:2]}-28")
    )
    return EventPage("months as lines", "https://city.example.org/council/", _page(body), truth)


@detail
def own_day_inside_a_line() -> EventPage:
    """The day is an element in a line of its own; below it stand two lists of the same body's other meetings."""
    others = "".join(
        f"<li><a href='/events/board-{n}/'>Board Public Meeting</a><ul><li>{n}/15/2026</li><li>6:30 pm - 7:30 pm</li></ul></li>"
        for n in (3, 4, 5)
    )
    body = (
        "<h1 class='entry-title'>Board Public Meeting</h1><div>Posted on October 19, 2025 by the office</div>"
        "<p><strong>Date/Time</strong><br>Date(s) - <i>2/19/2026</i><br><i>6:30 pm - 7:30 pm</i></p>"
        f"<p>Location<br>3234 N. Central Ave.</p><aside><h2>Upcoming Events</h2><ul>{others}</ul></aside>"
    )
    return EventPage(
        "own day inside a line",
        "https://program.example.org/events/board-2/",
        html(body, lang="en-US", title="Board Public Meeting – Program"),
        (("Board Public Meeting", "2026-02-19T18:30"),),
    )


@detail
def a_meeting_by_its_heading() -> EventPage:
    body = "<h1>Regular Open Meeting</h1><h2>Commerce Commission</h2><h3>December 14, 2026 11:30 AM</h3><p>Eighth Floor, 160 North Street</p><h3>Documents</h3><ul><li><a href='/a.pdf'>Cover Letter</a></li></ul>"
    return EventPage(
        "a meeting by its heading",
        "https://commission.example.org/m/4711",
        html(body, lang="en-US", title="Regular Open Meeting"),
        (("Regular Open Meeting", "2026-12-14T11:30"),),
    )


@other
def alerts_of_a_transit_company() -> EventPage:
    alerts = "".join(
        f'<li class="mini-updates__alert"><a href="/alerts/{n}"><b>Route {n} detour</b></a><span>0{n}/21/2026</span><span>6:00 AM</span></li>'
        for n in range(2, 8)
    )
    body = f'<h1>Service</h1><h2>Board schedule and notices</h2><ul class="mini-updates__alerts">{alerts}</ul>'
    return EventPage("alerts of a transit company", "https://transit.example.com/service", _page(body, "Transit"), ())


@other
def terms_of_members() -> EventPage:
    heads = "".join(f"<th>{name}</th>" for name in ("Person Name", "Title", "Start Date", "End Date", "E-mail"))
    rows = "".join(
        f"<tr><td><a href='/p{n}'>Member {n}</a></td><td>Commissioner</td><td>1/{n}/2023</td><td>1/{n}/2027</td><td>m{n}@example.org</td></tr>"
        for n in range(2, 9)
    )
    body = f"<h1>Department Details</h1><h2>Board of Commissioners</h2><table><tr>{heads}</tr>{rows}</table>"
    return EventPage("terms of members", "https://county.example.org/DepartmentDetail.aspx", _page(body), ())


@other
def comments_on_a_calendar() -> EventPage:
    comments = "".join(
        f'<li class="comment" id="c{n}"><cite>Reader {n} says</cite><a href="#c{n}">May {n + 2}, 2026 at 8:2{n} am</a><p>Great show last night, thanks!</p></li>'
        for n in range(8)
    )
    body = f'<h1>Local shows</h1><p>Write to us.</p><ol class="commentlist">{comments}</ol>'
    return EventPage("comments on a calendar", "https://metal.example.org/", _page(body, "Local shows"), ())
