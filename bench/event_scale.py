"""A calendar of any size: venues in a hundred towns, a source for each, and events on the days to come.

The density is the same at every size, two events a day at each venue: a larger calendar has more venues and not fuller
ones. Rows are made by one statement, with the indexes that are no constraint made anew after it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
from psycopg.rows import dict_row

from winnow.normalise.text import fold
from winnow.store.events.place import key_of

PER_VENUE = 500
DAYS = 250
TOWNS = 100
ZONE = "Europe/Amsterdam"
_FIRST = ("Nacht", "Zomer", "Winter", "Stads", "Dorps", "Jazz", "Piano", "Koor", "Film", "Boeken", "Theater", "Kinder")
_SECOND = ("vlinders", "concert", "avond", "markt", "feest", "wandeling", "lezing", "dans", "voorstelling", "verhalen")

_SOURCES = """
INSERT INTO sources (id, name, url, domain, kind, adapter_id, timezone, default_latitude, default_longitude)
SELECT * FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[], %b::text[],
                     %b::double precision[], %b::double precision[])
"""
_VENUES = """
INSERT INTO venues (id, name, name_key, town, town_key, country, latitude, longitude, precision, coordinates_from)
SELECT id, name, key, town, town_key, 'NL', latitude, longitude, 'exact', 'stated'
FROM unnest(%b::bigint[], %b::text[], %b::text[], %b::text[], %b::text[], %b::double precision[],
            %b::double precision[]) AS g (id, name, key, town, town_key, latitude, longitude)
"""
_ALIASES = "INSERT INTO venue_aliases (alias_key, town_key, venue_id) SELECT name_key, town_key, id FROM venues"
_INDEXES = """
SELECT c.relname, pg_get_indexdef(i.indexrelid)
FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = 'events'::regclass AND NOT EXISTS (SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid)
"""
# A venue plays at 14:00 and at 20:30 of each of its days.
_EVENTS = """
INSERT INTO events (
    source_id, source_key, occurrence, record_key, event_fingerprint, digest, title, event_date, event_time, starts_at,
    time_zone, category, venue_id, venue_name, venue_key, town_key, structured_location, latitude, longitude, precision,
    cell, area, search_text
)
SELECT v.id, 'URL:' || n, m.day::text, 'URL:' || n || '@' || m.day,
       encode(sha256((m.title || '|' || m.day || '|' || v.id)::bytea), 'hex'), md5(n::text || v.id), m.title, m.day,
       m.hour, (m.day + m.hour::time) AT TIME ZONE 'Europe/Amsterdam', 'Europe/Amsterdam',
       (%(categories)s::text[])[1 + (n + v.id) %% 10], v.id, v.name, v.name_key, v.town_key,
       jsonb_build_object('city', v.town), v.latitude, v.longitude, 'exact',
       floor(v.latitude / 0.005)::bigint * 100000 + floor(v.longitude / 0.01)::bigint,
       floor(v.latitude / 0.25)::integer * 2000 + floor(v.longitude / 0.25)::integer,
       lower(m.title || ' ' || v.name || ' ' || v.town)
FROM venues AS v CROSS JOIN generate_series(0, %(per_venue)s - 1) AS n,
LATERAL (SELECT current_date + 1 + n / 2 AS day, CASE WHEN n %% 2 = 0 THEN '20:30' ELSE '14:00' END AS hour,
                (%(titles)s::text[])[1 + (n * 7 + v.id * 13) %% %(words)s] || ' ' ||
                (%(names)s::text[])[1 + (n + v.id * 31) %% %(people)s] AS title) AS m
"""


@dataclass(frozen=True, slots=True)
class Venue:
    id: int
    name: str
    town: str
    latitude: float
    longitude: float


def titles() -> list[str]:
    return [a + b for a in _FIRST for b in _SECOND]


def people() -> list[str]:
    """Two words each, all different."""
    rng = random.Random(3)
    parts = ["".join(rng.choice(s) for s in ("bdfgklmnprstvw", "aeiou", "lmnrst", "aeiou", "kndrs")) for _ in range(70)]
    return [f"{a.capitalize()} {b.capitalize()}" for a in parts[:35] for b in parts[35:]]


def venues(n: int) -> list[Venue]:
    """Of a hundred towns, 400 m and more apart within each."""
    rng = random.Random(7)
    towns = [(f"Plaats{t}", rng.uniform(50.9, 53.3), rng.uniform(3.6, 6.9)) for t in range(TOWNS)]
    found = []
    for i in range(n):
        town, north, east = towns[i % TOWNS]
        along, up = divmod(i // TOWNS, 8)
        found.append(Venue(i + 1, f"Zaal{i} Huis", town, north + 0.006 * up, east + 0.012 * along))
    return found


async def fill(conn: psycopg.AsyncConnection[Any], events: int, categories: Sequence[str]) -> int:
    """On a connection in autocommit; how many events there are."""
    houses = venues(max(1, events // PER_VENUE))
    await conn.execute(_SOURCES, _source_columns(houses))
    await conn.execute(_VENUES, _venue_columns(houses))
    await conn.execute(_ALIASES)
    indexes = await (await conn.execute(_INDEXES)).fetchall()
    for name, _ in indexes:
        await conn.execute(f'DROP INDEX "{name}"')  # type: ignore[arg-type]
    words, names = titles(), people()
    given = {"categories": list(categories), "titles": words, "names": names, "words": len(words),
             "people": len(names), "per_venue": PER_VENUE}  # fmt: skip
    cursor = psycopg.AsyncClientCursor(conn)
    await cursor.execute(_EVENTS, given)
    await conn.execute("SET maintenance_work_mem = '256MB'")
    for _, definition in indexes:
        await conn.execute(definition)
    await conn.execute("SELECT setval(pg_get_serial_sequence('sources', 'id'), %s)", (len(houses) + 1,))
    await conn.execute("SELECT setval(pg_get_serial_sequence('venues', 'id'), %s)", (len(houses) + 1,))
    await conn.execute("VACUUM ANALYZE")
    return cursor.rowcount


def _source_columns(houses: Sequence[Venue]) -> tuple[list[Any], ...]:
    hosts = [f"zaal-{one.id}.test" for one in houses]
    count = len(houses)
    return (
        [one.id for one in houses], [one.name for one in houses], [f"https://{host}/" for host in hosts], hosts,
        ["event"] * count, ["event"] * count, [ZONE] * count, [one.latitude for one in houses],
        [one.longitude for one in houses],
    )  # fmt: skip


def _venue_columns(houses: Sequence[Venue]) -> tuple[list[Any], ...]:
    return (
        [one.id for one in houses], [one.name for one in houses], [key_of(one.name, one.town) for one in houses],
        [one.town for one in houses], [fold(one.town) for one in houses], [one.latitude for one in houses],
        [one.longitude for one in houses],
    )  # fmt: skip


async def listed_already(conn: psycopg.AsyncConnection[Any], n: int) -> list[dict[str, Any]]:
    """Events that an aggregator lists as well: from all over the calendar."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(
            """
            SELECT title, event_date, event_time, venue_name, structured_location ->> 'city' AS town
            FROM events ORDER BY hashint8(id) LIMIT %s
            """,
            (n,),
        )
        return await cursor.fetchall()


def record(title: str, day: date, hour: str, venue: str, town: str) -> dict[str, Any]:
    """As the event kind makes one."""
    return {
        "title": title,
        "start": f"{day}T{hour}:00",
        "event_date": day.isoformat(),
        "event_time": hour,
        "time_zone": ZONE,
        "venue_name": venue,
        "location": {"city": town, "raw": town},
        "category": "music",
        "description": f"{title}, in {venue} te {town}. Kaarten aan de zaal en online.",
        "url": f"https://uitgids.test/{abs(hash((title, day, hour, venue))):x}",
    }
