"""Events as a reader hands them over, for tests of what is made of them."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Strategy, Value
from winnow.judge.verdict import Verdict
from winnow.kinds.event import EVENT
from winnow.normalise.fields import Normalised
from winnow.normalise.results.event import EventResult, normalise_event

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
AGENDA = Context(
    source_id="1", retailer_id="2", run_id="3", target_id="4", url="https://venue.example/agenda", now=NOW, listing=True
)
DUTCH = msgspec.structs.replace(AGENDA, timezone="Europe/Amsterdam", locale="nl-NL")


def draft(strategy: Strategy = Strategy.JSON_LD, **fields: str | list[str]) -> Draft:
    stated = {name: [raw] if isinstance(raw, str) else raw for name, raw in fields.items()}
    return Draft("event", {name: [Value(raw, strategy, "here") for raw in texts] for name, texts in stated.items()})


def normalised(ctx: Context = DUTCH, strategy: Strategy = Strategy.JSON_LD, **fields: str | list[str]) -> Normalised:
    return normalise_event(draft(strategy, **{"title": "Jazz Night", **fields}), ctx)


def record(ctx: Context = DUTCH, strategy: Strategy = Strategy.JSON_LD, **fields: str | list[str]) -> EventResult:
    found = normalised(ctx, strategy, **fields).result
    assert isinstance(found, EventResult)
    return found


def verdict(ctx: Context = DUTCH, strategy: Strategy = Strategy.JSON_LD, **fields: str | list[str]) -> Verdict:
    made = draft(strategy, **{"title": "Jazz Night", **fields})
    return EVENT.judge(normalise_event(made, ctx), made, ctx)


def key(ctx: Context = DUTCH, **fields: str | list[str]) -> str:
    return EVENT.key(normalised(ctx, **fields), ctx)
