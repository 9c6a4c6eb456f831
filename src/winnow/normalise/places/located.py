"""Locations inside results: plain text or the parts of a postal address."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, ConfigDict

from winnow.extract.contact.postal import addresses_in
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around
from winnow.normalise.places.gazetteer import country_code
from winnow.normalise.places.read import Place, place_of, read_place
from winnow.normalise.text import clean_line, is_placeholder


class NormalizedLocation(BaseModel):
    """S-056. `raw` is the text as it stood; `country` the English name of `country_code`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    city: str | None = None
    state_region: str | None = None
    country: str | None = None
    country_code: str | None = None
    raw: str | None = None


class PostalAddress(NormalizedLocation):
    street: str | None = None
    postal_code: str | None = None


_PARTS = ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")


def as_location(place: Place) -> NormalizedLocation:
    return NormalizedLocation(
        city=place.city,
        state_region=place.state_region,
        country=place.country,
        country_code=place.country_code,
        raw=place.raw,
    )


def normalise_location(raw: str, country: str | None = None) -> NormalizedLocation:
    """Property 34: whatever the text is, `raw` is it."""
    return as_location(read_place(raw, country))


def location(raw: str, near: Around) -> NormalizedLocation | Unread:
    """For results: a text that names no place at all is not a location."""
    node = _in_parts(_node(raw))
    if node is not None:
        return _of_node(node)
    text = clean_line(raw, 300)
    if not any(c.isalpha() for c in text) or "***" in text:
        return unread(Doubt.MASKED if "*" in text else Doubt.UNREADABLE, raw)
    return unread(Doubt.PLACEHOLDER, raw) if is_placeholder(text) else normalise_location(text, None)


def address(raw: str, near: Around) -> PostalAddress | Unread:
    node = _in_parts(_node(raw))
    if node is None:
        found = location(raw, near)
        if isinstance(found, Unread):
            return found
        located = found.city or found.state_region or found.country_code or any(map(str.isdigit, found.raw or ""))
        return PostalAddress(**found.model_dump()) if located else unread(Doubt.UNREADABLE, raw)  # a firm, a sentence
    place = _of_node(node)
    if isinstance(place, Unread):
        return place
    street, code = (clean_line(_text(node.get(key)), 200) or None for key in ("streetAddress", "postalCode"))
    return PostalAddress(**place.model_dump(), street=_street(street, node), postal_code=code)


def _street(street: str | None, node: dict[str, Any]) -> str | None:
    """ "12 Mill Road, Hudson, NY 12534" beside a locality that says Hudson: the rest of it is not the street."""
    city = clean_line(_text(node.get("addressLocality")))
    at = (street or "").lower().rfind(f", {city.lower()}") if city else -1
    return street[:at].rstrip(" ,") if street and at > 0 else street


_CODED_TOWN = re.compile(r"((?:[A-Z]{1,2}-)?\d{4,5})\s+([^\W\d_].*)")


def _in_parts(node: dict[str, Any] | None) -> dict[str, Any] | None:
    """A street field that holds the whole address, as forms with one input field write it; a town behind its code."""
    coded = _CODED_TOWN.fullmatch(_text(node.get("addressLocality"))) if node is not None else None
    if node is not None and coded is not None and not _text(node.get("postalCode")):
        return {**node, "postalCode": coded[1], "addressLocality": coded[2]}
    stated = _text(node.get("streetAddress")) if node is not None else ""
    found = addresses_in([stated]) if node is not None and stated and not _text(node.get("addressLocality")) else []
    if node is None or len(found) != 1:
        return node
    whole = found[0]
    parts = {"streetAddress": whole.street, "postalCode": whole.code, "addressLocality": whole.city,
             "addressRegion": whole.region, "addressCountry": whole.country}  # fmt: skip
    return {**node, "raw": stated, **{key: value for key, value in parts.items() if value}}


def _node(raw: str) -> dict[str, Any] | None:
    if not raw.startswith("{"):
        return None
    try:
        node = json.loads(raw)
    except ValueError:
        return None
    return node if isinstance(node, dict) else None


def _of_node(node: dict[str, Any]) -> NormalizedLocation | Unread:
    """schema.org PostalAddress (or Place, Country, VirtualLocation with a name)."""
    street, code, city, region, country = (
        _text(node.get(key))
        for key in ("streetAddress", "postalCode", "addressLocality", "addressRegion", "addressCountry")
    )
    own = [street, f"{code} {city}".strip(), region, country]
    stated = [part for part in own[:2] if part] if _names_all(city, country) else [part for part in own if part]
    raw = clean_line(_text(node.get("raw")) or ", ".join(dict.fromkeys(stated)) or _text(node.get("name")), 400)
    if "raw" in node:
        known = country_code(country) if country else None
        raw, country = (f"{raw}, {country}" if known and len(country) > 2 else raw), country if known else ""
    if not raw:
        return unread(Doubt.EMPTY, str(node))
    if not (city or region or country):
        return as_location(read_place(raw))
    return as_location(place_of(raw, city, region, country))


def _names_all(city: str, country: str) -> bool:
    """ "Uppsala, Uppsala County, Sweden" in the field for the town, beside "SE": the text is whole as it stands."""
    code = country_code(country) if country else None
    return "," in city and code is not None and read_place(city).country_code == code


def _text(value: Any) -> str:
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict):
        return _text(value.get("name") or value.get("@value"))
    text = "" if value is None or isinstance(value, bool) else str(value).strip()
    return text if any(map(str.isalnum, text)) else ""  # "-" where a form wanted a region
