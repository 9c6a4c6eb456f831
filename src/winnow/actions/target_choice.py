"""What of its page a target reads: a variant, or the price at a selector. Validated, stored and audited."""

from __future__ import annotations

import msgspec

from winnow.db.engine import Connection
from winnow.extract.price_places import places_in
from winnow.extract.target_choice import Choice, validate
from winnow.normalise.money.read import parse_money
from winnow.normalise.record import Money
from winnow.observe import audit
from winnow.sources import targets


async def choose(conn: Connection, actor: str, target_id: int, choice: Choice) -> None:
    """An empty choice leaves the page to its adapter again."""
    checked = validate(choice)
    stored = msgspec.to_builtins(checked) if checked else None
    before = await targets.set_choice(conn, target_id, stored)
    if before != stored:
        await audit.record(
            conn, actor, "target.choice_changed", "target", target_id, {"choice": before}, {"choice": stored}
        )


def propose_selector(html: str, price: Money) -> str | None:
    """Where a corrected price stands on the page it was corrected for; None unless it stands in exactly one place."""
    found = {place.selector for place in places_in(html) if parse_money(place.text, price.currency) == price}
    return found.pop() if len(found) == 1 else None


def stored_choice(row: dict[str, object]) -> Choice:
    """The choice of a row of `scrape_targets`; an empty one where there is none."""
    return msgspec.convert(row["choice"] or {}, Choice)
