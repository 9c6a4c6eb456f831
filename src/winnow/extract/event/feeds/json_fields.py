"""The fields of an event's object besides its title and its day."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.feeds import field_names as names
from winnow.extract.event.feeds.field_names import plain_name
from winnow.extract.event.feeds.json_values import number_of, text_of, texts_of
from winnow.extract.event.feeds.place_text import add_place

if TYPE_CHECKING:
    from winnow.extract.event.feeds.json_objects import Node

MAX_BLOCK_OBJECT = 200_000  # characters of an object that is printed for its draft
_ADDRESS = (
    (
        "streetAddress",
        (
            "streetaddress",
            "address1",
            "addressline1",
            "line1",
            "street",
            "address",
            "thoroughfare",
            "addressfull",
            "straat",
        ),
    ),
    ("postalCode", ("postalcode", "postcode", "zip", "zipcode")),
    ("addressLocality", ("addresslocality", "city", "town", "locality", "plaats", "stad")),
    ("addressRegion", ("addressregion", "state", "stateprovince", "region", "province")),
    ("addressCountry", ("addresscountry", "countrycode", "country", "land")),
)
_STATES = re.compile(
    r"cancel|postpon|resched|moved|afgelast|geannuleerd|verplaatst|uitgesteld|abgesagt|verschoben|scheduled|onsale|offsale",
    re.IGNORECASE,
)


_TEXTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("description", names.DESCRIPTION),
    ("organiser", names.ORGANISER),
    ("doors", names.DOORS),
)
_LINKS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("url", names.URL),
    ("ticket_url", names.TICKET_URL),
    ("image_url", names.IMAGE),
)


def add_fields(into: Collected, node: Node, strategy: Strategy, path: str) -> None:
    for field, wanted in _TEXTS:
        for key, value in node.all(wanted):
            if isinstance(value, str | dict | list):
                into.add(field, _inner_text(value, wanted), strategy, f"{path}.{key}")
    for field, wanted in _LINKS:
        for key, value in node.all(wanted):
            into.add(field, _link_of(value), strategy, f"{path}.{key}")
    for key, value in node.all(names.PERFORMERS):
        for name in texts_of(value):
            into.add("performers", name, strategy, f"{path}.{key}")
    for key, value in node.all(names.CATEGORY):
        into.add("category", ", ".join(_category_texts(value)), strategy, f"{path}.{key}")
    _identity(into, node, strategy, path)
    _state(into, node, strategy, path)
    _place(into, node, strategy, path)
    _price(into, node, strategy, path)


def _inner_text(value: Any, wanted: tuple[str, ...]) -> str:
    if isinstance(value, list) and value and isinstance(value[0], dict):
        value = value[0]
    if isinstance(value, dict):
        for key, each in value.items():
            if plain_name(str(key)) in wanted and isinstance(each, str):
                return each
    return text_of(value)


def _link_of(value: Any) -> str:
    """An address that stands alone, or the largest of several pictures."""
    if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
        value = max(value, key=lambda each: number_of(each.get("width")) or 0)
    if isinstance(value, dict):
        value = next(
            (
                value[key]
                for key in ("url", "src", "href", "uri", "original", "large", "alias")
                if isinstance(value.get(key), str)
            ),
            text_of(value),
        )
    text = text_of(value)
    return text if text.startswith(("http://", "https://", "/")) and not re.search(r"\s", text) else ""


def _category_texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return list(dict.fromkeys(text for each in value[:20] for text in _category_texts(each)))
    if isinstance(value, dict):
        inner = [text_of(value.get(key)) for key in ("segment", "genre") if value.get(key)]
        return [text for text in inner or [text_of(value)] if text and text != "Undefined"]
    text = text_of(value)
    return [text] if text and len(text) <= 60 and any(c.isalpha() for c in text) and not text.startswith("http") else []


def _identity(into: Collected, node: Node, strategy: Strategy, path: str) -> None:
    key, value = node.get(names.UID)
    uid = text_of(value)
    into.add("uid", uid if not uid.startswith("http") else "", strategy, f"{path}.{key}")
    key, value = node.get(names.RECURRENCE)
    rule = next((text for text in texts_of(value) if "FREQ=" in text), "")
    into.add(
        "recurrence", rule if rule.startswith("RRULE:") or not rule else f"RRULE:{rule}", strategy, f"{path}.{key}"
    )
    original = node.fields.get("originalstarttime", ("", None))[1]
    if isinstance(original, dict):
        into.add(
            "recurrence_id",
            re.sub(r"\D", "", text_of(original.get("dateTime") or original.get("date"))[:10]),
            strategy,
            f"{path}.originalStartTime",
        )


def _state(into: Collected, node: Node, strategy: Strategy, path: str) -> None:
    for key, value in node.all(names.STATUS):
        text = text_of(value.get("code") if isinstance(value, dict) and "code" in value else value)
        found = _STATES.search(text)
        if found and found[0].lower() not in ("onsale", "offsale"):
            into.add("status", text, strategy, f"{path}.{key}")
    for name in ("iscancelled", "iscanceled", "cancelled", "canceled", "isafgelast"):
        if node.fields.get(name, ("", None))[1] is True:
            into.add("status", "cancelled", strategy, f"{path}.{node.fields[name][0]}")
    for key, value in node.all(names.SOLD_OUT):
        if isinstance(value, bool):
            into.add("sold_out", str(value).lower(), strategy, f"{path}.{key}")
    key, value = node.get(("eventattendancemode", "attendancemode"))
    into.add("attendance", text_of(value), strategy, f"{path}.{key}")
    if node.fields.get("isonline", node.fields.get("onlineevent", node.fields.get("isvirtual", ("", None))))[1] is True:
        into.add("attendance", "OnlineEventAttendanceMode", strategy, f"{path}.isOnline")


def _place(into: Collected, node: Node, strategy: Strategy, path: str) -> None:
    _coordinates(into, node.fields, strategy, path)
    embedded = node.data.get("_embedded")
    stated = [embedded["venues"]] if isinstance(embedded, dict) and embedded.get("venues") else []
    for value in [*stated, *(value for _, value in node.all(names.VENUE))]:
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, dict):
            _add_venue(into, {plain_name(str(key)): each for key, each in value.items()}, strategy, f"{path}.venue")
        elif isinstance(value, str) and len(value) <= 300 and not value.startswith("/"):
            add_place(into, value, strategy, f"{path}.venue")
    _add_address(into, {name: value for name, (_, value) in node.fields.items()}, strategy, path)


def _add_venue(into: Collected, fields: dict[str, Any], strategy: Strategy, path: str) -> None:
    title = next(
        (
            text
            for name in ("name", "title", "venue", "venuename", "addresstitle", "label", "displayname")
            if (text := text_of(fields.get(name)))
        ),
        "",
    )
    into.add("venue_name", title, strategy, f"{path}.name")
    inner = fields.get("address")
    parts = {plain_name(str(key)): each for key, each in inner.items()} if isinstance(inner, dict) else {}
    _add_address(
        into, parts | {name: value for name, value in fields.items() if name != "address" or not parts}, strategy, path
    )
    _coordinates(into, {name: (name, value) for name, value in (fields | parts).items()}, strategy, path)


def _add_address(into: Collected, fields: dict[str, Any], strategy: Strategy, path: str) -> None:
    """Only what has at least a town or a postcode; a street alone is a text."""
    parts = {
        part: next((text for name in wanted if (text := _address_text(fields.get(name)))), "")
        for part, wanted in _ADDRESS
    }
    line2 = text_of(fields.get("addressline2"))
    kept = {part: text for part, text in parts.items() if text}
    if "addressLocality" in kept or "postalCode" in kept:
        into.add_node("location", kept, strategy, f"{path}.address")
    elif "streetAddress" in kept:
        into.add("location", ", ".join(filter(None, [kept["streetAddress"], line2])), strategy, f"{path}.address")


def _address_text(value: Any) -> str:
    if isinstance(value, dict):
        value = (
            value.get("line1") or value.get("name") or value.get("countryCode") or value.get("localizedAddressDisplay")
        )
    return text_of(value)[:200]


def _coordinates(into: Collected, fields: dict[str, tuple[str, Any]], strategy: Strategy, path: str) -> None:
    merged = dict(fields)
    for name in ("geo", "location", "coordinates", "position", "latlng", "point", "marker", "geometry"):
        inner = fields.get(name, ("", None))[1]
        if isinstance(inner, dict):
            merged |= {
                plain_name(str(key)): (str(key), value)
                for key, value in inner.items()
                if plain_name(str(key)) in (*names.LATITUDE, *names.LONGITUDE)
            }
    latitude, longitude = (
        next((n for name in wanted if (n := number_of(merged.get(name, ("", None))[1])) is not None), None)
        for wanted in (names.LATITUDE, names.LONGITUDE)
    )
    if latitude and longitude and abs(latitude) <= 90 and abs(longitude) <= 180:
        into.add("latitude", str(latitude), strategy, f"{path}.latitude", numeric=True)
        into.add("longitude", str(longitude), strategy, f"{path}.longitude", numeric=True)


def _price(into: Collected, node: Node, strategy: Strategy, path: str) -> None:
    """Amounts with what names their currency; a free event says so."""
    for key, value in node.all(names.PRICE):
        listed = value if isinstance(value, list) else [value]
        offers = [offer for each in listed[:20] if isinstance(each, dict) and (offer := _offer(each))]
        if offers:
            into.add_node("price", offers, strategy, f"{path}.{key}")
        elif isinstance(value, str) and value.strip():
            into.add_node("price", _written(value), strategy, f"{path}.{key}") if _written(value) else None
    if node.fields.get("isfree", node.fields.get("isaccessibleforfree", ("", None)))[1] is True:
        into.add_node("price", [{"low": "0", "high": "0", "currency": ""}], strategy, f"{path}.isFree")


def _offer(offer: dict[str, Any]) -> dict[str, str]:
    fields = {plain_name(str(key)): value for key, value in offer.items()}
    values = fields.get("values")
    if isinstance(values, list) and values and all(number_of(value) is not None for value in values):
        amounts = sorted(number_of(value) or 0.0 for value in values)
        low, high = _plain_number(amounts[0]), _plain_number(amounts[-1])
    else:
        low = next(
            (
                text
                for name in ("lowprice", "min", "minprice", "price", "amount")
                if (text := text_of(fields.get(name)))
            ),
            "",
        )
        high = next(
            (
                text
                for name in ("highprice", "max", "maxprice", "price", "amount")
                if (text := text_of(fields.get(name)))
            ),
            low,
        )
    currency = next(
        (
            text
            for name in ("pricecurrency", "currency", "currencycode", "currencysymbol")
            if (text := text_of(fields.get(name)))
        ),
        "",
    )
    return (
        {"low": low, "high": high, "currency": currency}
        if number_of(low) is not None and number_of(high) is not None
        else {}
    )


def _plain_number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _written(text: str) -> list[dict[str, str]]:
    """ "€ 12,50 – € 15" or "Free": amounts beside a sign."""
    if re.fullmatch(r"\s*(?:free|gratis|kostenlos|gratuit|0(?:[.,]00)?)\s*", text, re.IGNORECASE):
        return [{"low": "0", "high": "0", "currency": ""}]
    found = re.findall(r"(€|\$|£|EUR|USD|GBP)\s?(\d{1,5}(?:[.,]\d\d)?)(?![\d.,]*\d)", text)
    return [{"low": (amount := raw.replace(",", ".")), "high": amount, "currency": sign} for sign, raw in found]


def block_of(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= MAX_BLOCK_OBJECT else ""
