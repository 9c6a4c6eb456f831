"""schema.org Event, as a web page embeds it and as search engines read it."""

from __future__ import annotations

from typing import Any

from winnow.publish.calendars.entry import Entry, format_amount

_TYPES = {
    "music": "MusicEvent", "theatre": "TheaterEvent", "film": "ScreeningEvent", "arts": "ExhibitionEvent",
    "festival": "Festival", "sports": "SportsEvent", "family": "ChildrensEvent", "food": "FoodEvent",
    "learning": "EducationEvent", "community": "SocialEvent",
}  # fmt: skip
_STATUS = {
    "scheduled": "EventScheduled", "cancelled": "EventCancelled", "postponed": "EventPostponed",
    "rescheduled": "EventRescheduled", "moved_online": "EventMovedOnline",
}  # fmt: skip
SCHEMA = "https://schema.org/"


def as_json_ld(entry: Entry) -> dict[str, Any]:
    found = {
        "@context": "https://schema.org",
        "@type": _TYPES.get(entry.category, "Event"),
        "identifier": entry.uid,
        "name": entry.title,
        "description": entry.description or None,
        "startDate": _start(entry),
        "endDate": _end(entry),
        "eventStatus": f"{SCHEMA}{_STATUS[entry.event_status]}",
        "eventAttendanceMode": _attendance(entry.online),
        "location": _place(entry),
        "image": entry.image_url,
        "url": entry.url,
        "organizer": {"@type": "Organization", "name": entry.organiser} if entry.organiser else None,
        "performer": [{"@type": "PerformingGroup", "name": name} for name in entry.performers] or None,
        "offers": _offers(entry),
    }
    return {name: value for name, value in found.items() if value is not None}


def _start(entry: Entry) -> str:
    if not entry.has_hour:
        return entry.event_date.isoformat()
    return entry.starts_at.astimezone(entry.zone).isoformat()


def _end(entry: Entry) -> str | None:
    if entry.has_hour and entry.ends_at is not None:
        return entry.ends_at.astimezone(entry.zone).isoformat()
    return entry.end_date.isoformat() if entry.end_date else None


def _attendance(online: bool | None) -> str | None:
    if online is None:
        return None
    return f"{SCHEMA}{'Online' if online else 'Offline'}EventAttendanceMode"


def _place(entry: Entry) -> dict[str, Any]:
    known = entry.structured_location
    address = {
        "@type": "PostalAddress",
        "streetAddress": known.get("street"),
        "postalCode": known.get("postal_code"),
        "addressLocality": known.get("city"),
        "addressRegion": known.get("state_region"),
        "addressCountry": known.get("country_code"),
    }
    stated = {name: value for name, value in address.items() if value}
    return {
        "@type": "Place",
        "name": entry.venue_name,
        **({"address": stated} if len(stated) > 1 else {}),
        "geo": {"@type": "GeoCoordinates", "latitude": entry.latitude, "longitude": entry.longitude},
    }


def _offers(entry: Entry) -> dict[str, Any] | None:
    """A price without a currency is none, unless it is free."""
    found: dict[str, Any] = {"@type": "Offer", "url": entry.ticket_url, **_prices(entry)}
    if entry.sold_out is not None:
        found["availability"] = f"{SCHEMA}{'SoldOut' if entry.sold_out else 'InStock'}"
    stated = {name: value for name, value in found.items() if value is not None}
    return stated if len(stated) > 1 else None


def _prices(entry: Entry) -> dict[str, Any]:
    low, high = entry.price_low_minor, entry.price_high_minor
    if low is None or high is None or (entry.currency is None and high > 0):
        return {}
    money = {"priceCurrency": entry.currency}
    if low == high:
        return {"price": format_amount(low, entry.currency), **money}
    prices = {"lowPrice": format_amount(low, entry.currency), "highPrice": format_amount(high, entry.currency)}
    return {"@type": "AggregateOffer", **prices, **money}
