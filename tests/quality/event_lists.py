"""Agendas of Dutch venues, libraries and towns, in the shapes real ones have."""

from __future__ import annotations

from datetime import date, timedelta

from tests.quality.event_shapes import (
    BANDS,
    NL_DAYS,
    NL_MONTHS,
    NL_SHORT,
    EventPage,
    daily,
    hourly,
    html,
    listing,
    nights,
    nl,
    slug,
)

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


@listing
def links_in_a_row() -> EventPage:
    """Cards that are links and nothing else, without a block around each."""
    cards = "".join(
        f'<a href="/agenda/{slug(name)}"><span>{nl(day)}</span> <em>Dance</em> <h4>{name}</h4></a>\n'
        if n % 2
        else f'<a href="/agenda/{slug(name)}"><span>{nl(day)}</span> <strong>{name}</strong></a>\n'
        for n, (name, day, _) in enumerate(nights())
    )
    return EventPage(
        "links in a row",
        "https://hal.example.nl/agenda",
        html(f'<h1>Agenda</h1><section class="lijst">{cards}</section>'),
        tuple((name, day.isoformat()) for name, day, _ in nights()),
    )
