"""What Slack shows for a topic: one line to read on a phone, and the facts below it. Pure.

Titles and URLs come from pages: what Slack would obey (`<!channel>`, links, mentions) is written out as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from winnow.normalise.money.display import format_money

SIGNS = {"P1": ":rotating_light:", "P2": ":warning:", "P3": ":information_source:"}
MAX_FIELDS = 10  # Slack's own limit for one section
DAY_COMPLETED = "events.day_completed"
MAX_TEXT = 2_900  # of 3 000 characters Slack takes in a text


def message(topic: str, event: Mapping[str, Any]) -> dict[str, Any]:
    """The body of an incoming-webhook request."""
    data: Mapping[str, Any] = event.get("data") or {}
    title, fields = _RENDERERS.get(topic, _other)(topic, data)
    blocks: list[dict[str, Any]] = [{"type": "section", "text": _markdown(f"*{title}*")}]
    if fields:
        section = [_markdown(f"*{name}*\n{value}") for name, value in list(fields.items())[:MAX_FIELDS]]
        blocks.append({"type": "section", "fields": section})
    if topic == DAY_COMPLETED and (tripped := _tripped(data)):
        blocks.append({"type": "section", "text": _markdown(tripped)})
    return {"text": title[:MAX_TEXT], "blocks": blocks}


def escaped(value: object) -> str:
    """Slack's three control characters, and the marks that would format."""
    text = str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return " ".join(text.replace("*", "∗").replace("`", "'").split())[:300]


def money(value: Mapping[str, Any] | None) -> str:
    if not value:
        return "unknown"
    minor, currency = int(value["minor"]), str(value["currency"])
    return format_money(minor, currency)


def _markdown(text: str) -> dict[str, str]:
    return {"type": "mrkdwn", "text": text[:MAX_TEXT]}


def _alert(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    severity = str(data.get("severity", ""))
    sign = SIGNS.get(severity, "")
    times = int(data.get("occurrences", 1))
    again = f" ({times} times since {escaped(data.get('opened_at', ''))})" if times > 1 else ""
    details = data.get("details") or {}
    return f"{sign} {severity} {escaped(data.get('title', ''))}{again}", {k: escaped(v) for k, v in details.items()}


def _resolved(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    return f":white_check_mark: over: {escaped(data.get('title', ''))}", {"by": escaped(data.get("resolved_by", ""))}


def _run(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """E-082: one summary per run, marked when something went wrong."""
    wrong = int(data.get("urls_failed") or 0) + int(data.get("offers_quarantined") or 0)
    sign = ":warning:" if wrong or data.get("status") != "SUCCESS" else ":white_check_mark:"
    title = f"{sign} Run {data.get('run_id')} of {escaped(data.get('source', '?'))}: {escaped(data.get('status', ''))}"
    names = {
        "urls_attempted": "visited",
        "urls_failed": "failed",
        "urls_unchanged": "unchanged",
        "offers_valid": "accepted",
        "offers_quarantined": "held",
        "offers_dropped": "rejected",
        "oos_no_price_count": "out of stock, no price",
        "open_circuits": "circuits open",
        "error_message": "why",
    }
    return title, {label: escaped(data[name]) for name, label in names.items() if data.get(name)}


def _day(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """E-082: the day of all event sources in one message, marked when there were errors."""
    sign = ":warning:" if int(data.get("errors") or 0) else ":white_check_mark:"
    names = {
        "sources_processed": "Sources",
        "events_inserted": "Inserted",
        "events_updated": "Updated",
        "errors": "Errors",
    }
    more = {"sources_left_out": "Left out", "events_held": "Held", "dlq_items_added": "Dead letters"}
    fields = {label: escaped(data.get(name, 0)) for name, label in names.items()}
    fields |= {label: escaped(data[name]) for name, label in more.items() if data.get(name)}
    return f"{sign} Daily scrape complete: {escaped(data.get('day', ''))}", fields


def _tripped(data: Mapping[str, Any]) -> str | None:
    names = data.get("circuit_breakers_tripped") or []
    return f"*Circuit breakers tripped*\n{', '.join(map(escaped, names))}" if names else None


def _feed(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """One summary per run of a catalogue, marked when it failed or waits for a person (F-113)."""
    result = data.get("result", "")
    sign = ":white_check_mark:" if result in ("SUCCEEDED", "UNCHANGED") else ":warning:"
    status = "waits for approval" if result == "AWAITING_APPROVAL" else escaped(result)
    title = f"{sign} Feed {escaped(data.get('source', '?'))}, run {data.get('run_id')}: {status}"
    names = {
        "skipped_reason": "skipped",
        "rows_read": "rows",
        "products_upserted": "offers",
        "products_rejected": "rejected",
        "prices_written": "prices",
        "products_expired": "expired",
        "would_expire_count": "would expire",
        "error_count": "errors",
        "error_message": "why",
    }
    return title, {label: escaped(data[name]) for name, label in names.items() if data.get(name)}


def _price(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    title = f"{escaped(data.get('title', ''))}: {money(data.get('before'))} → {money(data.get('after'))}"
    return title, {"stock": escaped(data.get("availability", "")), "page": escaped(data.get("url", ""))}


def _watch(_: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    sentences = {
        "price_below": "is below your threshold",
        "price_drop": "has dropped",
        "back_in_stock": "is back in stock",
    }
    what = sentences.get(str(data.get("condition")), "has changed")
    title = f":bell: {escaped(data.get('title', ''))} {what}: {money(data.get('price'))}"
    return title, {"stock": escaped(data.get("availability", "")), "page": escaped(data.get("url", ""))}


def _other(topic: str, data: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    return escaped(topic), {escaped(k): escaped(v) for k, v in data.items() if not isinstance(v, dict | list)}


_RENDERERS: dict[str, Callable[[str, Mapping[str, Any]], tuple[str, dict[str, str]]]] = {
    "alert.opened": _alert,
    "alert.repeated": _alert,
    "alert.resolved": _resolved,
    "run.completed": _run,
    "feed.completed": _feed,
    DAY_COMPLETED: _day,
    "price.changed": _price,
    "offer.back_in_stock": _price,
    "watch.fired": _watch,
}
