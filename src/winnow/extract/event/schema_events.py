"""Events of a page's structured data: JSON-LD, microdata, RDFa and OpenGraph (E-048)."""

from __future__ import annotations

import re
from typing import Any

from winnow.extract.candidates import Collected
from winnow.extract.draft import Strategy
from winnow.extract.event.clock_time import correct_clock
from winnow.extract.parsed_page import ParsedPage, text_in
from winnow.extract.structured.schema_graph import as_list
from winnow.extract.structured.schema_items import Item
from winnow.extract.structured.schema_price import text_of

_MORE = frozenset(["festival", "hackathon", "eventseries", "courseinstance"])
_NO_EVENTS = frozenset(["publicationevent", "deliveryevent", "broadcastevent", "ondemandevent", "joinaction"])
_LABEL = re.compile(r"^[^:\d]{2,30}:\s*")


def is_event(types: list[str]) -> bool:
    return any((name.endswith("event") or name in _MORE) and name not in _NO_EVENTS for name in types)


def read_schema(parsed: ParsedPage) -> list[Collected]:
    items = [item for item in parsed.schema.items if is_event(item.types) and item.key != "superEvent"]
    return [_read(item, parsed) for item in items if not _is_parent(item)]


def _is_parent(item: Item) -> bool:
    """A series whose evenings stand inside it is not an evening itself."""
    return any(isinstance(sub, dict) and sub.get("startDate") for sub in as_list(item.node.get("subEvent")))


def _read(item: Item, parsed: ParsedPage) -> Collected:
    into, node, schema = Collected(), item.node, parsed.schema
    into.add_key("title", item, "name")
    _visible_start(into, item, parsed)
    into.add_key("start", item, "startDate")
    into.add_key("end", item, "endDate")
    into.add_key("description", item, "description")
    into.add_key("url", item, "url")
    into.add_key("status", item, "eventStatus")
    into.add_key("attendance", item, "eventAttendanceMode")
    into.add("organiser", schema.name(node.get("organizer")), item.strategy, f"{item.path}.organizer")
    for key in ("performer", "performers"):
        for performer in as_list(node.get(key)):
            into.add("performers", _named(schema.name(performer)), item.strategy, f"{item.path}.{key}")
    image = schema.node(node.get("image"))
    into.add(
        "image_url",
        text_of(image.get("url") or image.get("contentUrl")) or text_of(node.get("image")),
        item.strategy,
        f"{item.path}.image",
    )
    _place(into, item, parsed)
    _offers(into, item, parsed)
    return into


def _visible_start(into: Collected, item: Item, parsed: ParsedPage) -> None:
    """Microdata stands around what a reader sees: `<div itemprop="startDate" content="…14:30">9:30 AM – noon</div>`."""
    stated = text_of(item.node.get("startDate"))
    if item.strategy is not Strategy.MICRODATA or not stated:
        return
    nodes = [n for n in parsed.clean_tree.css('[itemprop="startDate"][content]') if n.attributes["content"] == stated]
    shown = _LABEL.sub("", text_in(nodes[0])) if len(nodes) == 1 else ""
    corrected = correct_clock(stated, shown)
    if corrected != stated:
        into.add("start", shown if "T" in corrected else "", item.strategy, f"{item.path}.startDate as shown")
        into.add("start", corrected, item.strategy, f"{item.path}.startDate as shown")


def _named(name: str) -> str:
    """Plugins write the type where the name belongs."""
    return "" if name.lower() in ("organization", "person", "performinggroup", "musicgroup") else name


def _place(into: Collected, item: Item, parsed: ParsedPage) -> None:
    for index, place in enumerate(as_list(item.node.get("location"))[:3]):
        path = f"{item.path}.location[{index}]"
        node = parsed.schema.graph.resolve(place)
        if not isinstance(node, dict):
            into.add("location", text_of(node), item.strategy, path)
            continue
        if "virtuallocation" in [str(t).lower() for t in as_list(node.get("@type"))]:
            into.add("attendance", "OnlineEventAttendanceMode", item.strategy, path)
            continue
        into.add("venue_name", text_of(node.get("name")), item.strategy, f"{path}.name")
        address = parsed.schema.node(node.get("address"))
        if address:
            into.add_node("location", address, item.strategy, f"{path}.address")
        into.add("location", text_of(node.get("address")), item.strategy, f"{path}.address")
        geo = parsed.schema.node(node.get("geo")) or node
        into.add("latitude", text_of(geo.get("latitude")), item.strategy, f"{path}.geo.latitude")
        into.add("longitude", text_of(geo.get("longitude")), item.strategy, f"{path}.geo.longitude")


def _offers(into: Collected, item: Item, parsed: ParsedPage) -> None:
    offers = [_offer(offer) for offer in parsed.schema.nodes(item.node.get("offers"))]
    if offers:
        into.add_node("price", [offer for offer in offers if offer], item.strategy, f"{item.path}.offers")
    free = text_of(item.node.get("isAccessibleForFree")) or str(item.node.get("isAccessibleForFree", ""))
    if free.lower() in ("true", "https://schema.org/true"):
        into.add_node(
            "price", [{"low": "0", "high": "0", "currency": ""}], item.strategy, f"{item.path}.isAccessibleForFree"
        )


def _offer(offer: dict[str, Any]) -> dict[str, str]:
    low = text_of(offer.get("lowPrice")) or text_of(offer.get("price"))
    high = text_of(offer.get("highPrice")) or text_of(offer.get("price")) or low
    return {"low": low, "high": high, "currency": text_of(offer.get("priceCurrency"))} if low else {}


def read_meta(parsed: ParsedPage) -> list[Collected]:
    """OpenGraph events: `event:start_time` of sites that speak to Facebook."""
    starts = parsed.metas("event:start_time", "event:start", "og:event:start_time", "event:start_date")
    if not starts:
        return []
    into = Collected()
    into.add_all("title", parsed.metas("og:title"))
    into.add_all("start", starts)
    into.add_all("end", parsed.metas("event:end_time", "event:end", "event:end_date"))
    into.add_all("description", parsed.metas("og:description"))
    into.add_all("image_url", parsed.metas("og:image"))
    into.add_all("url", parsed.metas("og:url"))
    into.add_all("location", parsed.metas("event:location", "og:locality"))
    into.add_all("latitude", parsed.metas("event:location:latitude", "place:location:latitude"))
    into.add_all("longitude", parsed.metas("event:location:longitude", "place:location:longitude"))
    return [into]
