"""What a feed's test and its run say, in the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from winnow.cli import show

FACTS = ("success", "error", "hint", "format_detected", "encoding_detected", "columns_detected", "rows_detected",
         "host_key_fingerprint")  # fmt: skip
ROWS = {"ITEM": "item_id", "SKU": "sku", "TITLE": "title", "PRICE": "price", "IN STOCK": "in_stock", "GTIN": "gtin",
        "URL": "url"}  # fmt: skip
PROBLEMS = {"ROW": "row_number", "CODE": "code", "MESSAGE": "message"}
RUN = {"RUN": "id", "TRIGGER": "trigger", "STATUS": "status", "STARTED": "started_at", "ROWS": "rows_read",
       "OFFERS": "products_upserted", "PRICES": "prices_written", "ERRORS": "error_count", "BLOCKED":
       "expiry_blocked_reason", "SKIPPED": "skipped_reason"}  # fmt: skip


def tested(result: Mapping[str, Any]) -> None:
    show.fields({name: result.get(name) for name in FACTS})
    if result.get("rows"):
        show.table(ROWS, [_priced(row) for row in result["rows"]], "")
    for title, name in (("Rows that would not be used:", "errors"), ("Warnings:", "warnings")):
        if result.get(name):
            show.say(title)
            show.table(PROBLEMS, result[name], "")


def ran(run: Mapping[str, Any]) -> None:
    """The run, and in a line of its own what to do about it."""
    if run.get("id") is not None:
        show.table(RUN, [run], "")
    if run.get("error_message"):
        show.say(str(run["error_message"]))
    if run.get("expiry_blocked_reason"):
        show.say(f"Nothing was activated. If the file is right: winnow feed approve {run['id']}")
    if run.get("products_rejected"):
        show.say(f"What was wrong with which rows: winnow feed errors {run['id']}")


def _priced(row: Mapping[str, Any]) -> dict[str, Any]:
    from winnow.api.models.offers import decimal_text
    from winnow.normalise.currencies import exponent

    return {**row, "price": f"{decimal_text(row['price_minor'], exponent(row['currency']))} {row['currency']}"}
