"""Profiles, events and articles in the shapes real pages have."""

from __future__ import annotations

import random

from tests.quality.kind_cases import KindCase, document, ld

SEED = 20260614
_PEOPLE = ["Jane Example", "Pieter de Vries", "Anna-Lena Krüger", "José García", "Wei Zhang", "Fatima El Amrani"]
_ROLES = ["Engineer", "Product Lead", "Nurse", "Head of Sales"]
_COMPANIES = ["Nordwerk", "Albatec", "Ventolab"]
_EVENTS = [
    "Jazz Night",
    "Open Air Cinema",
    "Marathon 2026",
    "Wine & Cheese Tasting",
    "Stadtfest",
    "Kinderconcert",
    "Lecture: The Sea",
]
_HEADLINES = ["Rain expected all week", "City council votes on new bridge", "Why cats sleep so much"]


def profile_cases() -> list[KindCase]:
    rng = random.Random(SEED)
    return [
        shape(rng, name)
        for name in _PEOPLE
        for shape in (_linkedin_schema, _linkedin_dom, _linkedin_before, _masked, _wall)
    ]


def _linkedin_schema(rng: random.Random, name: str) -> KindCase:
    company, role = rng.choice(_COMPANIES), rng.choice(_ROLES)
    person = {"@type": "Person", "name": name, "jobTitle": ["***", role], "worksFor": [{"@type": "Organization", "name": company}],
              "address": {"@type": "PostalAddress", "addressLocality": "Utrecht, Netherlands", "addressCountry": "NL"}, "description": "About me."}  # fmt: skip
    likes = {"@type": "DiscussionForumPosting", "author": {"@type": "Person", "name": "Somebody Else"}}
    head = (
        f'<title>{name} - {role} - {company} | LinkedIn</title><link rel="canonical" href="https://nl.linkedin.com/in/x">'
        + ld(person, likes)
    )
    body = f'<section class="top-card-layout"><h1 class="top-card-layout__title">{name}</h1><h2 class="top-card-layout__headline">{role} at {company}</h2></section>'
    truth = {"name": name, "headline": f"{role} at {company}", "current_company": company, "city": "Utrecht"}
    return KindCase(
        "linkedin_schema", "linkedin_profile", "https://nl.linkedin.com/in/x", document(head, body, "en"), truth
    )


def _linkedin_before(rng: random.Random, name: str) -> KindCase:
    """The layouts of the years before: a table of positions; "--" where nothing was entered."""
    company, role = rng.choice(_COMPANIES), rng.choice(["--", f"{rng.choice(_ROLES)} in Utrecht"])
    named = rng.choice([f'<h1 id="name" class="fn">{name}</h1>', f'<div id="name"><h1><span class="fn"><span class="full-name">{name}</span></span></h1></div>'])  # fmt: skip
    body = (
        f'<section id="topcard">{named}<p class="headline title">{role}</p><dl id="demographics"><dt>Location</dt><dd><span class="locality">Utrecht, Netherlands</span></dd></dl>'
        f'<table class="extra-info"><tr id="overview-summary-current"><th>Current</th><td><ol><li><span class="org"><a href="/c/1">{company}</a></span>, </li><li><a href="/c/2">Sideline</a></li></ol></td></tr></table>'
        f"<h2>Join LinkedIn and access {name}’s full profile. It’s free!</h2></section>"
    )
    truth = {"name": name, "headline": None if role == "--" else role, "current_company": company, "city": "Utrecht"}
    html = document(f"<title>{name} | LinkedIn</title>", body, "en")
    return KindCase("linkedin_before", "linkedin_profile", "https://nl.linkedin.com/in/x", html, truth)


def _linkedin_dom(rng: random.Random, name: str) -> KindCase:
    company, role = rng.choice(_COMPANIES), rng.choice(_ROLES)
    body = (
        f'<section class="top-card-layout"><h1 class="top-card-layout__title">{name}</h1><h2 class="top-card-layout__headline">{role}</h2><div class="profile-info-subheader"><div class="not-first-middot">'
        f"<span>Berlin, Germany</span><span>500+ connections</span></div></div></section><section class='summary'><div class='core-section-container__content'>Hello there.</div></section>"
        f'<ul class="experience__list"><li class="experience-item"><h3>{role}</h3><h4>{company}</h4><span class="date-range">Jan 2020 - Present</span></li>'
        '<li class="experience-item"><h3>Intern</h3><h4>Oldco</h4><span class="date-range">2015 - 2019</span></li></ul><ul class="education__list"><li><h3>State University</h3><h4>BSc</h4></li></ul>'
    )
    truth = {"name": name, "headline": role, "current_company": company, "city": "Berlin"}
    return KindCase(
        "linkedin_dom",
        "linkedin_profile",
        "https://www.linkedin.com/in/y",
        document(f"<title>{name} | LinkedIn</title>", body, "en"),
        truth,
    )


def _masked(rng: random.Random, name: str) -> KindCase:
    person = {
        "@type": "Person",
        "name": name,
        "jobTitle": ["******"],
        "worksFor": [{"@type": "Organization", "name": "***** ** ****"}],
        "address": {"@type": "PostalAddress", "addressLocality": "Lyon"},
    }
    truth = {"name": name, "headline": None, "current_company": None, "city": "Lyon"}
    return KindCase(
        "masked",
        "linkedin_profile",
        "https://www.linkedin.com/in/z",
        document(f"<title>{name} | LinkedIn</title>{ld(person)}", f"<h1>{name}</h1>", "en"),
        truth,
    )


def _wall(rng: random.Random, name: str) -> KindCase:
    body = '<main class="authwall-join-form"><h1>Join LinkedIn</h1><form><input type="password"></form></main>'
    truth = {"name": None, "headline": None, "current_company": None, "city": None}
    return KindCase(
        "wall",
        "linkedin_profile",
        "https://www.linkedin.com/authwall?x=1",
        document("<title>Sign Up | LinkedIn</title>", body, "en"),
        truth,
    )


def event_cases() -> list[KindCase]:
    rng = random.Random(SEED)
    return [
        shape(rng, title)
        for title in _EVENTS
        for shape in (_event_schema, _cancelled, _cards, _german_page, _calendar, _news)
    ]


def _event_schema(rng: random.Random, title: str) -> KindCase:
    day = rng.randint(10, 28)
    event = {"@type": "MusicEvent", "name": title, "startDate": f"2026-09-{day}T20:00:00+02:00", "endDate": f"2026-09-{day}T23:00:00+02:00", "eventStatus": "https://schema.org/EventScheduled",
             "location": {"@type": "Place", "name": "Town Hall", "address": {"@type": "PostalAddress", "addressLocality": "Utrecht", "addressCountry": "NL"}},
             "offers": {"@type": "Offer", "price": "12.50", "priceCurrency": "EUR"}}  # fmt: skip
    truth = {
        "title": title,
        "start": f"2026-09-{day}T20:00+02:00",
        "venue_name": "Town Hall",
        "city": "Utrecht",
        "status": "scheduled",
        "count": 1,
    }
    return KindCase(
        "event_schema", "event", "https://town.example/e/1", document(ld(event), f"<h1>{title}</h1>", "en"), truth
    )


def _cancelled(rng: random.Random, title: str) -> KindCase:
    event = {"@type": "Event", "name": f"CANCELLED: {title}", "startDate": "2026-09-12", "location": "Berlin, Germany"}
    truth = {"title": title, "start": "2026-09-12", "status": "cancelled", "city": "Berlin", "count": 1}
    return KindCase("cancelled", "event", "https://town.example/e/2", document(ld(event), "", "en"), truth)


def _cards(rng: random.Random, title: str) -> KindCase:
    days = sorted(rng.sample(range(11, 29), 3))
    cards = "".join(f'<article class="event-card"><h3><a href="/agenda/{d}">{title} {d}</a></h3><time datetime="2026-09-{d}">{d} sep</time><span class="event-time">20:30 uur</span><span class="location">Zaal {d}</span></article>' for d in days)  # fmt: skip
    news = '<article class="news-card"><h3>Read our news</h3><time datetime="2026-01-01">1 jan</time></article>'
    truth = {
        "title": f"{title} {days[0]}",
        "start": f"2026-09-{days[0]}T20:30+02:00",
        "venue_name": f"Zaal {days[0]}",
        "count": 3,
    }
    return KindCase(
        "cards",
        "event",
        "https://www.theater.nl/agenda",
        document("<title>Agenda</title>", f"<main>{cards}</main>{news}", "nl"),
        truth,
    )


def _german_page(rng: random.Random, title: str) -> KindCase:
    day = rng.choice([12, 19, 26])
    body = f"<main><h1>{title}</h1><dl><dt>Datum</dt><dd>Samstag, {day}. September 2026, 19:30 Uhr</dd><dt>Ort</dt><dd>Alte Halle</dd></dl></main>"
    truth = {"title": title, "start": f"2026-09-{day}T19:30+02:00", "venue_name": "Alte Halle", "count": 1}
    return KindCase(
        "german_page",
        "event",
        "https://www.stadt.de/veranstaltungen/x",
        document(f"<title>{title}</title>", body, "de"),
        truth,
    )


def _calendar(rng: random.Random, title: str) -> KindCase:
    """hCalendar, two evenings of one series."""
    rows = "".join(
        f'<div class="vevent"><span class="summary">{title}</span> <abbr class="dtstart" title="2026-09-{d}T20:00">{d} Sep</abbr></div>'
        for d in (12, 13)
    )
    truth = {"title": title, "start": "2026-09-12T20:00+01:00", "count": 2}
    return KindCase(
        "calendar",
        "event",
        "https://www.hall.co.uk/whats-on",
        document("<title>What's on</title>", rows, "en-GB"),
        truth,
    )


def _news(rng: random.Random, title: str) -> KindCase:
    """A blog: dates, titles, and no event."""
    posts = "".join(
        f'<article class="post"><h2>Post {d}</h2><time class="published" datetime="2026-01-{d}">{d} Jan</time><p>{title}</p></article>'
        for d in (11, 12)
    )
    truth: dict[str, object] = {"title": None, "start": None, "count": 0}
    return KindCase("news", "event", "https://blog.example/", document("<title>Blog</title>", posts, "en"), truth)


def article_cases() -> list[KindCase]:
    rng = random.Random(SEED)
    return [
        shape(rng, headline)
        for headline in _HEADLINES
        for shape in (_article_schema, _article_meta, _article_bylines, _article_plain)
    ]


def _article_schema(rng: random.Random, headline: str) -> KindCase:
    author = rng.choice(_PEOPLE)
    node = {"@type": "NewsArticle", "headline": headline, "author": {"@type": "Person", "name": author}, "datePublished": "2026-05-12T08:00:00Z", "publisher": {"@type": "Organization", "name": "The Daily"},
            "mainEntityOfPage": "https://daily.example/a"}  # fmt: skip
    other = {
        "@type": "ItemList",
        "itemListElement": [{"@type": "NewsArticle", "headline": "Something else", "author": "Nobody"}],
    }
    truth = {"title": headline, "authors": [author], "published": "2026-05-12T08:00+00:00", "site_name": "The Daily"}
    return KindCase(
        "article_schema",
        "article_metadata",
        "https://daily.example/a",
        document(ld(node, other), f"<h1>{headline}</h1>", "en"),
        truth,
    )


def _article_meta(rng: random.Random, headline: str) -> KindCase:
    author = rng.choice(_PEOPLE)
    head = (
        f'<title>{headline} | The Daily</title><meta property="og:title" content="{headline} | The Daily"><meta property="og:site_name" content="The Daily"><meta name="author" content="By {author}">'
        '<meta property="article:published_time" content="2026-05-12"><meta property="article:author" content="https://facebook.com/daily">'
    )
    truth = {"title": headline, "authors": [author], "published": "2026-05-12", "site_name": "The Daily"}
    return KindCase(
        "article_meta",
        "article_metadata",
        "https://daily.example/b",
        document(head, f"<h1>{headline}</h1>", "en"),
        truth,
    )


def _article_bylines(rng: random.Random, headline: str) -> KindCase:
    """The paper and a network's address among the authors, two people in one field, a section behind the title, and the day in
    the address only; a reader's remark has a day too."""
    first, second = rng.sample(_PEOPLE, 2)
    node = {"@type": "NewsArticle", "headline": f"{headline} | Local", "author": [{"@type": "Organization", "name": "The Daily"}, {"@type": "Person", "name": f"{first} and {second}"}],
            "publisher": {"@type": "Organization", "name": "The Daily"}}  # fmt: skip
    head = '<meta name="author" content="The Daily"><meta property="article:author" content="https://facebook.com/daily"><meta name="date" content="2026-07-01">'
    body = f'<h1>{headline}</h1><p>Text.</p><div class="comments"><article><time datetime="2026-08-01">1 August</time></article></div>'
    truth = {"title": headline, "authors": [first, second], "published": "2026-05-09", "site_name": "The Daily"}
    url = "https://daily.example/2026/05/09/rain"
    return KindCase("article_bylines", "article_metadata", url, document(head + ld(node), body, "en"), truth)


def _article_plain(rng: random.Random, headline: str) -> KindCase:
    """Nothing for machines: the day stands in the byline, another one in the text."""
    day = rng.randint(10, 28)
    byline = rng.choice([f"von redakteur · {day}. Mai 2026", f"Par A. Hy le {day} mai 2026", f"{day}.05.2026 Lokales"])
    body = f"<main><h1>{headline}</h1><p>{byline}</p><p>Updated 3 June 2026</p><p>Text of 1 May 2026.</p></main>"
    truth = {"title": headline, "published": f"2026-05-{day}"}
    url = "https://blog.example/rain"
    return KindCase("article_plain", "article_metadata", url, document("", body, rng.choice(["de", "fr"])), truth)
