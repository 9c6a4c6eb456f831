"""What of its page a target reads: a variant, or the price at a selector. Validated, stored and audited."""

from __future__ import annotations

import msgspec

from winnow.db.engine import Connection
from winnow.extract.target_choice import Choice, validate
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


def stored_choice(row: dict[str, object]) -> Choice:
    """The choice of a row of `scrape_targets`; an empty one where there is none."""
    return msgspec.convert(row["choice"] or {}, Choice)
