"""Listing pages of a venue, all different, with the weight of real ones: navigation, styles, scripts, and 30 cards.

Two kinds: with JSON-LD beside the cards, and with microdata in the cards whose days are words ("vrijdag 12 maart 2027
20:30"). What stands on them is known.
"""

from __future__ import annotations

import json
import random
from datetime import date, datetime, timedelta

from bench.event_scale import people, titles

EVENTS = 30
SITE = "https://zaal.test"
FIRST_DAY = date(2027, 1, 4)
_DAYS = ("maandag", "dinsdag", "woensdag", "donderdag", "vrijdag", "zaterdag", "zondag")
_MONTHS = ("januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
           "november", "december")  # fmt: skip
_WORDS = ("avond", "zaal", "muziek", "dans", "theater", "podium", "kaarten", "programma", "bezoek", "entree", "lezing")
Facts = list[dict[str, str]]


def facts(number: int) -> Facts:
    rng = random.Random(number)
    names, acts = titles(), people()
    found = []
    for n in range(EVENTS):
        day = FIRST_DAY + timedelta(days=n * 3 + number % 3)
        start = datetime(day.year, day.month, day.day, 19 + n % 3, 30 * (n % 2))
        title = f"{rng.choice(names)} {acts[(number * EVENTS + n) % len(acts)]}"
        venue = f"{rng.choice(['Grote', 'Kleine', 'Oude'])} Schouwburg {number % 50}"
        found.append({"title": title, "start": f"{start:%Y-%m-%dT%H:%M}", "venue": venue})
    return found


def url(number: int) -> str:
    return f"{SITE}/agenda/{number}"


def with_json_ld(number: int) -> str:
    data = [
        {
            "@context": "https://schema.org",
            "@type": "Event",
            "name": one["title"],
            "startDate": f"{one['start']}:00{_offset(one['start'])}",
            "url": f"{SITE}/e/{number}-{n}",
            "location": {"@type": "Place", "name": one["venue"], "address": "Dorpsstraat 1, Utrecht"},
            "description": _prose(number * 31 + n, 40),
        }
        for n, one in enumerate(facts(number))
    ]
    script = f'<script type="application/ld+json">{json.dumps(data, ensure_ascii=False)}</script>'
    return _page(number, script, "".join(_card(number, n, one) for n, one in enumerate(facts(number))))


def with_microdata(number: int) -> str:
    return _page(number, "", "".join(_marked_card(number, n, one) for n, one in enumerate(facts(number))))


def _offset(start: str) -> str:
    """Of Amsterdam, whose summer of 2027 begins on 28 March and ends on 31 October."""
    return "+02:00" if "2027-03-28" <= start[:10] < "2027-10-31" else "+01:00"


def shown(start: str) -> str:
    moment = datetime.fromisoformat(start)
    day = f"{_DAYS[moment.weekday()]} {moment.day} {_MONTHS[moment.month - 1]} {moment.year}"
    return f"{day} {moment:%H:%M}"


def _card(number: int, n: int, one: dict[str, str]) -> str:
    image = f'<img src="/i/{n}.jpg" alt="">'
    return (
        f'<article class="card event"><a href="/e/{number}-{n}">{image}<h3>{one["title"]}</h3></a>'
        f'<p class="date">{shown(one["start"])}</p><p class="venue">{one["venue"]}</p>'
        f'<p>{_prose(number * 31 + n, 40)}</p><a class="button" href="/tickets/{n}">Bestel kaarten</a></article>'
    )


def _marked_card(number: int, n: int, one: dict[str, str]) -> str:
    place = '<div itemprop="location" itemscope itemtype="https://schema.org/Place">'
    return (
        f'<article class="card event" itemscope itemtype="https://schema.org/Event">'
        f'<a itemprop="url" href="/e/{number}-{n}"><h3 itemprop="name">{one["title"]}</h3></a>'
        f'<p class="date" itemprop="startDate">{shown(one["start"])}</p>'
        f'{place}<span itemprop="name">{one["venue"]}</span></div>'
        f'<p itemprop="description">{_prose(number * 31 + n, 40)}</p></article>'
    )


def _prose(seed: int, words: int) -> str:
    rng = random.Random(seed)
    return " ".join(rng.choice(_WORDS) for _ in range(words)).capitalize() + "."


def _page(number: int, head: str, cards: str) -> str:
    menu = "".join(f'<li class="menu-item"><a href="/m/{n}">{_prose(n, 3)}</a></li>' for n in range(80))
    styles = "".join(f".c{n}{{margin:{n}px;color:#{n * 4321 % 0xFFFFFF:06x}}}" for n in range(250))
    script = f"window.dataLayer=[{','.join(json.dumps({'id': n, 'text': _prose(number + n, 8)}) for n in range(60))}];"
    return (
        f'<!doctype html><html lang="nl"><head><meta charset="utf-8"><title>Agenda {number}</title>{head}'
        f"<style>{styles}</style></head><body><header><nav><ul>{menu}</ul></nav></header><main><h1>Agenda</h1>"
        f'<section class="agenda">{cards}</section></main><footer><p>{_prose(number, 120)}</p></footer>'
        f"<script>{script}</script></body></html>"
    )
