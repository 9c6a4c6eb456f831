"""Job posting: the result and how each of its fields is read (S-055)."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Value
from winnow.normalise.dates.read import Lean, read_epoch, read_when
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around, Field, Normalised, Result, around, link, normalise_fields, prose
from winnow.normalise.money.salary import Period, Salary, read_salary, salary_of
from winnow.normalise.places.located import NormalizedLocation, location
from winnow.normalise.places.several import places_in
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.text import clean_line, fold


class SalaryResult(Result):
    """Integer minor units of `currency`; a side that is not stated is null."""

    low_minor: int | None = None
    high_minor: int | None = None
    currency: str
    period: Period | None = None


class JobPostingResult(Result):
    job_title: Line | None = None
    company_name: Line | None = None
    location: NormalizedLocation | None = None
    salary_range: Line | None = None
    description: Prose | None = None
    posting_url: HttpsUrl | None = None
    locations: list[NormalizedLocation] | None = None
    remote: bool | None = None
    employment_type: list[str] | None = None
    salary: SalaryResult | None = None
    date_posted: str | None = None
    valid_through: str | None = None
    apply_url: HttpsUrl | None = None


# Folded words -> schema.org employmentType.
_EMPLOYMENT = (
    ("FULL_TIME", r"full.?time|vollzeit|voltijd|fulltime|temps plein|tiempo completo|tempo pieno|tempo integral|jornada completa|cdi\b"),
    ("PART_TIME", r"part.?time|teilzeit|deeltijd|parttime|temps partiel|tiempo parcial|medio tiempo|tempo parcial|meio periodo"),
    ("CONTRACTOR", r"contract|freelance|freiberuflich|interim|zzp|autonomo|per_?diem"),
    ("TEMPORARY", r"temporary|befristet|tijdelijk|temporaire|\bcdd\b|temporal|tempo determinato|temporario|seasonal"),
    ("INTERN", r"intern(?:ship)?\b|praktikum|praktikant|stage\b|stagiair|werkstudent|becario|practicas|tirocinio|estagio|trainee|ausbildung|apprentice"),
    ("VOLUNTEER", r"volunteer|ehrenamt|vrijwillig|benevol|voluntari"),
)  # fmt: skip
_REMOTE = re.compile(
    r"telecommut|\bremote\b|home ?office|work(?:ing)? from home|home[- ]based|teletravail|teletrabajo|thuiswerk|praca zdalna|smart working",
    re.IGNORECASE,
)
_TITLE_TAIL = re.compile(
    r"\s*(?:[|•·]\s*|\s[-–—]\s)(?:apply now|job post(?:ing)?|jobs?|careers?|karriere|linkedin|indeed(?:\.\w+)*|stepstone|glassdoor)\s*$",
    re.IGNORECASE,
)


def _title(raw: str, near: Around) -> str | Unread:
    text = _TITLE_TAIL.sub("", clean_line(raw))
    return text if any(c.isalpha() for c in text) else unread(Doubt.UNREADABLE, raw)


def _company(raw: str, near: Around) -> str | Unread:
    text = clean_line(raw)
    return text if any(c.isalnum() for c in text) else unread(Doubt.UNREADABLE, raw)


def _remote(raw: str, near: Around) -> bool | None:
    return True if _REMOTE.search(fold(raw)) else None


def _employment(raw: str, near: Around) -> str | Unread:
    text = fold(raw).replace("_", " ")
    found = [name for name, pattern in _EMPLOYMENT if re.search(pattern, text)]
    return found[0] if found else unread(Doubt.UNREADABLE, raw)


def _salary(raw: str, near: Around) -> SalaryResult | Unread:
    found = salary_of(**_parts(raw)) if raw.startswith("{") else read_salary(raw, near.locale)
    if isinstance(found, Unread) and found.why is Doubt.INCOMPLETE and not raw.startswith("{"):
        found = read_salary(raw, near.locale, _MONEY.get(near.country or ""))
    if isinstance(found, Unread):
        return found
    return SalaryResult(low_minor=found.low, high_minor=found.high, currency=found.currency, period=found.period)


# Where signs are shared: dollars and crowns.
_MONEY = {
    "US": "USD",
    "CA": "CAD",
    "AU": "AUD",
    "NZ": "NZD",
    "SG": "SGD",
    "HK": "HKD",
    "MX": "MXN",
    "SE": "SEK",
    "NO": "NOK",
    "DK": "DKK",
}


def _parts(raw: str) -> dict[str, str]:
    stated = json.loads(raw)
    return {key: str(stated.get(key, "")) for key in ("low", "high", "currency", "unit")}


def day(raw: str, near: Around) -> str | Unread:
    """Days a page states behind it: postings and articles."""
    found = (
        read_epoch(raw)
        if raw.isdigit() and len(raw) in (10, 13)
        else read_when(raw, now=near.now, locale=near.locale, lean=Lean.PAST)
    )
    return found if isinstance(found, Unread) else found.iso_start(near.timezone)


def _until(raw: str, near: Around) -> str | Unread:
    found = read_when(raw, now=near.now, locale=near.locale, lean=Lean.FUTURE)
    return found if isinstance(found, Unread) else found.iso_start(near.timezone)


FIELDS = {
    "job_title": Field(_title),
    "company_name": Field(_company),
    "location": Field(location),
    "description": Field(prose),
    "posting_url": Field(link),
    "remote": Field(_remote),
    "employment_type": Field(_employment, many=True),
    "salary": Field(_salary),
    "date_posted": Field(day),
    "valid_through": Field(_until),
    "apply_url": Field(link),
}


def normalise_job_posting(draft: Draft, ctx: Context) -> Normalised:
    places = _each_place(draft.values.get("location", []))
    texts = [value for value in draft.values.get("location", []) if not value.raw.startswith("{")]
    remote = [*draft.values.get("remote", []), *texts]
    whole = Draft(draft.kind, {**draft.values, "location": places, "locations": places, "remote": remote})
    fields = {**FIELDS, "locations": Field(location, many=True)}
    return normalise_fields(whole, JobPostingResult, fields, _where_paid(places, around(draft, ctx)), _finish)


def _each_place(values: list[Value]) -> list[Value]:
    texts = [(value, [value.raw] if value.raw.startswith("{") else places_in(value.raw)) for value in values]
    return [msgspec.structs.replace(value, raw=text) for value, each in texts for text in each]


def _where_paid(places: list[Value], near: Around) -> Around:
    """A dollar is the dollar of the country the job is in."""
    found = [location(value.raw, near) for value in places]
    countries = {place.country_code for place in found if isinstance(place, NormalizedLocation) and place.country_code}
    return msgspec.structs.replace(near, country=countries.pop()) if len(countries) == 1 else near


def _finish(values: dict[str, Any], near: Around) -> dict[str, Any]:
    """The salary in words, and "Remote" that stood where a place belongs."""
    salary: SalaryResult | None = values.get("salary")
    if salary is not None:
        values["salary_range"] = Salary(salary.low_minor, salary.high_minor, salary.currency, salary.period).text()
    place: NormalizedLocation | None = values.get("location")
    if place is not None and place.raw and _REMOTE.search(fold(place.raw)) and "remote" not in values:
        values["remote"] = True
    _settle_place(values)
    values["locations"] = [
        each for each in values.get("locations", []) if each.city or each.state_region or each.country
    ]
    if len(values["locations"]) < 2:
        values.pop("locations", None)
    return values


def _settle_place(values: dict[str, Any]) -> None:
    """Neither the employer's name, nor the first of all countries people may work from, is where the job is."""
    place: NormalizedLocation | None = values.get("location")
    if place is None:
        return
    everywhere = {each.country_code for each in values.get("locations", []) if each.city is None}
    employer = fold(values.get("company_name", ""))
    nowhere = values.get("remote") and not (place.city or place.state_region or place.country)
    if (place.city is None and len(everywhere) > 1) or nowhere or (employer and fold(place.raw or "") == employer):
        values.pop("location")
