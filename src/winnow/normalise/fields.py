"""Drafts of any kind -> a validated result: field by field, so that one bad value never costs the others.

A field's candidates are tried in order; the first that can be read and passes the schema wins. What cannot be read is
null, with the reason beside it (properties 13, 31, 32).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Value
from winnow.normalise.dates.timezones import country_of_zone, known_zone
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.links import read_link
from winnow.normalise.locales import in_zone, locale_of
from winnow.normalise.places.home_country import country_of_language, home_country
from winnow.normalise.text import MAX_LINE, clean_line, clean_prose, is_placeholder


class Around(msgspec.Struct, frozen=True):
    """What a value is read in the light of. `country` is where the page is at home, when it or its source says
    so. `timezone` is the source's, and `now` is told in it: "tomorrow" is a day of where the page is read. `year` is
    that of days written without one, where the page as a whole gives it."""

    url: str
    now: datetime
    locale: str | None = None
    country: str | None = None
    timezone: str | None = None
    year: int | None = None


Reader = Callable[[str, Around], Any]


class Field(msgspec.Struct, frozen=True):
    """`many` keeps every readable candidate as a list, up to `most`."""

    read: Reader
    many: bool = False
    most: int = 20


class Result(BaseModel):
    """What every result has in common: closed, and the same after a trip through JSON (property 35)."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Normalised(msgspec.Struct, frozen=True):
    """`problems` names the fields that are null although the page says something, `provenance` where values stood.
    `identity` is what tells the record from others and is no field of the result."""

    result: BaseModel
    problems: dict[str, Unread] = {}
    provenance: dict[str, str] = {}
    identity: dict[str, str] = {}


Finish = Callable[[dict[str, Any], Around], dict[str, Any]]


def normalise_fields(
    draft: Draft, model: type[BaseModel], fields: Mapping[str, Field], around: Around, finish: Finish | None = None
) -> Normalised:
    values: dict[str, Any] = {}
    problems: dict[str, Unread] = {}
    provenance: dict[str, str] = {}
    for name, field in fields.items():
        found, place = _first(draft.values.get(name, []), field, around)
        if isinstance(found, Unread):
            problems[name] = found
        elif found is not None:
            values[name], provenance[name] = found, place
    result, invalid = partial_result(model, finish(values, around) if finish else values)
    kept = {name: place for name, place in provenance.items() if getattr(result, name, None) is not None}
    return Normalised(result, problems | invalid, kept)


def partial_result(model: type[BaseModel], values: Mapping[str, Any]) -> tuple[BaseModel, dict[str, Unread]]:
    """The valid fields as a result, and why the others are missing (property 32)."""
    kept = {name: value for name, value in values.items() if name in model.model_fields}
    problems: dict[str, Unread] = {}
    for _ in range(len(kept) + 1):
        try:
            return model.model_validate(kept), problems
        except ValidationError as invalid:
            for error in invalid.errors():
                name = str(error["loc"][0]) if error["loc"] else ""
                problems.setdefault(name, Unread(Doubt.INVALID, error["msg"][:80]))
                kept.pop(name, None)
    return model(), problems


def around(draft: Draft, ctx: Context) -> Around:
    lang = draft.first("lang")
    spoken = lang.raw if lang else ""
    locale = locale_of(spoken, ctx.url, ctx.locale)
    country = home_country(spoken, ctx.url) or country_of_language(ctx.locale or "")
    if locale and "-" not in locale and country:
        locale = f"{locale}-{country}"
    if country is None and locale == "en-US":
        country = "US"  # English under .com: decides about numbers of American length only
    zone = known_zone(ctx.timezone)
    locale = in_zone(locale, ctx.url, country_of_zone(zone))
    now = ctx.now.astimezone(ZoneInfo(zone)) if zone else ctx.now
    return Around(ctx.url, now, locale, country, zone)


def _first(candidates: list[Value], field: Field, near: Around) -> tuple[Any, str]:
    """The value and where it stood; (Unread, "") when nothing could be read; (None, "") when there is nothing."""
    trouble: Unread | None = None
    found: list[Any] = []
    place = ""
    for candidate in candidates:
        value = field.read(candidate.raw, near)
        if isinstance(value, Unread):
            trouble = trouble or value
        elif value is not None and value not in found:
            found.append(value)
            place = place or f"{candidate.strategy.value}:{candidate.path}"
            if not field.many or len(found) == field.most:
                break
    if not found:
        return trouble, ""
    return (found if field.many else found[0]), place


def line(raw: str, near: Around) -> str | Unread | None:
    text = clean_line(raw)
    return unread(Doubt.PLACEHOLDER, raw) if is_placeholder(text) else text or None


def prose(raw: str, near: Around) -> str | None:
    return clean_prose(raw) or None


def short_text(longest: int = MAX_LINE) -> Reader:
    return lambda raw, near: clean_line(raw, longest) or None


def link(raw: str, near: Around) -> str | Unread:
    return read_link(raw, near.url)
