"""Kinds whose record is a result with nullable fields (a Pydantic model): what the scraping service reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from pydantic import BaseModel

from winnow.errors import InvalidInput
from winnow.extract.adapter import Context
from winnow.extract.draft import Draft, Extraction
from winnow.extract.page import Page
from winnow.judge.verdict import Decision, Finding, Hold, Reject, Verdict
from winnow.kinds.kind import Content, FieldProblem, Kind, digest
from winnow.normalise.fields import Normalised
from winnow.normalise.urls import short_url_hash

Judge = Callable[[Normalised, Draft, Context], Verdict]


class Identity(msgspec.Struct, frozen=True):
    """Which fields identify an entry among those of one page: its own address, else its names. A page about one thing
    is identified by the page's address."""

    names: tuple[str, ...] = ()
    url: str | None = None


WHOLE_PAGE = Identity()


def model_kind(
    *,
    name: str,
    version: str,
    target_type: str,
    model: type[BaseModel],
    read: Callable[[Page, Context], Extraction],
    normalise: Callable[[Draft, Context], Normalised],
    judge: Judge,
    identity: Identity = WHOLE_PAGE,
    key: Callable[[Normalised, Context], str] | None = None,
    **more: Any,
) -> Kind:
    """A kind made of a model and three functions. `key` takes the place of `identity` where that is not enough."""
    fields = tuple(model.model_fields)
    return Kind(
        name=name,
        version=version,
        target_type=target_type,
        fields=fields,
        model=model,
        read=read,
        normalise=normalise,
        judge=judge,
        key=key or (lambda found, ctx: result_key(found, ctx, identity)),
        content=lambda found, ctx: result_content(found, ctx, fields),
        **more,
    )


def result_key(found: Normalised, ctx: Context, identity: Identity) -> str:
    """The address of an entry, or what it says of itself; of a page about one thing, the address of the page."""
    own = getattr(found.result, identity.url, None) if identity.url and ctx.listing else None
    if own is not None or not ctx.listing:
        return f"URL:{short_url_hash(str(own or ctx.url))}"
    named = [str(value) for name in identity.names if (value := getattr(found.result, name, None)) is not None]
    return f"KEY:{digest(chr(10).join(named).encode())}" if named else ""


def result_content(found: Normalised, ctx: Context, fields: Sequence[str]) -> Content:
    """The requested fields (S-030), null where the page says nothing; `problems` why a stated value is null. A
    requested field the type does not have is null like any other."""
    wanted = list(dict.fromkeys(ctx.fields)) if ctx.fields is not None else list(fields)
    data = found.result.model_dump(mode="json")
    payload = msgspec.json.encode({name: data.get(name) for name in wanted})
    return Content(
        payload=payload,
        digest=digest(payload),
        problems={
            name: FieldProblem(str(trouble.why), trouble.details)
            for name, trouble in found.problems.items()
            if name in wanted
        },
        provenance={name: place for name, place in found.provenance.items() if name in wanted},
    )


def check_fields(kind: Kind, requested: Sequence[str] | None) -> None:
    unknown = [name for name in requested or [] if name not in kind.fields]
    if unknown:
        wrong, known = ", ".join(map(repr, unknown)), ", ".join(kind.fields)
        word = "field" if len(unknown) == 1 else "fields"
        raise InvalidInput(f"{kind.target_type} has no {word} {wrong}; it has {known}", "requested_fields")


def partial(*addresses: str) -> Judge:
    """A result is what was found of the fields that were asked for (DESIGN §11.34). `addresses` name fields that only
    repeat where the page is: they make no result alone, unless nothing else was asked for."""

    def judge(found: Normalised, _draft: Draft, ctx: Context) -> Verdict:
        return judge_partial(found, ctx.fields, addresses)

    return judge


def judge_partial(found: Normalised, requested: Sequence[str] | None, addresses: Sequence[str] = ()) -> Verdict:
    """Rejected when the page states nothing that was asked for; held when all that it states cannot be read."""
    wanted = list(requested) if requested is not None else list(type(found.result).model_fields)
    decisive = [name for name in wanted if name not in addresses] or wanted
    if any(getattr(found.result, name, None) is not None for name in decisive):
        return Verdict(Decision.ACCEPT)
    unread = [f"{name}: {found.problems[name].why}" for name in decisive if name in found.problems]
    if unread:
        return Verdict(Decision.HOLD, [Finding("partial", Hold.NORMALIZATION_FAILED, ", ".join(unread))])
    return Verdict(Decision.REJECT, [Finding("partial", Reject.MISSING_REQUIRED_FIELD, ", ".join(decisive))])


NOT_STATED = "not_stated"  # the page does not say it


def null_reasons(data: Mapping[str, Any], problems: Mapping[str, FieldProblem]) -> dict[str, str]:
    """Why each null field of a result is null: what stood there and could not be read, or that nothing did."""
    return {name: _reason(problems.get(name)) for name, value in data.items() if value is None}


def _reason(problem: FieldProblem | None) -> str:
    if problem is None:
        return NOT_STATED
    return f"{problem.why}: {problem.details}" if problem.details else problem.why


def requires(*required: str) -> Judge:
    """Without the field that says what it is about nothing is accepted: rejected when the page does not state it, held
    when it does and it cannot be read."""

    def judge(found: Normalised, _draft: Draft, _ctx: Context) -> Verdict:
        return judge_required(found, required)

    return judge


def judge_required(found: Normalised, required: Sequence[str]) -> Verdict:
    missing = [name for name in required if getattr(found.result, name) is None]
    held = [name for name in missing if name in found.problems]
    if held:
        details = f"{held[0]}: {found.problems[held[0]].why}"
        return Verdict(Decision.HOLD, [Finding("required", Hold.NORMALIZATION_FAILED, details)])
    if missing:
        return Verdict(Decision.REJECT, [Finding("required", Reject.MISSING_REQUIRED_FIELD, missing[0])])
    return Verdict(Decision.ACCEPT)
