"""Dead letters: work that failed for good. Look at it, try it again, or let it go; one or many (E-087 … E-091)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from winnow.actions import dead_letters as dead_letter_actions
from winnow.console.act import ActionContext, act
from winnow.console.layout import heading
from winnow.console.registry import page
from winnow.console.view import View
from winnow.console.widgets import formatting
from winnow.console.widgets.cells import action, cell, state, when
from winnow.console.widgets.filters import FilterBar
from winnow.console.widgets.form import text_field
from winnow.console.widgets.grid import Column, Grid
from winnow.console.widgets.html import link, mono, quiet
from winnow.console.widgets.parts import Empty, badge, button, card, columns, confirmed, facts, reload_page, row
from winnow.errors import InvalidInput, NotFound
from winnow.observe.users import UserRole
from winnow.queries import dead_letters as queries
from winnow.queries.reading import Row

COLUMNS = [Column("what", "What failed"), Column("why", "Why"), Column("stage", "Stage"),
           Column("tries", "Retries", "right"), Column("next", "Next try"), Column("status", "State"),
           Column("since", "Since")]  # fmt: skip
STATES = {"pending": "Waiting", "retrying": "Being retried", "resolved": "Retried successfully",
          "discarded": "Discarded", "": "All"}  # fmt: skip
STAGES = {"": "All", "fetch": "Fetch", "extract": "Extract", "normalise": "Normalise", "persist": "Persist"}
MAX_AT_ONCE = 1_000  # of "all that match": the rest is a second press
EMPTY = Empty("No dead letters", "Tasks that failed permanently are kept here with everything needed to retry them. "
              "Each is retried automatically after 1, 2 and 4 hours, then it waits for a decision.")  # fmt: skip
DISCARD = (
    "It will not be retried, neither automatically nor from here. The letter stays listed as discarded, with your note."
)


@page("/dead-letters", "Dead letters", group="Work", icon="mark_email_unread", order=30, key="l")
async def build(view: View) -> None:
    heading("Dead letters", "Tasks that failed permanently and can be retried.")
    async with view.reading() as conn:
        reasons = await queries.reasons(conn)
    types = {"": "All"} | {r["error_type"]: formatting.humanize(r["error_type"]) for r in reasons}
    if (wanted := view.query("error_type")) is not None:
        types.setdefault(wanted, formatting.humanize(wanted))
    with FilterBar(view) as filters:
        status = filters.choice("State", STATES, "status", "pending")
        stage = filters.choice("Stage", STAGES, "stage")
        why = filters.choice("Why", types, "error_type")
        source = await filters.source()

    async def match() -> dict[str, Any]:
        return {"stage": stage.wanted, "error_type": why.wanted, "source_id": await source.id()}

    async def load(after: str | None, limit: int) -> tuple[list[dict[str, Any]], Any]:
        async with view.reading() as conn:
            found, following = await queries.listed(
                conn, status=status.wanted, **await match(), after=int(after) if after else None, limit=limit
            )
        return [_row(letter, view) for letter in found], following

    async def matching() -> list[int]:
        async with view.reading() as conn:
            ids, _ = await queries.pending(conn, **await match(), limit=MAX_AT_ONCE)
        return ids

    async def chosen() -> list[int]:
        return list(grid.chosen)

    acts = {"retry": _retry(view, None, lambda: grid.refresh())}
    acts["discard"] = confirmed(
        "Discard this dead letter?", DISCARD, "Discard", _discard(view, None, lambda: note(), lambda: grid.refresh())
    )
    grid = filters.above(Grid(view, COLUMNS, load, empty=EMPTY, caption="Dead letters", selectable=True, actions=acts))
    await grid.refresh()
    with columns():
        note = _bulk(view, chosen, matching, grid.refresh)
        if reasons:
            with card("Reasons", "The most frequent reasons among the waiting letters."):
                facts({
                    f"{formatting.humanize(r['error_type'])} in {r['stage']}": formatting.number(r["letters"])
                    for r in reasons[:10]
                })  # fmt: skip


def _bulk(view: View, chosen: Any, matching: Any, then: Callable[[], Any]) -> Callable[[], str]:
    with card("Bulk actions", "Selected rows of this page, or all waiting ones that match the filters."):
        field = text_field("Note for discarded letters", placeholder="Why it is no longer needed")

        def note() -> str:
            return str(field.value).strip() or "discarded in the console"

        with row():
            button("Retry selected", _retry(view, chosen, then), view=view, needs=UserRole.OPERATOR, kind="primary")
            button("Discard selected", confirmed("Discard the selected dead letters?", DISCARD.replace("It", "They", 1),
                                             "Discard", _discard(view, chosen, note, then)),
                   view=view, needs=UserRole.OPERATOR)  # fmt: skip
            button("Retry all that match", confirmed(
                "Retry all that match?", f"Up to {MAX_AT_ONCE} waiting letters go back to the queue now and are "
                    f"visited "
                "when their domains have a turn.", "Retry all", _retry(view, matching, then),
            ), view=view, needs=UserRole.OPERATOR)  # fmt: skip
            button("Discard all that match", confirmed(
                "Discard all that match?", f"Up to {MAX_AT_ONCE} waiting letters will not be tried again. They stay "
                "listed as discarded, with your note.", "Discard all", _discard(view, matching, note, then),
            ), view=view, needs=UserRole.OPERATOR, kind="danger")  # fmt: skip
    return note


@page("/dead-letters/{letter_id:int}", "Dead letter", parent="/dead-letters")
async def build_one(view: View, letter_id: int) -> None:
    async with view.reading() as conn:
        found = await queries.one(conn, letter_id)
    if found is None:
        raise NotFound(f"there is no dead letter {letter_id}")

    async def this() -> list[int]:
        return [letter_id]

    again = reload_page(view)
    with heading(f"Dead letter {letter_id}", found["url"] or "") as buttons:
        pass
    with columns():
        with card("What failed"):
            facts({
                "State": lambda: badge(found["status"], STATES[found["status"]]), "Stage": found["stage"],
                "Why": formatting.humanize(found["error_type"]), "Message": found["error_message"],
                "Retries": f"{found['retry_count']} of {found['max_retries']}", "Next try": found["next_retry_at"],
                "Since": found["created_at"], "Ended": found["resolved_at"], "Note": found["resolution_notes"],
            })  # fmt: skip
            with row():
                if found["source_id"] is not None:
                    link("Its source", f"/sources/{found['source_id']}", cls="w-button")
                if found["run_id"] is not None:
                    link("Its run", f"/runs/{found['run_id']}", cls="w-button")
        with card("Task data", "The task as it was queued."):
            mono(json.dumps(found["payload"], indent=2, ensure_ascii=False, default=str))
    with card("Stack trace"):
        if found["error_stack"]:
            mono(found["error_stack"])
        else:
            quiet("No stack trace: the failure was a response of the site, not an internal error.")
    if found["status"] == "pending":
        with card("Decide"):
            field = text_field("Note", placeholder="Why it is no longer needed")
            note = lambda: str(field.value).strip() or "discarded in the console"  # noqa: E731
            with row():
                quiet("Discarding cannot be undone.")
        with buttons:
            button("Retry now", _retry(view, this, again), view=view, needs=UserRole.OPERATOR, kind="primary")
            discard = confirmed("Discard this dead letter?", DISCARD, "Discard", _discard(view, this, note, again))
            button("Discard", discard, view=view, needs=UserRole.OPERATOR, kind="danger")


async def _ids(context: ActionContext, chosen: Any) -> list[int]:
    ids = await chosen() if chosen is not None else [int(context.arguments)]
    if not ids:
        raise InvalidInput("nothing to do: select rows or change the filters")
    return list(ids)


def _retry(view: View, chosen: Any, then: Callable[[], Any]) -> Any:
    async def work(context: ActionContext) -> str:
        ids = await _ids(context, chosen)
        async with context.parts.database.transaction() as conn:
            done = await dead_letter_actions.retry(conn, context.actor, ids)
        if done == len(ids):
            return f"{_letters(done)} went back to the queue."
        return (
            f"{done} of {_letters(len(ids))} went back to the queue. The others were not retried: their source is "
            "paused, their target is gone or queued already, or they are no longer waiting."
        )

    return act(view, UserRole.OPERATOR, "dead_letter.retry", work, then=then)


def _discard(view: View, chosen: Any, note: Callable[[], str], then: Callable[[], Any]) -> Any:
    async def work(context: ActionContext) -> str:
        ids = await _ids(context, chosen)
        async with context.parts.database.transaction() as conn:
            done = await dead_letter_actions.discard(conn, context.actor, ids, note())
        return f"{_letters(done)} discarded."

    return act(view, UserRole.OPERATOR, "dead_letter.discard", work, then=then)


def _letters(n: int) -> str:
    return "1 dead letter" if n == 1 else f"{n} dead letters"


def _row(letter: Row, view: View) -> dict[str, Any]:
    waits = letter["status"] == "pending" and view.may(UserRole.OPERATOR)
    return {
        "id": letter["id"], "label": f"dead letter {letter['id']}",
        "actions": [action("retry", "Retry"), action("discard", "Discard", danger=True)] if waits else [],
        "what": cell(letter["url"] or f"task {letter['task_id']}", path=f"/dead-letters/{letter['id']}"),
        "why": cell(formatting.humanize(letter["error_type"]), _short(letter["error_message"])),
        "stage": formatting.humanize(letter["stage"]), "tries": f"{letter['retry_count']} of {letter['max_retries']}",
        "next": when(letter["next_retry_at"]) if letter["status"] == "pending" else cell(None),
        "status": state(letter["status"], STATES[letter["status"]]), "since": when(letter["created_at"]),
    }  # fmt: skip


def _short(text: str | None) -> str | None:
    return None if not text else text if len(text) <= 120 else text[:119] + "…"
