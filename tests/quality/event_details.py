"""Pages of one event, with other events beside it, and pages without any."""

from __future__ import annotations

from tests.quality.event_shapes import EventPage, detail, html, nights, nl, other, slug
from tests.quality.kind_cases import ld

# Pages of one event


def _related(path: str) -> str:
    rows = "".join(
        f'<li class="event-card"><a href="{path}/{slug(name)}"><h3>{name}</h3><time datetime="{day}">{nl(day)}</time></a></li>'
        for name, day, _ in list(nights())[1:5]
    )
    return f'<section class="more"><h2>Meer concerten</h2><ul>{rows}</ul></section>'


@detail
def own_day_and_related() -> EventPage:
    body = f'<main><h1>Grijs Gebied</h1><p class="subtitle">Albumpresentatie</p><div class="info"><span>vrijdag 4 september 2026</span><ul><li>Zaal open: 19:30</li><li>Aanvang: 20:30 uur</li><li>Grote zaal</li></ul></div><p>Een band uit het noorden met liedjes over het wad.</p><a href="https://tix.example.com">Tickets</a></main>{_related("/agenda")}'
    return EventPage(
        "own day and related",
        "https://zaal.example.nl/agenda/grijs-gebied",
        html(body, title="Grijs Gebied | De Zaal"),
        (("Grijs Gebied", "2026-09-04T20:30"),),
    )


@detail
def hour_before_its_label() -> EventPage:
    lines = "<p>19:30 foyerdeuren open</p><p>20:30 start programma</p><p>22:45 einde</p>"
    return EventPage(
        "hour before its label",
        "https://zaal.example.nl/programma/zeebries",
        html(f"<main><h1>Zeebries</h1><p>Woensdag 2 september 2026</p>{lines}</main>", title="Zeebries"),
        (("Zeebries", "2026-09-02T20:30"),),
    )


@detail
def midnight_in_the_data() -> EventPage:
    """The data know no hour; the page does, in the line of the day, of which no part stands alone."""
    own = {"@type": "Event", "name": "Grijs Gebied", "startDate": "2026-09-04T00:00:00"}
    line = "Locatie: Zaal Datum: vr 04 sep '26 Zaal open: 20:00 Aanvang: 21:00 Genre: Indie / Alternative"
    return EventPage(
        "midnight in the data",
        "https://zaal.example.nl/agenda/grijs-gebied",
        html(f"<h1>Grijs Gebied</h1><p>{line}</p><p>Livemuziek met een band.</p>", title="Grijs Gebied", head=ld(own)),
        (("Grijs Gebied", "2026-09-04T21:00"),),
    )


@detail
def labels_in_one_line() -> EventPage:
    line = "Locatie: Zaal Datum: vr 04 sep '26 Zaal open: 20:00 Aanvang: 21:00 Genre: Indie / Alternative"
    return EventPage(
        "labels in one line",
        "https://zaal.example.nl/agenda/grijs-gebied",
        html(f"<h1>Grijs Gebied</h1><p>{line}</p><p>Livemuziek met een band.</p>", title="Grijs Gebied"),
        (("Grijs Gebied", "2026-09-04T21:00"),),
    )


@detail
def doors_in_the_data() -> EventPage:
    """The data say when the doors open, the page when it begins."""
    own = {"@type": "Event", "name": "Kwartet 9", "startDate": "2026-09-05T19:30:00+02:00"}
    lines = "<p>za 5 september 2026</p><ul><li>Deuren open: 19:30</li><li>Aanvang: 20:15</li></ul>"
    return EventPage(
        "doors in the data",
        "https://zaal.example.nl/agenda/kwartet-9",
        html(f"<main><h1>Kwartet 9</h1>{lines}</main>", title="Kwartet 9", head=ld(own)),
        (("Kwartet 9", "2026-09-05T20:15"),),
    )


@detail
def stated_others() -> EventPage:
    others = [
        {
            "@type": "Event",
            "name": name,
            "startDate": f"{day}T20:00",
            "url": f"https://zaal.example.nl/agenda/{slug(name)}",
        }
        for name, day, _ in list(nights())[2:6]
    ]
    body = f"<main><h1>Kwartet 9</h1><p>zaterdag 5 september 2026 · 20:00 uur</p><p>Toegang € 15</p></main>{_related('/agenda')}"
    return EventPage(
        "stated others",
        "https://zaal.example.nl/agenda/kwartet-9",
        html(body, title="Kwartet 9", head=ld(*others)),
        (("Kwartet 9", "2026-09-05T20:00"),),
    )


@detail
def stated_own_among_others() -> EventPage:
    nodes = [
        {
            "@type": "Event",
            "name": name,
            "startDate": f"{day}T20:00",
            "url": f"https://zaal.example.nl/agenda/{slug(name)}",
        }
        for name, day, _ in list(nights())[:5]
    ]
    body = f"<main><h1>Nachtwinkel</h1><p>di 8 sep</p></main>{_related('/agenda')}"
    return EventPage(
        "stated own among others",
        "https://zaal.example.nl/agenda/nachtwinkel",
        html(body, title="Nachtwinkel", head=ld(*nodes)),
        (("Nachtwinkel", "2026-09-08T20:00"),),
    )


@detail
def labelled_block() -> EventPage:
    body = "<main><article><h1>Lezing over bijen</h1><p>Alles over de bij in de stad.</p><dl><dt>Datum</dt><dd>woensdag 9 september 2026</dd><dt>Tijd</dt><dd>19.30 - 21.00 uur</dd><dt>Locatie</dt><dd>Bibliotheek Centrum</dd></dl></article></main>"
    return EventPage(
        "labelled block",
        "https://bibliotheek.example.nl/activiteiten/bijen",
        html(body, title="Lezing over bijen"),
        (("Lezing over bijen", "2026-09-09T19:30"),),
    )


@detail
def exhibition_page() -> EventPage:
    body = "<main><h1>Licht en water</h1><p>12 september 2026 t/m 10 januari 2027</p><p>Een tentoonstelling over de zee.</p><p>Entree: € 12,50</p></main>"
    return EventPage(
        "exhibition page",
        "https://museum.example.nl/tentoonstellingen/licht-en-water",
        html(body, title="Licht en water"),
        (("Licht en water", "2026-09-12"),),
    )


@detail
def american_meeting() -> EventPage:
    body = "<main><h1>Zoning Board of Appeals</h1><p><b>Date:</b> 09/15/2026</p><p><b>Time:</b> 7:00 PM</p><p><b>Location:</b> City Hall, 1 Main St, Dayton, OH 45402</p><p><a href='/a.pdf'>Agenda</a></p></main>"
    return EventPage(
        "american meeting",
        "https://town.example.gov/events/zoning-board",
        html(body, "en-US", title="Zoning Board"),
        (("Zoning Board of Appeals", "2026-09-15T19:00"),),
    )


@detail
def german_concert() -> EventPage:
    body = '<main><h1>Trio Lindeboom</h1><p>Freitag, 11. September 2026</p><p>Einlass: 19:00 Uhr</p><p>Beginn: 20:00 Uhr</p><p>Eintritt: 18 €</p></main><aside><h2>Weitere Veranstaltungen</h2><ul><li><a href="/programm/a">Zeebries</a> 12.09.2026</li><li><a href="/programm/b">Veenlicht</a> 13.09.2026</li><li><a href="/programm/c">Nachtwinkel</a> 14.09.2026</li></ul></aside>'
    return EventPage(
        "german concert",
        "https://keller.example.de/programm/trio-lindeboom",
        html(body, "de", title="Trio Lindeboom"),
        (("Trio Lindeboom", "2026-09-11T20:00"),),
    )


@detail
def date_above_heading() -> EventPage:
    body = f'<main><div class="meta"><time datetime="2026-09-18">vr 18 sep</time><span>21:00</span></div><h1>Veenlicht</h1><p>Slotavond van de tour.</p><p>Tickets vanaf € 10</p></main>{_related("/events")}'
    return EventPage(
        "date above heading",
        "https://hal.example.nl/events/veenlicht",
        html(body, title="Veenlicht"),
        (("Veenlicht", "2026-09-18T21:00"),),
    )


@detail
def workshop() -> EventPage:
    body = "<main><h1>Workshop zeefdrukken</h1><p>Zondag 20 september 2026, 13:00 – 16:00 uur</p><p>Inschrijven tot 10 september 2026</p><p>Kosten: € 35</p></main>"
    return EventPage(
        "workshop",
        "https://atelier.example.nl/workshops/zeefdrukken",
        html(body, title="Workshop zeefdrukken"),
        (("Workshop zeefdrukken", "2026-09-20T13:00"),),
    )


# Pages without events


@other
def empty_dutch() -> EventPage:
    return EventPage(
        "empty dutch",
        "https://zaal.example.nl/agenda",
        html("<h1>Agenda</h1><p>Er zijn op dit moment geen evenementen.</p>"),
        (),
        empty=True,
    )


@other
def empty_english() -> EventPage:
    return EventPage(
        "empty english",
        "https://hall.example.com/events",
        html("<h1>Events</h1><div>There are no upcoming events at this time.</div>", "en"),
        (),
        empty=True,
    )


@other
def empty_german() -> EventPage:
    return EventPage(
        "empty german",
        "https://halle.example.de/termine",
        html("<h1>Termine</h1><p>Zurzeit keine Veranstaltungen.</p>", "de"),
        (),
        empty=True,
    )


@other
def off_the_air() -> EventPage:
    return EventPage(
        "off the air",
        "https://tv.example.com/schedule",
        html("<h1>Schedule</h1><table><tr><td>No programmes scheduled</td></tr></table>", "en"),
        (),
        empty=True,
    )


@other
def news_list() -> EventPage:
    rows = "".join(
        f'<article class="news-item"><h3><a href="/nieuws/{n}">Bericht over {name}</a></h3><time datetime="{day}">{nl(day, year=True)}</time><p>Wat er gebeurde bij ons in huis.</p></article>'
        for n, (name, day, _) in enumerate(nights())
    )
    return EventPage("news list", "https://zaal.example.nl/nieuws", html(f"<h1>Nieuws</h1>{rows}"), ())


@other
def blog_posts() -> EventPage:
    rows = "".join(
        f'<div class="post hentry"><h2><a href="/2026/02/{n}">On {name}</a></h2><span class="posted-on">Posted on {day:%B} {day.day}, {day.year}</span><p>Some thoughts on music and the sea.</p></div>'
        for n, (name, day, _) in enumerate(nights())
    )
    return EventPage("blog posts", "https://blog.example.com/", html(f"<h1>My blog</h1>{rows}", "en"), ())


@other
def vacancies() -> EventPage:
    rows = "".join(
        f'<li class="vacancy"><a href="/jobs/{n}">Engineer {n}</a> <span>Deadline: {day.day} {day:%B} {day.year}</span></li>'
        for n, (_, day, _) in enumerate(nights())
    )
    return EventPage("vacancies", "https://firm.example.com/jobs", html(f"<h1>Jobs</h1><ul>{rows}</ul>", "en"), ())


@other
def opening_hours() -> EventPage:
    return EventPage(
        "opening hours",
        "https://museum.example.nl/bezoek",
        html(
            "<h1>Bezoek</h1><table><tr><td>maandag</td><td>gesloten</td></tr><tr><td>dinsdag</td><td>10:00 - 17:00</td></tr><tr><td>woensdag</td><td>10:00 - 17:00</td></tr></table>"
        ),
        (),
    )
