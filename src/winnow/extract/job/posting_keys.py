"""A posting as systems for applicants publish it in JSON, whatever they call its fields -> candidates.

Read are the shapes of the public interfaces and of the state that pages carry: Greenhouse, Lever, Ashby, Workday,
SmartRecruiters, Recruitee, Teamtailor, Workable. What they share is in the tables; what one writes in a way of its own
has a function.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.structured.schema_graph import Node

# Best first. A dot leads into an object.
_TITLE = ("title", "jobTitle", "job_title", "positionName", "posting_title", "text", "name")
_COMPANY = ("company_name", "companyName", "company.name", "organizationName", "employerName", "hiringOrganization.name",
            "hiringOrganization", "organization.name", "employer.name", "company", "organization", "employer",
            "identifier.name")  # fmt: skip
_PLACE = ("location", "locationName", "job_post_location", "jobLocation", "categories.location", "formattedLocation", "locations",
          "locationsText", "city")  # fmt: skip
_FURTHER_PLACES = ("secondaryLocations", "additionalLocations", "categories.allLocations")
_TEXTS = {
    "employment_type": ("employmentType", "employment_type", "employmentTypeText", "jobType", "commitment", "contractType",
                        "categories.commitment", "typeOfEmployment.label", "timeType", "employment_type_code", "employment-type", "type"),
    "date_posted": ("publishedDate", "datePosted", "date_posted", "postedDate", "publishedAt", "published_at", "first_published",
                    "releasedDate", "published", "created-at", "createdAt", "created_at", "startDate",
                    "date_published", "published_on"),
    "valid_through": ("validThrough", "applicationDeadline", "application_deadline", "close_at"),
    "posting_url": ("absolute_url", "hostedUrl", "jobUrl", "postingUrl", "externalUrl", "public_url", "careers_url", "careersite-job-url",
                    "url", "shortlink"),
    "apply_url": ("applyUrl", "apply_url", "careers_apply_url", "careersite-job-apply-url", "applicationLink"),
    "description": ("descriptionHtml", "jobDescription", "description", "content", "body", "descriptionPlain", "descriptionBodyPlain"),
    "salary": ("compensationTierSummary", "compensation.compensationTierSummary", "compensation.scrapeableCompensationSalarySummary",
               "salaryText", "salary", "compensation"),
}  # fmt: skip
_PAID = ("salaryRange", "salary", "pay_input_ranges", "pay_ranges", "payRange")
_SIGNS = frozenset([
    "employmenttype", "employment_type", "employment-type", "employment_type_code", "locationname", "joblocation", "job_post_location",
    "departmentname", "department", "departments", "jobdescription", "jobtype", "commitment", "workplacetype", "workplace_type",
    "typeofemployment", "jobad", "timetype", "jobreqid", "absolute_url", "hostedurl", "joburl", "careers_url", "internal_job_id", "shortcode",
    "remote-status",
])  # fmt: skip
# Two of them make an entry of a list a posting that has no text.
_OWN_SIGNS = frozenset([
    "shortcode", "absolute_url", "hostedurl", "joburl", "careers_url", "jobreqid", "internal_job_id", "externalpath", "postedon", "locationstext",
    "bulletfields", "releaseddate", "refnumber", "jobadid", "typeofemployment", "published_on", "telecommuting",
])  # fmt: skip
_COUNT = re.compile(r"\d+ locations?", re.IGNORECASE)
_BODIES = frozenset(["jobad", "content", "body", "lists"])
_REMOTE = frozenset(["remote", "fully_remote", "fully", "telecommute"])
_UNIT = re.compile(r"hour|day|week|month|year|annual", re.IGNORECASE)
_NO_TEXT = frozenset(["employment_type"])  # fields whose key may hold a code of the system's own


def is_posting(node: Node) -> bool:
    """A title, and the type of schema.org, a text with what only postings have, or more of that in a list without texts."""
    keys = {str(key).lower() for key in node}
    signed = (is_described(node) and bool(keys & _SIGNS)) or len(keys & _OWN_SIGNS) > 1
    return bool(title_in(node)) and (signed or node.get("@type") == "JobPosting")


def is_described(node: Node) -> bool:
    keys = {str(key).lower() for key in node}
    return any("descri" in key for key in keys) or bool(keys & _BODIES)


def addresses_of(node: Node) -> list[str]:
    """Where the posting stands: whole addresses, and paths."""
    return [text for key in (*_TEXTS["posting_url"], "ref", "externalPath") if (text := _text(_at(node, key)))]


def title_in(node: Node) -> str:
    return next((text for key in _TITLE if (text := _text(_at(node, key)))), "")


def add_posting(into: Collected, node: Node, path: str) -> None:
    """Everything the node says; nested `attributes` (JSON:API) are looked through by the caller."""
    into.add("job_title", title_in(node), Strategy.HYDRATION, f"{path}.title")
    _add_first(into, "company_name", node, _COMPANY, path)
    _add_places(into, node, path)
    for field, keys in _TEXTS.items():
        _add_first(into, field, node, keys, path)
    _add_sections(into, node, path)
    for key in _PAID:
        _add_pay(into, _at(node, key), f"{path}.{key}")
    if is_remote(node):
        into.add("remote", "TELECOMMUTE", Strategy.HYDRATION, f"{path}.remote")


def _add_first(into: Collected, field: str, node: Node, keys: tuple[str, ...], path: str) -> None:
    for key in keys:
        text = _text(_at(node, key))
        if text:
            into.add(field, unescape(text) if field == "description" else text, Strategy.HYDRATION, f"{path}.{key}")
            return


def _add_sections(into: Collected, node: Node, path: str) -> None:
    """SmartRecruiters: the text in sections of its own."""
    sections = _at(node, "jobAd.sections")
    texts = [_text(section.get("text")) for section in sections.values() if isinstance(section, dict)] if isinstance(sections, dict) else []  # fmt: skip
    into.add("description", "\n".join(text for text in texts if text), Strategy.HYDRATION, f"{path}.jobAd.sections")


def _add_places(into: Collected, node: Node, path: str) -> None:
    """An address in parts beside a place in words says more; several places are several candidates."""
    address = _at(node, "address.postalAddress")
    if isinstance(address, dict) and any(address.values()):
        into.add_node("location", address, Strategy.HYDRATION, f"{path}.address")
    else:
        found = next((place for key in _PLACE if (place := _at(node, key))), None)
        for place in found if isinstance(found, list) else [found]:
            _add_place(into, place, node, path)
    for key in _FURTHER_PLACES:
        further = _at(node, key)
        for place in further if isinstance(further, list) else []:
            _add_place(into, place, {}, path)


def _add_place(into: Collected, place: Any, node: Node, path: str) -> None:
    parts = _parts_of(place, node)
    if parts:
        into.add_node("location", parts, Strategy.HYDRATION, f"{path}.location")
    elif not _COUNT.fullmatch(text := _text(place)):  # Workday counts several instead of naming them
        into.add("location", text, Strategy.HYDRATION, f"{path}.location")


_PART_KEYS = {
    "addressLocality": ("city", "addressLocality"),
    "addressRegion": ("region", "state", "state_name", "addressRegion", "regionName"),
    "addressCountry": ("countryCode", "country_code", "country", "addressCountry", "countryName"),
    "streetAddress": ("address", "street", "streetAddress"),
    "postalCode": ("postalCode", "postal_code", "zip"),
}


def _parts_of(place: Any, node: Node) -> dict[str, str]:
    """Of an object with parts; a bare city takes region and country from beside it (Recruitee)."""
    named = place if isinstance(place, dict) else {}
    if isinstance(named.get("address"), dict):  # schema.org: a Place with a PostalAddress
        named = named["address"]
    if not named and isinstance(place, str) and place == node.get("city"):
        named = {key: node.get(key) for keys in _PART_KEYS.values() for key in keys if key != "address"}
    parts = {part: text for part, keys in _PART_KEYS.items() for key in keys[:1] if (text := _first_text(named, keys))}
    country_alone = isinstance(place, dict) and "addressCountry" in parts and not _text(place)
    return parts if "addressLocality" in parts or country_alone else {}


def _first_text(node: Node, keys: tuple[str, ...]) -> str:
    return next((text for key in keys if (text := _text(node.get(key)))), "")


def _add_pay(into: Collected, paid: Any, path: str) -> None:
    ranges = paid if isinstance(paid, list) else [paid]
    for each in ranges[:1] if len(ranges) == 1 else []:  # several ranges are of several places
        if not isinstance(each, dict):
            continue
        cents = "min_cents" in each or "max_cents" in each
        low, high = (_amount(each.get(f"{side}_cents" if cents else side), cents) for side in ("min", "max"))
        currency = _first_text(each, ("currency", "currency_type", "currencyCode"))
        unit = _UNIT.search(_first_text(each, ("interval", "period", "unit", "title")))
        node = {"low": low, "high": high, "currency": currency, "unit": unit[0].upper() if unit else ""}
        if (low or high) and currency:
            into.add_node("salary", node, Strategy.HYDRATION, path)


def _amount(value: Any, cents: bool) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str) or not str(value).strip():
        return ""
    return f"{int(value) / 100:.2f}" if cents and str(value).isdigit() else str(value)


def is_remote(node: Node) -> bool:
    place = node.get("location")
    stated = [node.get("isRemote"), node.get("remote"), node.get("telecommuting"), place.get("remote") if isinstance(place, dict) else None]  # fmt: skip
    named = [str(node.get(key, "")).lower() for key in ("workplaceType", "workplace_type", "workplace", "remote-status", "remoteType")]  # fmt: skip
    return any(value is True for value in stated) or any(name in _REMOTE for name in named)


def _at(node: Any, key: str) -> Any:
    for step in key.split("."):
        node = node.get(step) if isinstance(node, dict) else None
    return node


def _text(value: Any) -> str:
    """A text, the name of an object, the first of a list; a number of ten digits or more is a moment."""
    if isinstance(value, list):
        return _text(value[0]) if value else ""
    if isinstance(value, dict):
        keys = ("name", "text", "label", "descriptor", "fullLocation", "locationName", "location")
        return next((text for key in keys if (text := value.get(key)) and isinstance(text, str)), "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if value >= 10**9 else ""
    return value.strip() if isinstance(value, str) else ""
