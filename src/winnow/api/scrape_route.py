"""Routes of the scraping service that name every wrong field of a request at once (S-097)."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError

from winnow.actions import scraping
from winnow.api.bodies import JsonRoute
from winnow.api.models.scrape import MAX_TARGETS
from winnow.api.params import parts_of


class ScrapeRoute(JsonRoute):
    """A field that is missing or of the wrong type hides no unknown target type, field or address beside it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def complete(request: Request) -> Response:
            try:
                return await handle(request)
            except RequestValidationError as invalid:
                rules = (await parts_of(request)).scrape_rules
                found = list(invalid.errors())
                found += _further(rules, invalid.body, {_place(error) for error in found})
                raise RequestValidationError(found, body=invalid.body) from None

        return complete


def _place(error: Any) -> str:
    return ".".join(map(str, error["loc"]))


def _further(rules: scraping.SubmissionRules, body: Any, known: set[str]) -> Iterator[dict[str, Any]]:
    for place, stated in _targets(body):
        for wrong in scraping.wrong_values(rules, stated, place):
            if f"body.{wrong.field}" not in known:
                yield {"loc": ("body", *str(wrong.field).split(".")), "msg": str(wrong), "type": wrong.code}


def _targets(body: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """The body itself, which may be a target or a job with a callback, and the targets in it."""
    if not isinstance(body, dict):
        return
    yield "", body
    listed = body.get("targets")
    for n, target in enumerate(listed[:MAX_TARGETS] if isinstance(listed, list) else []):
        if isinstance(target, dict):
            yield f"targets.{n}.", target
