"""Company website: the result and how each of its fields is read (S-054)."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

import msgspec
from pydantic import Field as Limit
from pydantic import StringConstraints

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.emails import read_email
from winnow.normalise.employees import read_employees
from winnow.normalise.fields import Around, Field, Normalised, Result, around, line, link, normalise_fields, prose
from winnow.normalise.links import home_of, read_link
from winnow.normalise.phones import read_phone
from winnow.normalise.places.home_country import home_country
from winnow.normalise.places.located import PostalAddress, address

HttpsUrl = Annotated[str, StringConstraints(pattern=r"^https://", max_length=8_192)]
Email = Annotated[str, StringConstraints(pattern=r"^[^@\s]+@[^@\s]+\.[^@\s]+$", max_length=254)]
Phone = Annotated[str, StringConstraints(pattern=r"^\+[1-9]\d{5,14}$")]
People = Annotated[str, StringConstraints(pattern=r"^\d+(?:-\d+|\+)?$")]
Line = Annotated[str, StringConstraints(min_length=1, max_length=512)]
Prose = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]


class CompanyWebsiteResult(Result):
    company_name: Line | None = None
    description: Prose | None = None
    industry: Line | None = None
    employee_count_range: People | None = None
    headquarters: PostalAddress | None = None
    contact_email: Email | None = None
    contact_phone: Phone | None = None
    website_url: HttpsUrl | None = None
    legal_name: Line | None = None
    founded_year: Annotated[int, Limit(ge=1000, le=2100)] | None = None
    logo_url: HttpsUrl | None = None
    social_links: list[HttpsUrl] | None = None


def _email(raw: str, near: Around) -> str | Unread:
    return read_email(raw, near.url)


def _phone(raw: str, near: Around) -> str | Unread:
    return read_phone(raw, near.country, near.url)


def _people(raw: str, near: Around) -> str | Unread:
    return read_employees(raw)


def _home(raw: str, near: Around) -> str | Unread:
    found = read_link(raw, near.url)
    if isinstance(found, Unread):
        return found
    host = urlsplit(found).hostname or ""
    is_address = ":" in host or host.replace(".", "").isdigit()
    return unread(Doubt.INVALID, raw) if is_address or host == "localhost" else home_of(found)


def read_year(raw: str, near: Around) -> int | Unread:
    digits = "".join(c if c.isdigit() else " " for c in raw).split()
    years = [int(d) for d in digits if len(d) == 4 and 1000 <= int(d) <= near.now.year]
    return years[0] if len(years) >= 1 else unread(Doubt.UNREADABLE, raw)


FIELDS = {
    "company_name": Field(line),
    "description": Field(prose),
    "industry": Field(line),
    "employee_count_range": Field(_people),
    "headquarters": Field(address),
    "contact_email": Field(_email),
    "contact_phone": Field(_phone),
    "website_url": Field(_home),
    "legal_name": Field(line),
    "founded_year": Field(read_year),
    "logo_url": Field(link),
    "social_links": Field(link, many=True),
}


def normalise_company(draft: Draft, ctx: Context) -> Normalised:
    near = around(draft, ctx)
    return normalise_fields(draft, CompanyWebsiteResult, FIELDS, at_home(draft, near))


def at_home(draft: Draft, near: Around) -> Around:
    """A number without a prefix is dialled where the company sits; the page's own country is second best."""
    place: Any = None
    for value in draft.values.get("headquarters", [])[:1]:
        place = address(value.raw, near)
    code = place.country_code if isinstance(place, PostalAddress) else None
    named = [value.raw for field in ("website_url", "contact_email") for value in draft.values.get(field, [])]
    lang = draft.first("lang")
    home = home_country(lang.raw if lang else "", near.url, *named)
    return msgspec.structs.replace(near, country=code or home or near.country)
