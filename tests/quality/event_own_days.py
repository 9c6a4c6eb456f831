"""Pages of one event whose day only the title, the address and what stands above the other events tell."""

from __future__ import annotations

from tests.quality.event_details import _related as related
from tests.quality.event_shapes import EventPage, detail, html, other


@detail
def name_in_no_heading() -> EventPage:
    """The name is a ribbon over a picture; the first headings are those of other events, each with a number in its address."""
    others = "".join(
        f'<article><a href="/programma/{n}/{name.lower()}"><h2>{name}</h2><time datetime="2026-09-{day}T20:00:00+02:00">{day} sep</time></a></article>'
        for n, name, day in ((90319, "Veenlicht", "12"), (90323, "Oranjebitter", "13"), (90329, "Dorpsfeest", "14"))
    )
    own = '<header><time datetime="2026-09-04T19:30:00+02:00">vr 4 sep \'26</time><div class="ribbon">Zeebries</div></header>'
    times = '<ul><li>Open</li><li><time datetime="2026-09-04T19:30:00+02:00">19:30</time></li></ul>'
    return EventPage(
        "name in no heading",
        "https://zaal.example.nl/programma/100388/zeebries",
        html(
            f"{own}<p>Een band uit het noorden.</p>{times}<div>{others}</div>", title="Zeebries - Programma | De Zaal"
        ),
        (("Zeebries", "2026-09-04"),),
    )


@detail
def heading_of_the_section() -> EventPage:
    """The only heading of the first level names the part of the site."""
    body = f"<h1>Programma</h1><h2>Grijs Gebied</h2><h2>vr 04.09</h2><aside>20:30 - 23:00</aside><p>Genre: post-punk</p><h3>Tickets</h3><h2>Grijs Gebied</h2><h3>vrijdag 04.09</h3>{related('/event')}"
    return EventPage(
        "heading of the section",
        "https://zaal.example.nl/event/grijs-gebied",
        html(body, title="Grijs Gebied - De Zaal"),
        (("Grijs Gebied", "2026-09-04"),),
    )


@detail
def name_only_in_the_title() -> EventPage:
    """The name is a picture; the day stands above the other events."""
    body = f'<img src="zeebries.jpg"><dl><dt>Datum</dt><dd>vrijdag 4 september 2026</dd><dt>Aanvang</dt><dd>20:30</dd></dl>{related("/programma")}'
    return EventPage(
        "name only in the title",
        "https://zaal.example.nl/programma/zeebries",
        html(body, title="Zeebries - De Zaal"),
        (("Zeebries", "2026-09-04T20:30"),),
    )


@detail
def dashes_around_a_month() -> EventPage:
    body = f"<p>Knoop</p><div>vr 04-sep-2026</div><h1>Knoop</h1><div>Hosted by de buren</div><h2>vr 04-sep-2026</h2><div>Doors 19:30 Show 20:00 Curfew 23:00</div>{related('/evenement')}"
    return EventPage(
        "dashes around a month",
        "https://zaal.example.nl/evenement/knoop",
        html(body, title="Knoop - De Zaal"),
        (("Knoop", "2026-09-04T20:00"),),
    )


@other
def only_other_events() -> EventPage:
    """A page of one event that names no day: what it lists are other events, and none of them is its own."""
    body = f"<h1>Zeebries</h1><p>Vrijdag in de grote zaal.</p><p>Een band uit het noorden.</p>{related('/agenda')}"
    return EventPage(
        "only other events", "https://zaal.example.nl/agenda/zeebries", html(body, title="Zeebries - De Zaal"), ()
    )


@other
def post_with_a_byline() -> EventPage:
    """The only day is the one on which the page was written."""
    body = "<h1>Vroege Vogels (extra show)</h1><div>March 10, 2026 / in Calendar / by Jip</div><p>21.00 | hardrock | 10,-</p><p>Doors 20:30</p>"
    return EventPage(
        "post with a byline",
        "https://zaal.example.nl/calendar/vroege-vogels",
        html(body, title="Vroege Vogels – De Zaal"),
        (),
    )
