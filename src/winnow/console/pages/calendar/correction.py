"""The form that corrects an event: what a person writes counts more than what its source says, for good."""

from __future__ import annotations

from typing import Any

from winnow.actions import events as event_actions
from winnow.console.act import ActionContext, act
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.form import FormField, area_field, select_field, text_field
from winnow.console.widgets.html import div
from winnow.console.widgets.parts import button, card, reload_page, row
from winnow.errors import InvalidInput
from winnow.observe.users import UserRole
from winnow.queries.reading import Row
from winnow.vocabulary.event_categories import categories
from winnow.vocabulary.event_status import STATUSES

CATEGORIES = {name: formatting.humanize(name) for name in sorted(categories())}
EVENT_STATUSES = {name: formatting.humanize(name) for name in STATUSES}
SOLD_OUT = {"": "not stated", "yes": "yes", "no": "no"}
TEXTS = {
    "title": "Title",
    "venue_name": "Venue",
    "organiser": "Organiser",
    "url": "Its page",
    "ticket_url": "Tickets",
    "image_url": "Picture",
}
NULLABLE = ("organiser", "url", "ticket_url", "image_url")
DEGREES = {"latitude": "Latitude", "longitude": "Longitude"}


def correction_card(view: View, event: Row) -> None:
    with card("Correct", "Replaces what the source says of these fields, for good.", wide=True):
        with div("w-form"):
            fields = {name: text_field(label, event[name] or "") for name, label in TEXTS.items()}
            fields["category"] = select_field("Category", CATEGORIES, event["category"])
            fields["event_status"] = select_field("Takes place", EVENT_STATUSES, event["event_status"])
            fields["sold_out"] = select_field("Sold out", SOLD_OUT, _answer(event["sold_out"]))
            for name, label in DEGREES.items():
                fields[name] = text_field(label, _degrees(event[name]), kind="number", step="any")
        fields["description"] = area_field("Description", event["description"])
        reason = text_field("Reason", placeholder="where you know it from, for the audit trail")

        async def correct(context: ActionContext) -> str:
            changed = changes(event, {name: field.value for name, field in fields.items()})
            if not changed:
                raise InvalidInput("nothing is different from what is stored")
            async with context.parts.database.transaction() as conn:
                done = await event_actions.correct(conn, context.actor, event["id"], changed, reason=reason.wanted)
            return f"Corrected: {', '.join(sorted(done))}."

        handler = act(view, UserRole.OPERATOR, "correct an event", correct, about=event["id"], then=reload_page(view))
        with row():
            button("Correct", _explained(fields, handler), view=view, needs=UserRole.OPERATOR, kind="primary")


def _explained(fields: dict[str, FormField], handler: Any) -> Any:
    """A number that cannot be read is said beside its field, before anything is done."""

    async def check(event: Any = None) -> bool:
        readable = True
        for name in DEGREES:
            wrong = _number(fields[name].value) is None and bool(fields[name].wanted)
            fields[name].set_error("This is not a number of degrees." if wrong else "")
            readable = readable and not wrong
        return readable and bool(await handler(event))

    return check


def changes(event: Row, given: dict[str, Any]) -> dict[str, Any]:
    """What differs from the event, as its columns have it. An empty coordinate takes none away."""
    values: dict[str, Any] = {name: str(given[name] or "").strip() for name in (*TEXTS, "description")}
    values |= {name: values[name] or None for name in NULLABLE}
    values |= {name: given[name] for name in ("category", "event_status")}
    values["sold_out"] = {"yes": True, "no": False}.get(given["sold_out"])
    changed = {name: value for name, value in values.items() if value != event[name]}
    degrees = {name: _number(given[name]) for name in DEGREES}
    if None not in degrees.values() and any(_degrees(degrees[name]) != _degrees(event[name]) for name in DEGREES):
        changed |= degrees
    return changed


def _answer(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _degrees(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")


def _number(text: Any) -> float | None:
    try:
        return float(text)
    except (TypeError, ValueError):
        return None
