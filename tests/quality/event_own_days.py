"""Pages of one event whose day only the title, the address and what stands above the other events tell."""

from __future__ import annotations

from tests.quality.event_details import _related as related
from tests.quality.event_shapes import EventPage, detail, html, other
from tests.quality.kind_cases import ld


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


@detail
def day_beside_a_stamp() -> EventPage:
    """The template writes for machines when the page was made."""
    body = f'<div class="info"><time datetime="2026-02-06T07:15:02+0100">maandag 7 september 2026</time> <span>20:30</span></div><h2>Dorpsfeest</h2><p>Terugkeer van de reuzen</p>{related("/agenda")}'
    return EventPage(
        "day beside a stamp",
        "https://zaal.example.nl/agenda/dorpsfeest",
        html(body, title="Dorpsfeest | De Zaal"),
        (("Dorpsfeest", "2026-09-07T20:30"),),
    )


@detail
def day_that_the_data_do_not_know() -> EventPage:
    own = {"@type": "Event", "name": "Veenlicht", "startDate": "Invalid date"}
    body = "<h1>We use cookies</h1><h2>Veenlicht</h2><div>Friday 4 September 2026 / 20:30 - 23:30</div><p>Orgel en stem.</p>"
    return EventPage(
        "day that the data do not know",
        "https://zaal.example.nl/event/veenlicht",
        html(body, title="Veenlicht Tickets", head=ld(own)),
        (("Veenlicht", "2026-09-04T20:30"),),
    )


@detail
def heading_of_a_window() -> EventPage:
    """The only heading is that of a window over the page; the title joins two lines."""
    body = f'<div>Mira</div><div>+ the Owls</div><div>donderdag 3 september 2026</div><div>Deur: 20:00 uur</div><div>Aanvang: 20:30 uur</div><p>Een avond met twee bands.</p>{"<p>Neem je vrienden mee.</p>" * 9}{related("/agenda")}<div class="popup"><h1>Over de zaal</h1></div>'
    return EventPage(
        "heading of a window",
        "https://zaal.example.nl/agenda/mira-the-owls",
        html(body, title="Mira + the Owls - De Zaal"),
        (("Mira + the Owls", "2026-09-03T20:30"),),
    )


@detail
def day_told_again_below() -> EventPage:
    """The text tells of a first date that was cancelled."""
    text = "De show van vrijdag 21 februari kan helaas niet doorgaan en is verplaatst naar vrijdag 4 september 2026, kaarten blijven geldig."
    return EventPage(
        "day told again below",
        "https://zaal.example.nl/programma/karel-wolff",
        html(
            f"<h1>Karel Wolff</h1><div>vri 4 sep</div><p>Koop tickets</p><p>{text}</p>{related('/programma')}",
            title="Karel Wolff - De Zaal",
        ),
        (("Karel Wolff", "2026-09-04"),),
    )
