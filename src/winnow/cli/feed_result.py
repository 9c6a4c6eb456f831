"""Prints the results of a feed's test and of its runs in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from winnow.cli import show
from winnow.feeds.run_result import result_of

if TYPE_CHECKING:
    from winnow.feeds.feed import Feed

FACTS = ("success", "error", "hint", "format_detected", "encoding_detected", "columns_detected", "rows_detected",
         "host_key_fingerprint")  # fmt: skip
ROWS = {"ITEM": "item_id", "SKU": "sku", "TITLE": "title", "PRICE": "price", "IN STOCK": "in_stock", "GTIN": "gtin",
        "URL": "url"}  # fmt: skip
PROBLEMS = {"ROW": "row_number", "CODE": "code", "MESSAGE": "message"}
RUN = {"RUN": "id", "TRIGGER": "trigger", "RESULT": "result", "STARTED": "started_at", "ROWS": "rows_read",
       "OFFERS": "products_upserted", "PRICES": "prices_written", "ERRORS": "error_count", "BLOCKED":
       "expiry_blocked_reason", "SKIPPED": "skipped_reason"}  # fmt: skip


def print_test(result: Mapping[str, Any]) -> None:
    show.fields({name: result.get(name) for name in FACTS})
    if result.get("rows"):
        show.table(ROWS, [_priced(row) for row in result["rows"]], "")
    for title, name in (("Rows that would not be used:", "errors"), ("Warnings:", "warnings")):
        if result.get(name):
            show.message(title)
            show.table(PROBLEMS, result[name], "")


def print_run(run: Mapping[str, Any], feed: Feed) -> None:
    """Print the run, then what to do about it, one step a line. `feed`: its state after the run."""
    if run.get("id") is not None:
        show.table(RUN, [{**run, "result": result_of(run)}], "")
    if run.get("error_message"):
        show.message(str(run["error_message"]))
    for line in _next_steps(run, feed):
        show.message(line)


def _next_steps(run: Mapping[str, Any], feed: Feed) -> Iterator[str]:
    if run.get("id") is None and run["status"] == "done":
        yield f"A run is under way, and this one follows it: winnow feed show {feed.id}"
    if run.get("skipped_reason"):
        yield "The file is the one of the last run: there was nothing to do."
    if run.get("expiry_blocked_reason"):
        yield f"Nothing was activated. If the file is right: winnow feed approve {run['id']}"
    if run.get("expiry_step_failed"):
        yield "It was loaded and not activated; the next run tries again. The alert says what went wrong."
    if run.get("products_rejected"):
        yield f"Rejected rows with their reasons: winnow feed errors {run['id']}"
    if run["status"] == "SUCCEEDED" and not feed.is_display_primary:
        yield f"Its offers are hidden from consumers: winnow feed change {feed.id} --primary"
    if feed.status == "DISABLED":
        yield f"The feed is disabled now. When the cause is gone: winnow feed enable {feed.id} --acknowledge"


def activated(run: Mapping[str, Any]) -> str | None:
    """Whether its offers are shown, and whose decision that was (F-016)."""
    if run["invalidated_at"] is not None:
        return f"taken back by {run['invalidated_by']}"
    if run["expiry_approved_by"] is not None:
        return f"approved by {run['expiry_approved_by']}"
    if run["promoted_at"] is not None:
        return "yes"
    return "no" if run["expiry_blocked"] or run["expiry_step_failed"] else None


def _priced(row: Mapping[str, Any]) -> dict[str, Any]:
    from winnow.normalise.money.display import format_money

    return {**row, "price": format_money(row["price_minor"], row["currency"])}
