"""A body that is JSON or XML instead of a page: what the interfaces of systems for applicants answer -> one posting.

The answer about one posting is one posting. A board's list is none, unless the address names one of its entries.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

import msgspec

from winnow.extract.candidates import Collected
from winnow.extract.draft import Attempt, Draft, Extracted, Extraction, Failure, Reason, Strategy, Value
from winnow.extract.job.job_states import walk
from winnow.extract.job.posting_keys import add_posting, addresses_of, is_described, is_posting, title_in
from winnow.extract.limits import MAX_BODY
from winnow.extract.page import Page
from winnow.extract.structured.schema_graph import Node

_IDS = ("id", "uuid", "jobReqId", "shortcode", "slug", "externalPath", "bulletinId")
_OWNERS = ("hiringOrganization", "organization", "company", "board")
MAX_XML_POSITIONS = 2_000


def is_data(page: Page) -> bool:
    """By what the server calls it, or by how it begins."""
    kind = page.content_type.partition(";")[0].strip().lower()
    start = _start(page)
    return kind.endswith(("/json", "+json")) or start[:1] in (b"{", b"[") or _is_positions(start)


def _start(page: Page) -> bytes:
    return page.body[:200].lstrip(b"\xef\xbb\xbf \t\r\n")


def _is_positions(start: bytes) -> bool:
    return start.startswith((b"<workzag-jobs", b"<?xml")) and b"<workzag-jobs" in start


def extract_from_data(page: Page, kind: str) -> Extraction:
    if not page.body.strip() or len(page.body) > MAX_BODY:
        return Failure(Reason.EMPTY_PAGE, "the body is empty or too large")
    is_xml = _is_positions(_start(page))
    try:
        found = _positions(page) if is_xml else _postings(json.loads(page.text()))
    except (ValueError, RecursionError, ElementTree.ParseError):
        return Failure(Reason.PAGE_STRUCTURE_CHANGED, "the body cannot be read as the data it is said to be")
    own = _own(found, page.url)
    if own is None:
        return Failure(Reason.SELECTOR_NOT_FOUND, f"{len(found)} postings, none clearly asked for")
    return _extracted(own, kind)


class _Found(msgspec.Struct, frozen=True):
    node: Node
    path: str
    company: str = ""


def _postings(data: Any) -> list[_Found]:
    """The outermost nodes that are postings, with who is said to offer them beside."""
    found: list[_Found] = []
    for node, path in walk(data, "json"):
        whole = _flat(node, data)
        if is_posting(whole) and not any(path.startswith(f"{each.path}.") for each in found):
            found.append(_Found(whole, path, _owner(data)))
    return found


def _flat(node: Node, data: Any) -> Node:
    """JSON:API keeps the fields in `attributes`, addresses in `links`, and what they refer to in `included`; the JSON Feed
    of Teamtailor has the posting of schema.org beside its own fields."""
    attributes = node.get("attributes")
    if isinstance(posting := node.get("_jobposting"), dict):
        return {"description": node.get("content_html") or "", **posting, "url": node.get("url"), "id": node.get("id")}
    if not isinstance(attributes, dict):
        return node
    links = node.get("links")
    places = [each.get("attributes") for each in data.get("included") or [] if isinstance(each, dict) and each.get("type") == "locations"] if isinstance(data, dict) else []  # fmt: skip
    whole = {**attributes, **(links if isinstance(links, dict) else {}), "id": node.get("id")}
    return {**whole, "locations": places} if places else whole


def _owner(data: Any) -> str:
    """Who publishes the answer, where it says so once for all of it."""
    if not isinstance(data, dict):
        return ""
    owner = next((data[key] for key in _OWNERS if data.get(key)), None)
    owner = owner or (data.get("name") if isinstance(data.get("jobs"), list) else None)
    name = owner.get("name") if isinstance(owner, dict) else owner
    return name if isinstance(name, str) else ""


def _positions(page: Page) -> list[_Found]:
    """Personio's list of positions. A document that declares entities is not read: they may unfold without end."""
    if b"<!DOCTYPE" in page.body or b"<!ENTITY" in page.body:
        raise ValueError("a document type is declared")
    root = ElementTree.fromstring(page.body)
    nodes = list(root.iter("position"))[:MAX_XML_POSITIONS]
    return [_Found(_position(node), f"position[{n}]") for n, node in enumerate(nodes)]


_PERSONIO = {
    "id": "id", "title": "name", "company_name": "subcompany", "location": "office", "department": "department",
    "published_at": "createdAt",
}  # fmt: skip


def _position(node: ElementTree.Element) -> Node:
    own: Node = {key: (node.findtext(tag) or "").strip() for key, tag in _PERSONIO.items()}
    texts = [each.findtext("value") or "" for each in node.iter("jobDescription")]
    offices = [own["location"], *(each.text or "" for each in node.iter("additionalOffices"))]
    terms = filter(None, (node.findtext("schedule"), node.findtext("employmentType")))
    return {**own, "location": [each for each in offices if each.strip()], "employmentType": " ".join(terms), "description": "\n".join(texts)}  # fmt: skip


def _own(found: list[_Found], url: str) -> _Found | None:
    if len(found) == 1:
        return found[0]
    described = [each for each in found if is_described(each.node)]
    if len(described) == 1:  # the others are those that are like it
        return described[0]
    asked = set(_asked_ids(url))
    here = [each for each in found if asked & {str(each.node.get(key)) for key in _IDS if each.node.get(key)}]
    here = here or [each for each in found if any(_is_at(address, url) for address in addresses_of(each.node))]
    return here[0] if len(here) == 1 else None


def _is_at(address: str, url: str) -> bool:
    """Whether the page's address is that of the posting, or ends with its path."""
    mine, own = urlsplit(address), urlsplit(url)
    path = mine.path.rstrip("/")
    if not mine.netloc:
        return path.count("/") > 1 and own.path.rstrip("/").endswith(path)
    return (mine.netloc, path) == (own.netloc, own.path.rstrip("/")) and mine.query in ("", own.query)


def _asked_ids(url: str) -> Iterator[str]:
    """What an address may name an entry with: a part of its path, a value of its query, its fragment."""
    parts = urlsplit(url)
    yield from (part for part in parts.path.split("/") if len(part) > 2)
    yield from (value for _, value in parse_qsl(parts.query))
    if parts.fragment:
        yield parts.fragment


def _extracted(own: _Found, kind: str) -> Extraction:
    into = Collected()
    add_posting(into, own.node, own.path)
    if not into.has("company_name"):
        into.add("company_name", own.company, Strategy.HYDRATION, "json")
    values: dict[str, list[Value]] = {field: found for field, found in into.values.items() if found}
    note = f"data: {title_in(own.node)[:60]}"
    return Extracted([Draft(kind, values)], Strategy.HYDRATION, [Attempt(Strategy.HYDRATION, 1, note)])
