"""Pages of one event and pages that only look like one: address, page, and what a reader sees there."""

from __future__ import annotations

from typing import Any

NAV = '<header><a href="/">Home</a><nav><a href="/events">Events</a><a href="/about">About</a></nav></header>'
FOOT = "<footer>© 2026 Town Hall · Tel 030 123456 · Open Mon-Fri 9:00-17:00</footer>"


def doc(head: str, body: str, lang: str = "en") -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'


PAGES: dict[str, tuple[str, str, dict[str, Any]]] = {}
PAGES["tribe"] = (
    "https://barn.example.org/event/harvest-supper/",
    doc(
        "<title>Harvest Supper - The Barn</title><meta property='og:type' content='article'>",
        NAV
        + """<main id="tribe-events-content" class="tribe-events-single"><p class="tribe-events-back"><a href="/events">« All Events</a></p>
<h1 class="tribe-events-single-event-title">Harvest Supper</h1><div class="tribe-events-schedule tribe-clearfix"><h2><span class="tribe-event-date-start">October 17 @ 6:30 pm</span> - <span class="tribe-event-time">9:30 pm</span></h2><span class="tribe-events-cost">$35</span></div>
<div class="tribe-events-single-event-description"><p>A long-table supper with produce from the valley.</p></div>
<div class="tribe-events-meta-group"><h2>Details</h2><dl><dt>Date:</dt><dd><abbr class="tribe-events-abbr tribe-events-start-date published dtstart" title="2026-10-17">October 17</abbr></dd><dt>Time:</dt><dd><div class="tribe-events-abbr tribe-events-start-time published dtstart" title="2026-10-17">6:30 pm - 9:30 pm</div></dd><dt>Cost:</dt><dd class="tribe-events-event-cost">$35</dd></dl></div>
<div class="tribe-events-meta-group tribe-events-meta-group-venue"><h2>Venue</h2><dl><dd class="tribe-venue">The Old Barn</dd><dd class="tribe-venue-location"><address><span class="tribe-address"><span class="tribe-street-address">12 Mill Lane</span><br><span class="tribe-locality">Hudson</span>, <abbr class="tribe-region" title="New York">NY</abbr> <span class="tribe-postal-code">12534</span> <span class="tribe-country-name">United States</span></span></address></dd></dl></div></main>"""
        + FOOT,
    ),
    dict(title="Harvest Supper", start="2026-10-17T18:30"),
)
PAGES["de plain"] = (
    "https://kulturhaus.example.de/programm/jazz-im-keller",
    doc(
        "<title>Jazz im Keller | Kulturhaus Süd</title>",
        NAV
        + """<main><article><h1>Jazz im Keller: Trio Sonnenberg</h1><p class="datum">Samstag, 12. Dezember 2026, 20:00 Uhr</p><p>Einlass: 19:00 Uhr</p><p>Kulturhaus Süd, Hauptstraße 5, 70173 Stuttgart</p><p>Eintritt: VVK 18,00 € / AK 22,00 €</p><p>Das Trio um Pianistin Mara Sonnenberg spielt…</p></article></main>"""
        + FOOT,
        "de",
    ),
    dict(title="Jazz im Keller: Trio Sonnenberg", start="2026-12-12T20:00"),
)
PAGES["fr plain"] = (
    "https://theatre.example.fr/saison/le-voyage",
    doc(
        "<title>Le Voyage - Théâtre des Quais</title>",
        NAV
        + """<main><h1>Le Voyage</h1><p class="sous-titre">Cie Les Ombres</p><ul class="infos"><li>Vendredi 4 décembre 2026 à 20h30</li><li>Durée : 1h45</li><li>Tarifs : 12 € / 8 € (réduit)</li><li>Théâtre des Quais, 3 quai Saint-Jean, 35000 Rennes</li></ul></main>"""
        + FOOT,
        "fr",
    ),
    dict(title="Le Voyage", start="2026-12-04T20:30"),
)
PAGES["time tag range"] = (
    "https://conf.example.io/2027",
    doc(
        "<title>DataDays 2027</title><meta property='og:title' content='DataDays 2027'>",
        NAV
        + """<main><section class="hero"><h1>DataDays 2027</h1><p><time datetime="2027-03-09">March 9</time>–<time datetime="2027-03-11">11, 2027</time> · Lisbon, Portugal</p><a class="btn">Get tickets</a></section><section><h2>Schedule</h2><p><time datetime="2027-03-09T09:00">09:00</time> Registration</p><p><time datetime="2027-03-09T10:00">10:00</time> Keynote</p></section></main>"""
        + FOOT,
    ),
    dict(title="DataDays 2027", start="2027-03-09", end="2027-03-11"),
)
PAGES["es plain"] = (
    "https://sala.example.es/conciertos/luna",
    doc(
        "<title>Luna Negra en concierto</title>",
        NAV
        + """<main><h1>Luna Negra</h1><div class="fecha">Jueves 21 de enero de 2027</div><div>Apertura de puertas: 20:30 h</div><div>Inicio: 21:30 h</div><div class="lugar">Sala Norte — Calle Mayor 14, Madrid</div><div class="precio">Anticipada 15 € · Taquilla 18 €</div></main>"""
        + FOOT,
        "es",
    ),
    dict(title="Luna Negra", start="2027-01-21T21:30"),
)
PAGES["json-ld music"] = (
    "https://tix.example.com/e/8812",
    doc(
        '<title>Ash & Ember Tickets</title><script type="application/ld+json">[{"@context":"http://schema.org","@type":"MusicEvent","name":"Ash &amp; Ember","startDate":"2026-12-03T19:30:00","eventStatus":"https://schema.org/EventRescheduled","location":{"@type":"Place","name":"The Forum","address":{"@type":"PostalAddress","streetAddress":"9-17 Highgate Rd","addressLocality":"London","postalCode":"NW5 1JY","addressCountry":"GB"}},"offers":[{"@type":"Offer","price":"27.50","priceCurrency":"GBP","availability":"InStock"},{"@type":"Offer","price":"45","priceCurrency":"GBP"}],"performer":{"@type":"MusicGroup","name":"Ash &amp; Ember"}}]</script>',
        NAV + "<h1>Ash & Ember</h1>" + FOOT,
    ),
    dict(title="Ash & Ember", start="2026-12-03T19:30+00:00"),
)
PAGES["no year"] = (
    "https://pub.example.ie/gigs/quiz",
    doc(
        "<title>Pub quiz</title>",
        NAV
        + "<main><h1>Charity Pub Quiz</h1><p>When: Thursday 26 November, 8pm</p><p>Where: The Crane, Galway</p><p>Teams of four, €10 per person</p></main>"
        + FOOT,
    ),
    dict(title="Charity Pub Quiz", start="2026-11-26T20:00"),
)
PAGES["it"] = (
    "https://museo.example.it/mostre/luce",
    doc(
        "<title>La luce - Museo</title>",
        NAV
        + "<main><h1>La luce e il mare</h1><p>Mostra dal 5 febbraio al 30 aprile 2027</p><p>Museo Civico, Via Roma 10, Genova</p><p>Ingresso gratuito</p></main>"
        + FOOT,
        "it",
    ),
    dict(title="La luce e il mare", start="2027-02-05", end="2027-04-30"),
)
PAGES["nl"] = (
    "https://zaal.example.nl/agenda/koor",
    doc(
        "<title>Kerstconcert</title>",
        NAV
        + "<main><h1>Kerstconcert Koor De Linde</h1><table><tr><th>Datum</th><td>zondag 20 december 2026</td></tr><tr><th>Aanvang</th><td>15.00 uur</td></tr><tr><th>Locatie</th><td>Grote Kerk, Kerkstraat 1, Utrecht</td></tr><tr><th>Entree</th><td>€ 17,50</td></tr></table></main>"
        + FOOT,
        "nl",
    ),
    dict(title="Kerstconcert Koor De Linde", start="2026-12-20T15:00"),
)
PAGES["us numeric"] = (
    "https://lib.example.org/events/123",
    doc(
        "<title>Story time | Library</title>",
        NAV
        + "<main><h1>Toddler Story Time</h1><p><b>Date:</b> 12/05/2026</p><p><b>Time:</b> 10:30am - 11:15am</p><p><b>Location:</b> Main Library, 400 Elm St, Dayton, OH 45402</p><p>Free and open to the public</p></main>"
        + FOOT,
        "en-US",
    ),
    dict(title="Toddler Story Time", start="2026-12-05T10:30"),
)
PAGES["related list"] = (
    "https://venue.example.com/show/kings",
    doc(
        "<title>Kings of Nowhere</title>",
        NAV
        + '<main><h1>Kings of Nowhere</h1><p>Fri, Jan 15 2027 · Doors 7:00 PM · Show 8:00 PM</p><p>Tickets $25 advance / $30 day of show</p></main><aside><h2>More shows</h2><ul><li><a href="/show/a">Ana B</a> <time datetime="2026-12-01T20:00">Dec 1</time> $12</li><li><a href="/show/c">Cold C</a> <time datetime="2026-12-02T20:00">Dec 2</time> $18</li></ul></aside>'
        + FOOT,
    ),
    dict(title="Kings of Nowhere", start="2027-01-15T20:00"),
)
PAGES["cancelled"] = (
    "https://h.example.co.uk/e/1",
    doc(
        "<title>CANCELLED: Summer fair</title>",
        NAV
        + "<main><h1>CANCELLED: Village fair</h1><p>Saturday 5th December 2026, 11am to 4pm</p><p>Village Hall, High Street, Ambridge</p></main>"
        + FOOT,
        "en-GB",
    ),
    dict(title="Village fair", start="2026-12-05T11:00", status="cancelled"),
)
PAGES["not event"] = (
    "https://h.example.co.uk/about",
    doc(
        "<title>About us</title>",
        NAV + "<main><h1>About us</h1><p>Founded on 3 May 1998, we serve tea.</p></main>" + FOOT,
        "en-GB",
    ),
    dict(title=None, start=None),
)
PAGES["blog"] = (
    "https://b.example.com/2026/11/02/my-trip",
    doc(
        "<title>My trip</title><meta property='article:published_time' content='2026-11-02T10:00:00Z'>",
        NAV
        + '<article><h1>My trip to the jazz festival</h1><time datetime="2026-11-02">November 2, 2026</time><p>Last week I went to the festival in Turin.</p></article>'
        + FOOT,
    ),
    dict(start=None),
)
PAGES["ja"] = (
    "https://hall.example.jp/event/55",
    doc(
        "<title>冬の演奏会</title>",
        NAV
        + "<main><h1>冬の演奏会 2026</h1><dl><dt>日時</dt><dd>2026年12月19日(土) 14:00開演(13:30開場)</dd><dt>会場</dt><dd>市民ホール(東京都港区芝1-2-3)</dd><dt>料金</dt><dd>一般3,000円</dd></dl></main>"
        + FOOT,
        "ja",
    ),
    dict(title="冬の演奏会 2026", start="2026-12-19T14:00"),
)
PAGES["pl"] = (
    "https://klub.example.pl/wydarzenia/1",
    doc(
        "<title>Koncert</title>",
        NAV
        + "<main><h1>Koncert: Zorza</h1><p>Data: 14 stycznia 2027 r., godz. 19:00</p><p>Miejsce: Klub Fala, ul. Długa 7, Gdańsk</p><p>Bilety: 60 zł przedsprzedaż, 75 zł w dniu koncertu</p></main>"
        + FOOT,
        "pl",
    ),
    dict(title="Koncert: Zorza", start="2027-01-14T19:00"),
)
PAGES["list"] = (
    "https://v.example.com/events",
    doc(
        "<title>Events</title>",
        NAV
        + "<main><h1>Upcoming events</h1><p>Today is 16 November 2026</p>"
        + "".join(
            f'<div class="item"><h3><a href="/e/{i}">Show {i}</a></h3><span class="date">{i + 1} December 2026, 8pm</span><p>Tickets $10</p></div>'
            for i in range(4)
        )
        + "</main>"
        + FOOT,
    ),
    dict(title="Show 0", start="2026-12-01T20:00"),
)
PAGES["list plain rows"] = (
    "https://v.example.com/agenda",
    doc(
        "<title>Agenda</title>",
        NAV
        + "<main><h1>Agenda</h1><ul>"
        + "".join(
            f'<li><a href="/e/{i}">Lezing {i}</a> <time datetime="2026-12-0{i + 1}T20:00">{i + 1} dec</time></li>'
            for i in range(4)
        )
        + "</ul></main>"
        + FOOT,
    ),
    dict(title="Lezing 0", start="2026-12-01T20:00"),
)
PAGES["news"] = (
    "https://n.example.com/news/council",
    doc(
        "<title>Council approves budget</title>",
        NAV
        + '<main><article><h1>Council approves budget</h1><p class="meta">16 November 2026 14:32</p><p>The council voted on Monday 16 November 2026 at 10:00 to approve the budget. Tickets for buses rise.</p></article></main>'
        + FOOT,
    ),
    dict(start=None),
)
PAGES["on sale"] = (
    "https://v.example.com/shows/big",
    doc(
        "<title>Big Show</title>",
        NAV
        + "<main><h1>Big Show</h1><p>Tickets on sale Friday 20 November 2026 at 10am</p><p>Saturday 13 March 2027, 7.30pm</p><p>City Hall, Main Street, Newcastle</p></main>"
        + FOOT,
        "en-GB",
    ),
    dict(title="Big Show", start="2027-03-13T19:30"),
)
PAGES["hours"] = (
    "https://m.example.com/visit",
    doc(
        "<title>Visit us</title>",
        NAV
        + "<main><h1>Visit us</h1><p>Open Tuesday to Sunday 10:00 - 17:00</p><p>Closed 24 and 25 December 2026. Tickets: adults $12</p></main>"
        + FOOT,
    ),
    dict(start=None),
)
PAGES["product"] = (
    "https://s.example.com/p/1",
    doc(
        "<title>Kettle</title>",
        NAV
        + "<main><h1>Electric kettle</h1><p>€39.90</p><p>Delivery by 20 November 2026</p><p>In stock</p></main>"
        + FOOT,
    ),
    dict(start=None),
)
PAGES["multi"] = (
    "https://t.example.de/stueck/faust",
    doc(
        "<title>Faust</title>",
        NAV
        + "<main><h1>Faust</h1><p>von J. W. Goethe</p><h2>Termine</h2><ul><li>Fr 04.12.2026, 19:30 Uhr <a>Karten</a></li><li>Sa 05.12.2026, 19:30 Uhr <a>Karten</a></li><li>So 13.12.2026, 18:00 Uhr <a>Karten</a></li></ul></main>"
        + FOOT,
        "de",
    ),
    dict(title="Faust", start="2026-12-04T19:30"),
)
PAGES["meetup-like"] = (
    "https://m.example.com/py-group/events/30112233/",
    doc(
        "<title>Python Night | Meetup</title>",
        NAV
        + '<main><h1>Python Night: async everything</h1><div>Hosted by Jo K.</div><div><time datetime="2026-12-10T18:30:00+01:00">Thursday, December 10, 2026 at 6:30 PM to Thursday, December 10, 2026 at 9:00 PM CET</time></div><div>Betahaus, Rudi-Dutschke-Straße 23, Berlin</div><h2>Details</h2><p>We meet every 2nd Thursday.</p><div>Free</div></main>'
        + FOOT,
    ),
    dict(title="Python Night: async everything", start="2026-12-10T18:30+01:00"),
)
PAGES["job"] = (
    "https://c.example.com/jobs/dev",
    doc(
        "<title>Developer</title>",
        NAV
        + "<main><h1>Senior Developer</h1><p>Posted: 12 November 2026</p><p>Location: Berlin</p><p>Start date: 1 January 2027</p></main>"
        + FOOT,
    ),
    dict(start=None),
)
PAGES["webinar"] = (
    "https://w.example.com/webinars/seo",
    doc(
        "<title>SEO in 2027</title><meta property='og:title' content='SEO in 2027 (webinar)'>",
        NAV
        + "<main><h1>SEO in 2027</h1><p>Live webinar · Dec 8, 2026 · 11:00 AM PT / 2:00 PM ET</p><a>Register now</a></main>"
        + FOOT,
        "en-US",
    ),
    dict(title="SEO in 2027", start="2026-12-08"),
)
PAGES["th date above"] = (
    "https://k.example.dk/arrangement/foredrag",
    doc(
        "<title>Foredrag</title>",
        NAV
        + '<main><div class="dato">Torsdag d. 10. december 2026 kl. 19.00</div><h1>Foredrag om stjerner</h1><p>Sted: Biblioteket, Torvet 1, 4000 Roskilde</p><p>Pris: 75 kr.</p></main>'
        + FOOT,
        "da",
    ),
    dict(title="Foredrag om stjerner", start="2026-12-10T19:00"),
)
PAGES["sv"] = (
    "https://k.example.se/evenemang/jul",
    doc(
        "<title>Julmarknad</title>",
        NAV
        + "<main><h1>Julmarknad på torget</h1><p>5–6 december 2026, kl. 10–16</p><p>Plats: Stora torget, Linköping</p><p>Fri entré</p></main>"
        + FOOT,
        "sv",
    ),
    dict(title="Julmarknad på torget", start="2026-12-05"),
)
PAGES["h-event"] = (
    "https://x.example.org/e",
    doc(
        "<title>Camp</title>",
        NAV
        + '<article class="h-event"><h1 class="p-name">IndieCamp</h1><p><time class="dt-start" datetime="2027-05-01T09:00-0700">May 1</time> to <time class="dt-end" datetime="2027-05-02T18:00-0700">May 2</time> at <span class="p-location">Mozilla HQ</span></p></article>'
        + FOOT,
    ),
    dict(title="IndieCamp", start="2027-05-01T09:00-07:00"),
)
PAGES["recipe"] = (
    "https://r.example.com/recipes/pie",
    doc(
        "<title>Pie</title>",
        NAV + "<main><h1>Apple pie</h1><p>Updated 3 October 2026</p><p>Bake 45 minutes at 180°</p></main>" + FOOT,
    ),
    dict(start=None),
)
PAGES["obit"] = (
    "https://f.example.com/obituary/jo",
    doc(
        "<title>Jo Smith</title>",
        NAV + "<main><h1>Jo Smith</h1><p>12 May 1940 - 3 November 2026</p><p>Beloved mother.</p></main>" + FOOT,
    ),
    dict(start=None),
)
