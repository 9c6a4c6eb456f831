"""How the pages of one source are read where they leave something open: its currency, and stock they do not state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from winnow.actions import sources as source_actions
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets.form import switch_field, text_field
from winnow.console.widgets.parts import button, card
from winnow.observe.users import UserRole

Handler = Callable[..., Any]


def draw_reading(view: View, source: dict[str, Any], after: Callable[[Handler], Handler]) -> None:
    config = source["scrape_config"] or {}
    with card("Reading", "What its pages mean where they do not say it. What is assumed is marked in every record."):
        currency = text_field(
            "Currency",
            config.get("currency") or "",
            placeholder="USD",
            help_text="ISO code of what it sells in: what $ or kr means. A price in another currency is held.",
        )
        assumed = switch_field(
            "Take pages that say nothing about stock as in stock",
            config.get("assumeInStock") is True,
            help_text="When off, a page without a stock signal is rejected. A page that says sold out always counts as "
            "sold out.",
        )

        async def save(context: ActionContext) -> str:
            changes = {
                "currency": (currency.value or "").strip().upper() or None,
                "assumeInStock": bool(assumed.value) or None,
            }
            async with context.parts.database.transaction() as conn:
                await source_actions.configure(conn, context.actor, context.parts.intake, source["id"], changes)
            return "Saved: the next visits read it so."

        button(
            "Save",
            after(act(view, UserRole.OPERATOR, "change how a source is read", save, about=source["id"])),
            view=view,
            needs=UserRole.OPERATOR,
            kind="primary",
        )
