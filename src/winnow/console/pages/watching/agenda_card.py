"""How the agenda of a source of events is read (E-097)."""

from __future__ import annotations

from typing import Any

from winnow.actions import sources as source_actions
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets.form import select_field, switch_field, text_field
from winnow.console.widgets.parts import button, card, facts
from winnow.console.widgets.refreshable import Refreshable
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole

TIERS = {
    "light": "light: 5 further pages, 10 details",
    "standard": "standard: 20 further pages, 50 details",
    "deep": "deep: 60 further pages, 300 details",
}


def agenda_card(view: View, part: Refreshable[dict[str, Any]], source: dict[str, Any]) -> None:
    with card("Agenda", "How far a visit of its agenda goes, and how its events are read."):
        facts({"Read best by": source["preferred_method"], "Its system": source["detected_cms"]})
        tier = select_field("Depth of a run", TIERS, source["tier"], help_text="What one run may visit at most.")
        deep = switch_field(
            "Visit the page of every event",
            bool(source["deep_scrape_enabled"]),
            help_text="When off, only pages of events whose listing lacks the day are visited.",
        )
        guess = switch_field(
            "Look for feeds that its pages do not name",
            source["tier_config"].get("feedGuessing") is True,
            help_text="Where calendars of its system usually are.",
        )
        zone = text_field("Time zone", source["timezone"] or "", placeholder="Europe/Amsterdam")
        locale = text_field("Language and country", source["locale"] or "", placeholder="nl-NL")
        latitude = text_field("Latitude of its town", _number(source["default_latitude"]), kind="number", step="any")
        longitude = text_field("Longitude of its town", _number(source["default_longitude"]), kind="number", step="any")

        async def save(context: ActionContext) -> str:
            changes = {
                "tier": tier.value,
                "deep_scrape_enabled": bool(deep.value),
                "timezone": zone.value or None,
                "locale": locale.value or None,
                "default_latitude": _degrees(latitude.value),
                "default_longitude": _degrees(longitude.value),
            }
            intake, guessing = context.parts.intake, {"feedGuessing": True if guess.value else None}
            async with context.parts.database.transaction() as conn:
                await source_actions.update(conn, context.actor, intake, source["id"], changes)
                await source_actions.configure_tiers(conn, context.actor, intake, source["id"], guessing)
            return "Saved."

        change = act(view, UserRole.OPERATOR, "change an agenda", save, about=source["id"])
        button("Save agenda", part.after(change), view=view, needs=UserRole.OPERATOR, kind="primary")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _degrees(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        raise InvalidInput(f"{text!r} is not a number of degrees", field="default_latitude") from None
