"""German, British, French and American agendas, calendar plugins and lists of meetings."""

from __future__ import annotations

from datetime import date

from tests.quality.event_shapes import DE_DAYS, DE_MONTHS, EventPage, hourly, html, listing, nights, slug

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


def _days(first: int, hour: str) -> str:
    return "".join(
        f"<p>{month} {first + n} at {hour}</p>" for n, month in enumerate(("January", "March", "May", "June"))
    )


def _board(name: str, year: int, first: int, hour: str) -> list[tuple[str, str]]:
    return [(name, f"{year}-{month:02}-{first + n:02}T{hour}") for n, month in enumerate((1, 3, 5, 6))]


@listing
def years_of_panels() -> EventPage:
    """An accordion: the year stands in a small heading, the boards in larger ones below it."""
    panels = "".join(
        f'<div class="panel"><div class="panel-heading"><h4><a href="#c{year}">{year} Board Meetings</a></h4></div>'
        f'<div class="panel-body"><h3>Board of Directors Meetings:</h3><div class="rows">{_days(first, "11:00 am")}</div>'
        f'<h3>Finance Committee Meetings:</h3><div class="rows">{_days(first + 7, "1:00 pm")}</div></div></div>'
        for year, first in ((2026, 12), (2025, 14))
    )
    truth = [
        one
        for year, first in ((2026, 12), (2025, 14))
        for name, day, hour in (
            ("Board of Directors Meetings", first, "11:00"),
            ("Finance Committee Meetings", first + 7, "13:00"),
        )
        for one in _board(name, year, day, hour)
    ]
    return EventPage(
        "years of panels",
        "https://landbank.example.org/about/meetings",
        html(f"<h1>Meetings</h1><div id='accordion'>{panels}</div>", "en-US", "Meetings"),
        tuple(truth),
    )


@listing
def year_below_the_title() -> EventPage:
    """The year stands once, below the heading of the page; the meetings are links in a menu under a heading of that rank."""
    months = ("January", "March", "May", "June", "September", "October", "November")
    rows = "\n".join(f'<a class="item" href="/docs/{n}.pdf">{month} {n + 4}</a>' for n, month in enumerate(months))
    numbers = (1, 3, 5, 6, 9, 10, 11)
    return EventPage(
        "year below the title",
        "https://planning.example.org/designreview/schedule",
        html(
            f"<h1>Public Meetings</h1><h4>Meeting Schedule &amp; Agendas for 2026</h4><h4>Planning Commission Meetings</h4>"
            f"<p>The Planning Commission meets every first Friday of the month.</p><div class='menu'>{rows}</div>",
            "en-US",
            "Public Meetings",
        ),
        tuple(("Planning Commission Meetings", f"2026-{month:02}-{n + 4:02}") for n, month in enumerate(numbers)),
    )
