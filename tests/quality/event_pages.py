"""Agendas and event pages in the shapes real ones have, of venues that do not exist, with what is true about each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta

import msgspec

from tests.quality.kind_cases import ld

NL_DAYS = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
NL_MONTHS = (
    "januari",
    "februari",
    "maart",
    "april",
    "mei",
    "juni",
    "juli",
    "augustus",
    "september",
    "oktober",
    "november",
    "december",
)
NL_SHORT = ("jan", "feb", "mrt", "apr", "mei", "jun", "jul", "aug", "sep", "okt", "nov", "dec")
DE_DAYS = ("Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag", "Sonntag")
DE_MONTHS = (
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
)
BANDS = (
    "Holle Vaten",
    "De Kleine Kade",
    "Nachtwinkel",
    "Mira & the Owls",
    "Grijs Gebied",
    "Trio Lindeboom",
    "Zeebries",
    "Karel Wolff",
    "The Paper Kites Club",
    "Oranjebitter",
    "Sol y Sombra",
    "Kwartet 9",
    "Veenlicht",
    "Dorpsfeest",
)
NAV = '<header><a href="/">Home</a><nav><ul><li><a href="/agenda">Agenda</a></li><li><a href="/info">Info</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>'
FOOT = '<footer><p>© 2026 Stichting De Zaal</p><p>Kassa open vanaf 19:00</p><a href="/privacy">Privacy</a></footer>'


class EventPage(msgspec.Struct, frozen=True):
    """`truth`: each event's name and beginning (a day, with its hour where the page shows one), in page order. `empty`:
    the page says itself that there is none."""

    shape: str
    url: str
    html: str
    truth: tuple[tuple[str, str], ...]
    empty: bool = False
    next_page: str = ""


Shape = Callable[[], EventPage]
LISTS: list[Shape] = []
DETAILS: list[Shape] = []
OTHERS: list[Shape] = []


def listing(shape: Shape) -> Shape:
    LISTS.append(shape)
    return shape


def detail(shape: Shape) -> Shape:
    DETAILS.append(shape)
    return shape


def other(shape: Shape) -> Shape:
    OTHERS.append(shape)
    return shape


def html(body: str, lang: str = "nl", title: str = "De Zaal", head: str = "") -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head><body>{NAV}{body}{FOOT}</body></html>'


def nights(count: int = 8, first: date = date(2026, 9, 2), step: int = 3) -> Iterator[tuple[str, date, str]]:
    for n in range(count):
        yield BANDS[n % len(BANDS)], first + timedelta(days=n * step), f"{19 + n % 3}:{(n % 2) * 30:02}"


def nl(day: date, *, short: bool = True, year: bool = False, weekday: bool = True) -> str:
    name = f"{NL_DAYS[day.weekday()][:2] if short else NL_DAYS[day.weekday()]} " if weekday else ""
    month = NL_SHORT[day.month - 1] if short else NL_MONTHS[day.month - 1]
    return f"{name}{day.day} {month}{f' {day.year}' if year else ''}"


def slug(name: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in name.lower())


def hourly(count: int = 8) -> tuple[tuple[str, str], ...]:
    return tuple((name, f"{day}T{clock}") for name, day, clock in nights(count))


def daily(count: int = 8) -> tuple[tuple[str, str], ...]:
    return tuple((name, str(day)) for name, day, _ in nights(count))


# Dutch venues


@listing
def rows_around_a_link() -> EventPage:
    rows = "".join(
        f'<div class="col-xs-60 event-wrapper"><div class="row"><a class="event-link {"concert" if n % 2 else ""}" href="/?post_type=events&p={n}&lang=nl"><div class="image" style="background-image:url(/i.jpg)"></div>'
        f'<div class="data"><div class="date">{nl(day, short=False)}</div><h3 class="artist">{name}<sup class="origin">USA</sup></h3><div><h4 class="extra">Support {n}<sup class="origin">NL</sup></h4></div>'
        f'<div class="schedule">Grote zaal | Ticket: &euro;13,- | doors: {int(clock[:2]) - 1}:30 - 22:00 | start: {clock}</div></div><div><object><a class="button" href="https://zaal.stager.example/shop/{n}">Koop ticket</a></object></div></a></div></div>'
        for n, (name, day, clock) in enumerate(nights())
    )
    return EventPage(
        "rows around a link",
        "https://zaal.example.nl/programma/",
        html(
            f'<ul class="menu"><li><a href="?c=all">Alle Events</a></li><li><a href="?c=dansen">Dansen</a></li></ul><section class="events-list">{rows}</section>'
        ),
        hourly(),
    )


@listing
def articles_with_time() -> EventPage:
    rows = "".join(
        f'<article><a href="/programma/{n}/{slug(name)}" class="group/item"><div class="relative"><h2 class="heading mb-1">{name}</h2><p class="heading">Tour 2026</p><p class="text-xs">Krachtige stem met allure</p></div>'
        f'<time datetime="{day}T{clock}:00+02:00" class="heading">{NL_DAYS[day.weekday()][:2]} {day.day:02} {NL_SHORT[day.month - 1]}</time></a></article>'
        for n, (name, day, clock) in enumerate(nights())
    )
    return EventPage(
        "articles with time",
        "https://hal.example.nl/programma",
        html(f'<div><div class="text-4xl">2026</div>{rows}</div>'),
        hourly(),
    )


@listing
def a_collection_of_a_site_builder() -> EventPage:
    rows = "".join(
        f'<div role="listitem" class="events_item w-dyn-item"><div class="events_date">{nl(day)}</div><div class="filter_content"><a aria-label="{nl(day)}" href="/events/{slug(name)}" class="events_content"><div class="events_tags"><div class="tag"><div class="tag_text">Club</div></div><div class="tag"><div class="tag_text">Concertzaal</div></div></div>'
        f'<div class="events_text-wrapper"><h4 class="h4-exposure">{name}</h4><div class="events_subtitle">Een avond vol muziek</div><div class="text-size-small">de lekkerste klanken uit de regio</div></div><div class="events_date-hidden">September</div></a><a href="https://huis.stager.example/{n}" class="events_tickets"><div>Tickets</div></a></div>'
        f'<div class="genre_wrapper"><div role="list"><div role="listitem" class="genre_item"><div>house</div></div><div role="listitem" class="genre_item"><div>folk</div></div></div></div></div>'
        for n, (name, day, _) in enumerate(nights())
    )
    return EventPage(
        "site builder",
        "https://huis.example.nl/agenda",
        html(
            f'<h3 class="filter-cta_title">Jouw <span>favoriete shows</span> in je mailbox?</h3><div role="list" class="events_list w-dyn-items">{rows}</div>'
        ),
        daily(),
    )


@listing
def slider_and_list() -> EventPage:
    slides = "".join(
        f'<div class="swiper-slide"><a href="/agenda/{slug(name)}"><div class="card-status">nieuw</div><div class="agenda-gallery-info"><span class="agenda-gallery-date">{nl(day)}</span><h3 class="agenda-gallery-title">{name}</h3><span class="agenda-gallery-subtitle">Extra show</span></div></a></div>'
        for name, day, _ in list(nights())[:4]
    )
    rows = "".join(
        f'<div class="search-result agenda-card"><a href="/agenda/{slug(name)}"><img src="/{n}.jpg" alt=""><div class="card-content"><div class="card-date">{nl(day)}</div><h3 class="card-title">{name}</h3><p class="card-subtitle">legendarische band uit het noorden</p></div></a></div>'
        for n, (name, day, _) in enumerate(nights())
    )
    return EventPage(
        "slider and list",
        "https://fabriek.example.nl/agenda",
        html(
            f'<h1>Agenda</h1><div class="agenda-gallery"><div class="swiper-wrapper">{slides}{slides}</div></div><div class="results">{rows}</div>'
        ),
        daily(),
    )


@listing
def cards_with_two_times() -> EventPage:
    rows = "".join(
        f'<swiper-slide class="swiper-slide"><app-event-card><a class="event-card-container" href="/voorstelling/{n}/{slug(name)}"><article class="event-card"><figure><img src="/m/{n}.png" alt="undefined"></figure><main class="event-card__main"><div><time class="fw-bold" datetime="{day}"> {nl(day)}. </time><time datetime="{clock}">{clock}</time></div><h1 class="h3"> {name.upper()} </h1></main></article></a></app-event-card></swiper-slide>'
        for n, (name, day, clock) in enumerate(nights())
    )
    truth = tuple((name.upper(), start) for name, start in hourly())
    return EventPage(
        "two times",
        "https://podium.example.nl/",
        html(
            f'<article><ul><li><header><h2>Net bevestigd</h2></header><div class="swiper">{rows}</div></li></ul></article>'
        ),
        truth,
    )


@listing
def months_of_linked_days() -> EventPage:
    def section(month: int) -> str:
        rows = "".join(
            f'<div class="overview__list-item overview__list-item--event"><div class="event-program"><div class="event-program__image"><a href="/event/{slug(name)}-{n}/" title="Ga naar: {name}"><img src="/{n}.jpg" alt="x"></a><div class="event-program__status-tag"><p>{"UITVERKOCHT" if n == 1 else "LAATSTE KAARTEN"}</p></div></div>'
            f'<div class="event-program__content"><div class="event-program__date"><a href="/event/{slug(name)}-{n}/">{nl(day, year=True)}</a></div><h3 class="event-program__name"><a href="/event/{slug(name)}-{n}/">{name}</a></h3><div class="event-program__subtitle">Een groots eerbetoon</div><div class="event-program__tags"><a href="/genre/pop/">pop</a><a href="/genre/blues/">roots / blues</a></div></div></div></div>'
            for n, (name, day, _) in enumerate(nights(14))
            if day.month == month
        )
        return f'<div class="event__list--month"><div class="overview"><div class="overview__heading">{NL_MONTHS[month - 1].title()} 2026</div><div class="overview__list">{rows}</div></div></div>'

    return EventPage(
        "months of linked days",
        "https://patroon.example.nl/programma/",
        html(
            f'<div class="event__list container">{section(9)}{section(10)}</div><nav class="pagination"><span class="current">1</span><a href="/programma/page/2/">2</a><a href="/programma/page/3/">3</a></nav>'
        ),
        daily(14),
        next_page="https://patroon.example.nl/programma/page/2/",
    )


@listing
def days_as_headings_of_lists() -> EventPage:
    days: dict[date, list[str]] = {}
    for n, name in enumerate(BANDS[:9]):
        days.setdefault(date(2026, 9, 3) + timedelta(days=n // 2), []).append(name)
    rows = "".join(
        f'<li class="list__item_xD"><div class="day_tr"><h2 class="day__title"><time dateTime="{day}">{NL_DAYS[day.weekday()][:2]} {day.day:02} sep</time></h2><ol>'
        + "".join(
            f'<li class="day__item"><a class="compact_DT" href="/nl/agenda/{slug(name)}-{day}/"><div><ul class="types"><li><span>Concert</span></li></ul><h3 class="title_Yv">{name}</h3><p>EUROPE 2026</p><p class="tags"><span><span>Rap</span><span> · </span></span><span><span>Hiphop</span></span></p></div></a></li>'
            for name in names
        )
        + "</ol></div></li>"
        for day, names in days.items()
    )
    truth = tuple((name, str(day)) for day, names in days.items() for name in names)
    return EventPage(
        "days as headings of lists",
        "https://weg.example.nl/nl/agenda/",
        html(f'<div data-element="agenda"><ol class="list_J9">{rows}</ol></div>'),
        truth,
    )


@listing
def day_and_month_in_elements() -> EventPage:
    rows = "".join(
        f'<div class="agenda-item"><div class="datum"><span class="dag">{NL_DAYS[day.weekday()][:2]}</span><div class="nr">{day.day}</div><div class="maand">{NL_SHORT[day.month - 1]}</div></div><div class="tekst"><a href="/agenda/{slug(name)}"><h3>{name}</h3></a><p>Aanvang: {clock} uur</p><p>Zaal open: {int(clock[:2]) - 1}:00 uur</p></div></div>'
        for name, day, clock in nights()
    )
    return EventPage(
        "day and month in elements",
        "https://kelder.example.nl/agenda",
        html(f"<h1>Agenda</h1><div>{rows}</div>"),
        hourly(),
    )


@listing
def days_below_a_month() -> EventPage:
    def rows(month: int) -> str:
        return "".join(
            f'<li><span class="date">{NL_DAYS[day.weekday()][:2]} {day.day}</span> <a href="/programma/{slug(name)}">{name}</a> <span class="time">{clock}</span></li>'
            for name, day, clock in nights(14)
            if day.month == month
        )

    return EventPage(
        "days below a month",
        "https://kerk.example.nl/programma",
        html(
            f"<main><h1>Programma</h1><h2>September 2026</h2><ul>{rows(9)}</ul><h2>Oktober 2026</h2><ul>{rows(10)}</ul></main>"
        ),
        hourly(14),
    )


@listing
def dutch_table() -> EventPage:
    rows = "".join(
        f"<tr><td>{nl(day, year=True)}</td><td>{clock}</td><td>{name}</td><td>Grote Zaal</td><td>€ 12,50</td></tr>"
        for name, day, clock in nights()
    )
    return EventPage(
        "dutch table",
        "https://dorpshuis.example.nl/activiteiten",
        html(
            f"<h1>Activiteiten</h1><table><thead><tr><th>Datum</th><th>Tijd</th><th>Activiteit</th><th>Zaal</th><th>Prijs</th></tr></thead><tbody>{rows}</tbody></table>"
        ),
        hourly(),
    )


@listing
def definition_list() -> EventPage:
    rows = "".join(
        f"<dt>{nl(day, short=False, year=True)}, {clock} uur</dt><dd><a href='/concert/{slug(name)}'>{name}</a><br>in de kapel</dd>"
        for name, day, clock in nights()
    )
    return EventPage(
        "definition list",
        "https://kapel.example.nl/concerten",
        html(f"<h1>Concerten</h1><dl>{rows}</dl>", title="Concerten | De Kapel"),
        hourly(),
    )


@listing
def plain_list() -> EventPage:
    rows = "".join(
        f"<li>{nl(day, short=False, weekday=False)} 2026 – {name}, {clock} uur</li>" for name, day, clock in nights()
    )
    return EventPage(
        "plain list", "https://harmonie.example.nl/agenda.html", html(f"<h1>Agenda</h1><ul>{rows}</ul>"), hourly()
    )


@listing
def headings_and_paragraphs() -> EventPage:
    rows = "".join(
        f"<h3>{nl(day, short=False, year=True)}</h3><p><strong>{name}</strong><br>Aanvang {clock} uur, toegang gratis</p><p>Een avond met muziek, verhalen en een drankje na afloop in de foyer van het huis.</p>"
        for name, day, clock in nights()
    )
    return EventPage(
        "headings and paragraphs",
        "https://salon.example.nl/programma",
        html(f'<div id="content"><h1>Programma</h1>{rows}</div>'),
        hourly(),
    )


@listing
def month_grid() -> EventPage:
    events = {day.day: (name, clock) for name, day, clock in nights(7)}
    cells = ["<td></td>"] + [
        f'<td><span class="daynum">{n}</span>'
        + (
            f'<div class="ev"><a href="/agenda/{slug(events[n][0])}">{events[n][0]}</a> {events[n][1]}</div>'
            if n in events
            else ""
        )
        + "</td>"
        for n in range(1, 31)
    ]
    weeks = "".join(f"<tr>{''.join(cells[at : at + 7])}</tr>" for at in range(0, len(cells), 7))
    return EventPage(
        "month grid",
        "https://wijkhuis.example.nl/kalender?maand=2026-09",
        html(
            f'<h1>Kalender</h1><a href="/kalender?maand=2026-08">Vorige maand</a><h2>september 2026</h2><a href="/kalender?maand=2026-10">Volgende maand</a><table class="calendar"><tr><th>ma</th><th>di</th><th>wo</th><th>do</th><th>vr</th><th>za</th><th>zo</th></tr>{weeks}</table>'
        ),
        hourly(7),
        next_page="https://wijkhuis.example.nl/kalender?maand=2026-10",
    )


@listing
def council_meetings() -> EventPage:
    rows = "".join(
        f'<li class="vergadering"><a href="/vergaderingen/{n}"><span>Commissie Ruimte {n}</span> <span>{nl(day, short=False, year=True)} {clock}</span></a> <a href="/stukken/{n}.pdf">Agenda</a></li>'
        for n, (_, day, clock) in enumerate(nights())
    )
    truth = tuple((f"Commissie Ruimte {n}", f"{day}T{clock}") for n, (_, day, clock) in enumerate(nights()))
    return EventPage(
        "council meetings",
        "https://raad.example.nl/vergaderingen",
        html(f"<h1>Vergaderingen</h1><ul>{rows}</ul>", title="Gemeenteraad"),
        truth,
    )


@listing
def exhibitions() -> EventPage:
    rows = "".join(
        f'<article class="expo"><a href="/tentoonstellingen/{slug(name)}"><h3>{name}</h3><p class="periode">{nl(day, weekday=False, year=True)} t/m {nl(day + timedelta(days=60), weekday=False, year=True)}</p></a></article>'
        for name, day, _ in nights()
    )
    return EventPage(
        "exhibitions", "https://museum.example.nl/tentoonstellingen", html(f"<h1>Tentoonstellingen</h1>{rows}"), daily()
    )


@listing
def films_of_a_day() -> EventPage:
    days = [date(2026, 9, 4) + timedelta(days=n) for n in range(3)]
    body = "".join(
        f"<section><h3>{nl(day, short=False)}</h3><ul>"
        + "".join(
            f'<li><span>{17 + n * 2}:15</span> <a href="/films/{slug(name)}">{name}</a></li>'
            for n, name in enumerate(BANDS[:3])
        )
        + "</ul></section>"
        for day in days
    )
    truth = tuple((name, f"{day}T{17 + n * 2}:15") for day in days for n, name in enumerate(BANDS[:3]))
    return EventPage(
        "films of a day", "https://filmhuis.example.nl/filmladder", html(f"<h1>Filmladder</h1>{body}"), truth
    )


@listing
def library_rows() -> EventPage:
    rows = "".join(
        f'<div class="views-row"><div class="views-field-title"><a href="/activiteiten/{slug(name)}">{name}</a></div><div class="views-field-field-datum"><time datetime="{day}T{clock}:00">{nl(day, short=False)}</time>, {clock} - 22:30 uur</div><div class="views-field-field-locatie">Bibliotheek Centrum</div></div>'
        for name, day, clock in nights()
    )
    return EventPage(
        "library rows",
        "https://bibliotheek.example.nl/activiteiten",
        html(
            f'<h1>Activiteiten</h1><div class="view-content">{rows}</div><ul class="pager"><li class="pager__item"><a href="?page=1" title="Ga naar volgende pagina" rel="next">Volgende ›</a></li></ul>'
        ),
        hourly(),
        next_page="https://bibliotheek.example.nl/activiteiten?page=1",
    )


@listing
def one_lone_event() -> EventPage:
    return EventPage(
        "one lone event",
        "https://club.example.nl/agenda",
        html(
            '<h1>Agenda</h1><div class="event-item"><h3><a href="/agenda/zeebries">Zeebries</a></h3><div class="event-date">vr 4 sep 2026</div><div>Aanvang 20:00 uur</div></div>'
        ),
        (("Zeebries", "2026-09-04T20:00"),),
    )


# Germany, Britain, France


@listing
def german_table() -> EventPage:
    rows = "".join(
        f"<tr><td>{DE_DAYS[day.weekday()][:2]}, {day:%d.%m.%Y}</td><td>{clock} Uhr</td><td><a href='/termine/{n}'>{name}</a></td><td>Kleiner Saal</td></tr>"
        for n, (name, day, clock) in enumerate(nights())
    )
    return EventPage(
        "german table",
        "https://halle.example.de/termine",
        html(
            f"<h1>Termine</h1><table><tr><th>Datum</th><th>Beginn</th><th>Veranstaltung</th><th>Ort</th></tr>{rows}</table>",
            "de",
        ),
        hourly(),
    )


@listing
def german_programme() -> EventPage:
    rows = "".join(
        f'<div class="veranstaltung"><p class="datum">{DE_DAYS[day.weekday()]}, {day.day}. {DE_MONTHS[day.month - 1]} {day.year}</p><h2>{name}</h2><p>Einlass: {int(clock[:2]) - 1}:00 Uhr | Beginn: {clock} Uhr</p><p>VVK 18 € / AK 22 €</p></div>'
        for name, day, clock in nights()
    )
    return EventPage(
        "german programme", "https://keller.example.de/programm/", html(f"<h1>Programm</h1>{rows}", "de"), hourly()
    )


@listing
def british_gigs() -> EventPage:
    rows = "".join(
        f'<div class="gig"><h3>{name}</h3><p>{day:%A} {day.day}th {day:%B} {day.year}</p><p>Doors {int(clock[:2]) - 13}.30pm, show {int(clock[:2]) - 12}:{clock[3:]}pm</p><a href="/gigs/{slug(name)}">More info</a> <a href="https://tickets.example.com/{slug(name)}">Buy tickets</a></div>'
        for name, day, clock in nights()
    )
    return EventPage("british gigs", "https://hare.example.co.uk/gigs", html(f"<h1>Gigs</h1>{rows}", "en-GB"), hourly())


@listing
def french_list() -> EventPage:
    months = ("septembre", "octobre")
    rows = "".join(
        f'<li class="date"><span>{day.day} {months[day.month - 9]} 2026 à {clock.replace(":", "h")}</span><strong>{name}</strong></li>'
        for name, day, clock in nights()
    )
    return EventPage(
        "french list", "https://salle.example.fr/concerts", html(f"<h1>Concerts</h1><ul>{rows}</ul>", "fr"), hourly()
    )


@listing
def calendar_plugin() -> EventPage:
    rows = "".join(
        f'<article class="tribe-events-calendar-list__event post-{n} tribe_events type-tribe_events"><header><div><time class="tribe-events-calendar-list__event-datetime" datetime="{day}"><span class="tribe-event-date-start">{day:%B} {day.day} @ {int(clock[:2]) - 12}:{clock[3:]} pm</span> - <span class="tribe-event-time">11:00 pm</span></time></div><h3 class="tribe-events-calendar-list__event-title"><a href="https://barn.example.org/event/{slug(name)}/">{name}</a></h3><address><span class="tribe-events-calendar-list__event-venue-title">The Barn</span></address></header><p>Long tables and good food for everybody in the valley.</p></article>'
        for n, (name, day, clock) in enumerate(nights())
    )
    return EventPage(
        "calendar plugin",
        "https://barn.example.org/events/",
        html(
            f'<h1>Upcoming Events</h1>{rows}<nav class="tribe-events-c-nav"><a rel="next" href="https://barn.example.org/events/list/page/2/">Next Events</a></nav>',
            "en-US",
        ),
        hourly(),
        next_page="https://barn.example.org/events/list/page/2/",
    )


@listing
def event_list_of_a_builder() -> EventPage:
    rows = "".join(
        f'<article class="eventlist-event eventlist-event--upcoming"><a class="eventlist-column-thumbnail" href="/events/{slug(name)}"></a><div class="eventlist-column-info"><h1 class="eventlist-title"><a class="eventlist-title-link" href="/events/{slug(name)}">{name}</a></h1><ul class="eventlist-meta"><li><time class="event-date" datetime="{day}">{day:%A, %B} {day.day}, {day.year}</time></li><li><span class="event-time-12hr"><time class="event-time-12hr-start" datetime="{day}">{int(clock[:2]) - 12}:{clock[3:]} PM</time> <time class="event-time-12hr-end" datetime="{day}">11:30 PM</time></span></li><li class="eventlist-meta-address">Mill House</li></ul></div></article>'
        for name, day, clock in nights()
    )
    return EventPage(
        "builder event list",
        "https://mill.example.com/events",
        html(f'<div class="eventlist">{rows}</div>', "en-US"),
        hourly(),
    )


# American public meetings


@listing
def bare_days_of_a_board() -> EventPage:
    rows = "".join(f"<p>{day:%B} {day.day}, {day.year}</p>" for _, day, _ in nights())
    return EventPage(
        "bare days of a board",
        "https://board.example.org/board-meetings/",
        html(f"<main><h1>Library Board Meetings</h1>{rows}</main>", "en-US"),
        tuple(("Library Board Meetings", str(day)) for _, day, _ in nights()),
    )


@listing
def days_with_minutes() -> EventPage:
    rows = "".join(
        f'<tr><td>{day:%m/%d/%Y}</td><td>6:30 PM</td><td><a href="/f/{n}.pdf">Agenda</a></td><td><a href="/f/{n}m.pdf">Minutes</a></td></tr>'
        for n, (_, day, _) in enumerate(nights())
    )
    return EventPage(
        "days with minutes",
        "https://town.example.gov/planning",
        html(
            f"<main><h1>Planning Commission</h1><table><tr><th>Date</th><th>Time</th><th>Agenda</th><th>Minutes</th></tr>{rows}</table></main>",
            "en-US",
        ),
        tuple(("Planning Commission", f"{day}T18:30") for _, day, _ in nights()),
    )


@listing
def days_below_a_year() -> EventPage:
    rows = "".join(f"<li>{day:%B} {day.day}</li>" for _, day, _ in nights())
    return EventPage(
        "days below a year",
        "https://water.example.gov/meetings",
        html(
            f"<main><h1>Water Authority</h1><h2>2026 Meeting Schedule</h2><p>All meetings start at 9:00 a.m. in room 4.</p><ul>{rows}</ul></main>",
            "en-US",
        ),
        tuple(("Water Authority", str(day)) for _, day, _ in nights()),
    )


@listing
def meetings_in_a_grid() -> EventPage:
    rows = "".join(
        f'<tr class="rgRow"><td>Committee on Item {n}</td><td>{day.month}/{day.day}/{day.year}</td><td><a href="/i/{n}">x</a></td><td>10:00 AM</td><td>Room 400, City Hall</td><td><a href="/d/{n}">Meeting details</a></td><td>Not available</td></tr>'
        for n, (_, day, _) in enumerate(nights())
    )
    return EventPage(
        "meetings in a grid",
        "https://city.example.gov/Calendar.aspx",
        html(
            f"<table class='rgMasterTable'><tr><th>Name</th><th>Meeting Date</th><th></th><th>Meeting Time</th><th>Meeting Location</th><th>Meeting Details</th><th>Minutes</th></tr>{rows}</table>",
            "en-US",
            title="City Council Calendar",
        ),
        tuple((f"Committee on Item {n}", f"{day}T10:00") for n, (_, day, _) in enumerate(nights())),
    )


@listing
def year_in_a_table_of_months() -> EventPage:
    days = [date(2026, month, 14) for month in range(1, 13)]
    cells = [f'<td>{day:%b}. {day.day}<br><a href="/m/{day.month}.pdf">Minutes</a></td>' for day in days]
    rows = "".join(f"<tr>{''.join(cells[at : at + 4])}</tr>" for at in range(0, 12, 4))
    return EventPage(
        "year in a table of months",
        "https://city.example.gov/landmarks",
        html(f"<main><h1>Landmarks Commission</h1><h2>2026 Meeting Schedule</h2><table>{rows}</table></main>", "en-US"),
        tuple(("Landmarks Commission", str(day)) for day in days),
    )


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


def pages_of(shapes: list[Shape]) -> list[EventPage]:
    return [shape() for shape in shapes]
