"""Which municipalities are searched for event sources: chosen by name or province from the gazetteer, or imported from
a file. All audited."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from winnow.db.engine import Connection
from winnow.errors import Conflict, InvalidInput
from winnow.normalise.places.towns import Town, find_town, municipalities, name_key
from winnow.observe import audit
from winnow.run.discovery import weekly
from winnow.services.settings import ServiceSettings
from winnow.sources import discovery
from winnow.sources.discovery import NewMunicipality

MAX_ROWS = 10_000
COLUMNS = ("name", "region", "country", "population", "latitude", "longitude")


async def search(
    conn: Connection,
    actor: str,
    services: ServiceSettings,
    names: Sequence[str] = (),
    provinces: Sequence[str] = (),
    *,
    all_of_them: bool = False,
) -> list[int]:
    """The jobs: each of these municipalities is searched now, and every week from now on (E-012)."""
    if services.web_search_url is None:
        raise Conflict(
            "this needs a web search (WINNOW_WEB_SEARCH_URL); without one begin at a page: `winnow discover seed URL`"
        )
    chosen = municipalities() if all_of_them else [*map(_named, names), *_of_provinces(provinces)]
    if not chosen:
        raise InvalidInput("name a municipality or a province", field="municipalities")
    ids = await discovery.enable_municipalities(conn, [_new(town) for town in _once(chosen)])
    jobs = await weekly.add_searches(conn, ids, actor)
    await audit.record(
        conn, actor, "source.discovery_started", "discovery_job", jobs[0] if jobs else 0, after={"jobs": len(jobs)}
    )
    return jobs


async def stop(conn: Connection, actor: str, ids: Sequence[int]) -> list[int]:
    """They are no longer searched by themselves."""
    stopped = await discovery.disable_municipalities(conn, ids)
    for one in stopped:
        await audit.record(conn, actor, "source.discovery_stopped", "municipality", one)
    return stopped


async def import_csv(conn: Connection, actor: str, content: str) -> int:
    """Municipalities with their true population (E-013), for any country; how many rows. Nothing is stored when one of
    them is wrong."""
    found = read_csv(content)
    ids = await discovery.enable_municipalities(conn, found)
    after = {"municipalities": len(ids)}
    await audit.record(conn, actor, "source.discovery_imported", "municipality", len(ids), after=after)
    return len(ids)


def read_csv(content: str) -> list[NewMunicipality]:
    """Columns name and population; region, country, latitude and longitude where the gazetteer does not know it."""
    reader = csv.DictReader(io.StringIO(content.removeprefix("\ufeff")))
    columns = [(name or "").strip().lower() for name in reader.fieldnames or []]
    if "name" not in columns or "population" not in columns:
        raise InvalidInput(f"the first line names the columns {', '.join(COLUMNS)}; name and population are needed")
    reader.fieldnames = columns
    rows: list[NewMunicipality] = []
    for row in reader:
        if len(rows) >= MAX_ROWS:
            raise InvalidInput(f"more than {MAX_ROWS} rows")
        rows.append(_row(row, reader.line_num))
    if not rows:
        raise InvalidInput("the file has no rows")
    return list({(one.country, one.region, one.name): one for one in rows}.values())


def _row(row: dict[str, Any], line: int) -> NewMunicipality:
    given = {name: str(row.get(name) or "").strip() for name in COLUMNS}
    try:
        population = int(given["population"])
        place = (float(given["latitude"]), float(given["longitude"])) if given["latitude"] else _place(given["name"])
    except ValueError:
        raise InvalidInput(f"line {line}: population, latitude and longitude are numbers") from None
    country = (given["country"] or "NL").upper()
    if not given["name"] or not 0 <= population < 100_000_000 or len(country) != 2:
        raise InvalidInput(f"line {line}: a name, a population of 0 or more, and a country of two letters are needed")
    if place is None or not (-90 <= place[0] <= 90 and -180 <= place[1] <= 180):
        raise InvalidInput(f"line {line}: where {given['name']!r} is, is not known: give latitude and longitude")
    return NewMunicipality(
        name=given["name"], region=given["region"], country=country, population=population, latitude=place[0],
        longitude=place[1],
    )  # fmt: skip


def _place(name: str) -> tuple[float, float] | None:
    known = _find(name) or find_town(name)
    return None if known is None else (known.latitude, known.longitude)


def _named(name: str) -> Town:
    found = _find(name)
    if found is None:
        raise InvalidInput(f"there is no Dutch municipality {name!r} in the gazetteer", field="municipalities")
    return found


def _find(name: str) -> Town | None:
    """Of several of one name the largest: the gazetteer lists a few under two provinces."""
    same = [town for town in municipalities() if name_key(town.name) == name_key(name)]
    return max(same, key=lambda town: town.population, default=None)


def _of_provinces(names: Sequence[str]) -> list[Town]:
    known = {name_key(town.province): town.province for town in municipalities() if town.province}
    for name in names:
        if name_key(name) not in known:
            raise InvalidInput(f"there is no province {name!r}: {', '.join(sorted(known.values()))}", field="provinces")
    wanted = {known[name_key(name)] for name in names}
    return [town for town in municipalities() if town.province in wanted]


def _once(chosen: Sequence[Town]) -> list[Town]:
    return list({(town.name, town.province): town for town in chosen}.values())


def _new(town: Town) -> NewMunicipality:
    return NewMunicipality(
        name=town.name, region=town.province, population=town.population, latitude=town.latitude,
        longitude=town.longitude,
    )  # fmt: skip
