"""Pages of one event that could be read in two ways: zones, days and names that do not say whose they are."""

from __future__ import annotations

from typing import Any

from tests.extract.event.single_pages import FOOT, NAV, doc

AMBIGUOUS: dict[str, tuple[str, str, dict[str, Any]]] = {}
AMBIGUOUS["utc with the local hour shown"] = (
    "https://council.example.org/events/planning-board",
    doc(
        "<title>Planning Board</title>",
        NAV
        + '<main><h1>Planning Board</h1><p class="when"><time datetime="2026-09-15T15:00:00Z">Tue, 09/15/2026 - 10:00 AM</time></p><p>Location: Room 4</p></main>'
        + FOOT,
        "en-US",
    ),
    dict(title="Planning Board", start="2026-09-15T10:00-05:00"),
)
AMBIGUOUS["a day written as its noon"] = (
    "https://council.example.org/events/zoning",
    doc(
        "<title>Zoning Appeals</title>",
        NAV
        + '<main><h1>Zoning Appeals</h1><time datetime="2026-09-16T12:00:00Z">Sep 16</time><p>5:30 pm - 7:00 pm</p><p>Location: Room 4</p></main>'
        + FOOT,
        "en-US",
    ),
    dict(title="Zoning Appeals", start="2026-09-16T17:30", end="2026-09-16T19:00"),
)
AMBIGUOUS["microdata in utc without saying so"] = (
    "https://county.example.org/audit",
    doc(
        "<title>Audit</title>",
        NAV
        + """<div itemscope itemtype="http://schema.org/Event"><h1 itemprop="name">Audit Committee</h1><div itemprop="startDate" content="2026-12-14T14:30">
<h2>Date and time:</h2><p>December 14, 2026 <span>&nbsp;</span> 9:30 AM<span> - </span>12:00 PM</p></div></div>"""
        + FOOT,
        "en-US",
    ),
    dict(title="Audit Committee", start="2026-12-14T09:30", end="2026-12-14T12:00"),
)
AMBIGUOUS["card in utc"] = (
    "https://county.example.org/calendar",
    doc(
        "<title>Calendar</title>",
        NAV
        + "".join(
            f'<div class="event-item"><h3>Planning {n}</h3><time datetime="2026-08-1{n}T01:00:00Z">August 1{n - 1}, 2026 6:00 PM</time><span class="location">Location(s):</span></div>'
            for n in (1, 2, 3)
        )
        + FOOT,
        "en-US",
    ),
    dict(title="Planning 1", start="2026-08-10T18:00-07:00", venue_name=None),
)
AMBIGUOUS["the half of the day named once"] = (
    "https://council.example.org/events/hearing",
    doc(
        "<title>Hearing</title>",
        NAV
        + "<main><h1>Public Hearing</h1><p>October 7, 2026, 1:00 - 4:00 PM</p><p>Where: City Hall</p></main>"
        + FOOT,
        "en-US",
    ),
    dict(title="Public Hearing", start="2026-10-07T13:00", end="2026-10-07T16:00"),
)
AMBIGUOUS["meetings of a year"] = (
    "https://council.example.org/events/committee",
    doc(
        "<title>Parks Committee</title>",
        NAV
        + "<main><h1>Parks Committee</h1><table><tr><th>Date</th><th>Time</th><th>Location</th></tr>"
        + "".join(f"<tr><td>{m}/18/2026</td><td>9:00 AM</td><td>Pavilion</td></tr>" for m in range(1, 8))
        + "</table></main>"
        + FOOT,
        "en-US",
    ),
    dict(title="Parks Committee", start="2026-01-18T09:00", venue_name="Pavilion"),
)
AMBIGUOUS["notices and minutes"] = (
    "https://council.example.org/events/notices",
    doc(
        "<title>Notices</title>",
        NAV + "<main><h1>Board Notices, Agendas & Minutes</h1><p>July 24, 2026 at 10:30 am</p></main>" + FOOT,
        "en-US",
    ),
    dict(title=None, start=None),
)
AMBIGUOUS["the site's name as heading"] = (
    "https://pension.example.org/events/",
    doc(
        "<title>Welcome</title>",
        '<a href="/" id="logo"><h1>City Pension System</h1></a><p>Tickets</p><p>January 9, 2027, 10:00 am - 11:00 am</p>'
        + FOOT,
        "en-US",
    ),
    dict(title=None, start=None),
)
AMBIGUOUS["listed below, its own day above"] = (
    "https://council.example.org/events/port-authority",
    doc(
        "<title>Port Authority</title>",
        NAV
        + "<main><h1>Port Authority</h1><p>07/16/2026, 9:30 AM - 10:30 AM</p><p>Location:</p><p>Pier House</p><h2>Meeting materials</h2><ul>"
        + "".join(f"<li>Packet of {m} 3, 2026</li>" for m in ("June", "May", "April", "March", "January"))
        + "</ul></main>"
        + FOOT,
        "en-US",
    ),
    dict(title="Port Authority", start="2026-07-16T09:30", venue_name="Pier House"),
)
AMBIGUOUS["a call is no place"] = (
    "https://board.example.org/e/9",
    doc(
        "<title>Hearing</title>",
        """<div itemscope itemtype="https://schema.org/Event"><h1 itemprop="name">Virtual Hearing</h1><meta itemprop="startDate" content="2026-11-17T10:00-05:00">
<div itemprop="location" itemscope itemtype="https://schema.org/Place"><span itemprop="name">https://call.example.com/j/8789</span></div></div>""",
    ),
    dict(title="Virtual Hearing", start="2026-11-17T10:00-05:00", venue_name=None),
)
