"""Merges a new reading into a known event: absence is no change, a person's corrections stay. Pure."""

from __future__ import annotations

from typing import Any

from winnow.store.events.place import is_as_precise
from winnow.store.events.row import STATUS_PAGE, TBD, VISIBLE, Row

_HOUR = ("event_time", "starts_at", "ends_at", "end_date", "time_zone")
_PLACE = ("venue_id", "venue_name", "venue_key", "town_key", "structured_location")
_POINT = ("latitude", "longitude", "precision", "location_flagged", "cell", "area")
_KEPT_IF_ABSENT = (
    "description", "doors", "recurrence", "sold_out", "online", "organiser", "performers", "price_low_minor",
    "price_high_minor", "currency", "image_url", "url", "ticket_url", "uid", "language", "end_date",
)  # fmt: skip


def revised(old: Row, new: Row, page_hash: str) -> Row:
    """Return the row as it is to be now. A listing says less of an event than its own page: what one of them leaves
    out is kept, whichever was read last."""
    row = dict(new)
    for name in _KEPT_IF_ABSENT:
        if row[name] in (None, "", []):
            row[name] = old[name]
    _keep_hour(row, old)
    _keep_status(row, old, page_hash)
    _keep_place(row, old)
    if row["category"] == "community":
        row["category"] = old["category"]
    if row["price_low_minor"] == old["price_low_minor"] and row["currency"] is None:
        row["currency"] = old["currency"]
    return corrected(row, old.get("corrections") or {})


def completed(old: Row, new: Row) -> Row:
    """A repeat within the source adds what was not known, and changes nothing that was."""
    row = revised(new, old, "")
    return corrected(row | {"event_status": old["event_status"], "provenance": old["provenance"]}, old["corrections"])


def corrected(row: Row, corrections: Row) -> Row:
    return row | {name: value for name, value in corrections.items() if name in row}


def changes(old: Row, new: Row) -> dict[str, list[Any]]:
    return {name: [old[name], new[name]] for name in VISIBLE if old[name] != new[name]}


def _keep_hour(row: Row, old: Row) -> None:
    if row["event_time"] == TBD and old["event_time"] != TBD and row["event_date"] == old["event_date"]:
        row.update({name: old[name] for name in _HOUR})


def _keep_status(row: Row, old: Row, page_hash: str) -> None:
    """Only the page that said "cancelled" takes it back by not saying so any more."""
    stated = row["provenance"].get(STATUS_PAGE)
    before = old["provenance"].get(STATUS_PAGE)
    if stated is None and before is not None and before != page_hash:
        row["event_status"] = old["event_status"]
        row["provenance"] = row["provenance"] | {STATUS_PAGE: before}


def _keep_place(row: Row, old: Row) -> None:
    """Another venue brings its own coordinates; the same one keeps the better ones."""
    vague = not row["venue_key"] or row["location_flagged"]
    if vague and old["venue_key"] and not old["location_flagged"] and row["venue_key"] in ("", old["venue_key"]):
        row.update({name: old[name] for name in (*_PLACE, *_POINT)})
        return
    if row["venue_key"] == old["venue_key"]:
        located = old["precision"] is not None and not old["location_flagged"]
        same = row["town_key"] == old["town_key"]
        if located and ((row["location_flagged"] and same) or not is_as_precise(old["precision"], row["precision"])):
            row.update({name: old[name] for name in _POINT})
        if not row["structured_location"]:
            row["structured_location"] = old["structured_location"]
            row["town_key"] = old["town_key"]
