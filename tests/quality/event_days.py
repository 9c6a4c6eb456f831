"""Agendas with several events a day, and pages of one event that show another day too."""

from __future__ import annotations

from datetime import date
from itertools import groupby

from tests.quality.event_shapes import EventPage, daily, detail, hourly, html, listing, nights, nl, slug
from tests.quality.kind_cases import ld


def _shared_days() -> list[tuple[str, date, str]]:
    """Two events on most days, one on the others; the two of one day may have one name."""
    alone = list(nights(6, step=2))
    found = []
    for n, (name, day, clock) in enumerate(alone):
        found.append((name, day, clock))
        if n % 3 < 2:
            found.append((name if n % 3 else f"Na {name}", day, "22:45"))
    return found


@listing
def days_that_hold_their_articles() -> EventPage:
    days = ""
    for day, found in groupby(_shared_days(), key=lambda each: each[1]):
        cards = "".join(
            f'<article class="program__item"><a href="/programma/{slug(name)}-{clock[:2]}/"><time datetime="{day}T{clock}:00+02:00"><span>{nl(day)[:2]}</span><strong>{day.day}</strong><span>sep</span></time><div class="program__content"><h1>{name}</h1><p>Met Zeebries</p></div></a></article>'
            for name, _, clock in found
        )
        days += f'<div class="program__day">{cards}</div>'
    truth = tuple((name, f"{day}T{clock}") for name, day, clock in _shared_days())
    page = html(f'<section class="program">{days}</section>')
    return EventPage("days that hold their articles", "https://zaal.example.nl/programma/", page, truth)


@listing
def months_as_rows_between_cards() -> EventPage:
    """A line with the month stands between the cards, and two cards of its first day follow."""
    cards = '<li class="month-divider">sep 2026</li>' + "".join(
        f'<li class="agenda-list-item"><time class="agenda-list-item__time">{nl(day, year=True)}</time><h2><a href="/agenda/{slug(name)}-{day:%d-%m-%Y}/">{name}</a></h2><p>Indierock op tour</p></li>'
        for name, day, _ in nights()
    )
    return EventPage(
        "months as rows between cards",
        "https://huis.example.nl/agenda/",
        html(f'<div class="agenda archief"><ul>{cards}</ul></div>'),
        daily(),
    )


@listing
def names_of_one_letter() -> EventPage:
    names = [f"T-{90 + n}" for n in range(8)]
    cards = "".join(
        f'<article class="event-block"><div><h1 class="event-block__title">{name}</h1><div class="subtitle"><time class="date" datetime="{day}">{nl(day)}</time> <time class="time" datetime="{clock}">{clock}</time> Kleine Zaal</div></div><a href="/voorstelling/{n}/{slug(name)}">meer informatie over {name}</a></article>'
        for n, (name, (_, day, clock)) in enumerate(zip(names, nights(), strict=False))
    )
    truth = tuple((name, start) for name, (_, start) in zip(names, hourly(), strict=True))
    return EventPage("names of one letter", "https://zaal.example.nl/programma", html(f"<div>{cards}</div>"), truth)


@detail
def an_article_with_doors() -> EventPage:
    """A plugin calls it an article; only the line of its hours says that it is an event."""
    more = "".join(
        f'<a class="production-card" href="/production/{slug(name)}/"><h3>{name}</h3><div>{nl(day)}</div></a>'
        for name, day, _ in list(nights())[1:6]
    )
    body = (
        '<main><h1 class="featured-title">Holle Vaten: Tour deel 2</h1><div>woe 2 sep</div><div class="summary"><div>woensdag 2 september</div>'
        f"<div>Deur 20:00 - Aanvang 20:45</div></div><p>Een band die niemand mag missen.</p></main><section><h2>Agenda</h2>{more}</section>"
    )
    return EventPage(
        "an article with doors",
        "https://hoorn.example.nl/production/holle-vaten/",
        html(body, title="Holle Vaten: Tour deel 2 - De Hoorn", head=ld({"@type": "Article", "headline": "Tour"})),
        (("Holle Vaten: Tour deel 2", "2026-09-02T20:45"),),
    )


@detail
def data_of_the_next_evening() -> EventPage:
    """The data speak of the next evening of the series, which has a page of its own."""
    other = {
        "@type": "MusicEvent",
        "name": "Nieuw Geluid",
        "startDate": "2026-10-07T20:15",
        "url": "https://huis.example.nl/agenda/nieuw-geluid-07-10-2026/",
    }
    body = "<main><p>woensdag 2 september 2026</p><h1>Nieuw Geluid</h1><div class='info'><span>aanvang</span> <span>20:15</span></div><p>Nieuwe muziek uit de stad.</p></main>"
    return EventPage(
        "data of the next evening",
        "https://huis.example.nl/agenda/nieuw-geluid-02-09-2026/",
        html(body, title="Nieuw Geluid", head=ld(other)),
        (("Nieuw Geluid", "2026-09-02"),),
    )


@detail
def today_above_the_heading() -> EventPage:
    """The page shows what day it is; its address and the line below the heading say the day of the event."""
    body = "<div class='crumbs'>zondag 1 maart 2026</div><main><h1>Park in de Nacht</h1><div>vrijdag 4 september 2026</div><p>Toegang gratis</p></main>"
    return EventPage(
        "today above the heading",
        "https://huis.example.nl/agenda/park-in-de-nacht-04-09-2026/",
        html(body, title="Park in de Nacht"),
        (("Park in de Nacht", "2026-09-04"),),
    )
