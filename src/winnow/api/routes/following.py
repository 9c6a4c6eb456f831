"""Readers who follow an offer to its shop (F-136)."""

from __future__ import annotations

import time
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from winnow.actions import feeds
from winnow.api.documented import errors
from winnow.api.envelope import Envelope, failure, json_response, ok
from winnow.api.models.feeds import Destination
from winnow.api.params import PartsDep, PathId

router = APIRouter(tags=["feeds"])

# Prefetching by a browser is not a click.
AHEAD = ("sec-purpose", "purpose", "x-purpose", "x-moz")
MAX_PER_SECOND = 200  # clicks that a process records at most, so that a flood of requests cannot fill the disk
SAFE = "!#$%&'()*+,/:;=?@[]~"  # what stays as it is in an address that may hold anything


class Pace:
    def __init__(self, most: int) -> None:
        self._most, self._second, self._count = most, 0, 0

    def room(self, now: float) -> bool:
        if int(now) != self._second:
            self._second, self._count = int(now), 0
        self._count += 1
        return self._count <= self._most


pace = Pace(MAX_PER_SECOND)


@router.get(
    "/go/{offer_id}",
    status_code=302,
    response_model=Envelope[Destination],
    responses={s: r for s, r in errors(404).items() if s not in (401, 403)},
)
async def follow(
    parts: PartsDep,
    request: Request,
    offer_id: PathId,
    placement: Annotated[str | None, Query(max_length=100, pattern=r"^[\w.:-]*$")] = None,
) -> Any:
    """Sends a reader to the shop by the network's tracking address, and writes the click down. Where to is decided by
    the stored offer alone."""
    if any("pre" in request.headers.get(name, "") for name in AHEAD):
        return failure(503, "nothing is followed ahead of a click", headers={"Retry-After": "0"})
    known = pace.room(time.monotonic())
    async with parts.database.connection() as conn:
        url = await (feeds.click(conn, offer_id, placement) if known else feeds.destination(conn, offer_id))
    return _sent_to(url)


@router.head("/go/{offer_id}", include_in_schema=False)
async def look(parts: PartsDep, offer_id: PathId) -> Any:
    """For those who only check that a link works."""
    async with parts.database.connection() as conn:
        return _sent_to(await feeds.destination(conn, offer_id))


def _sent_to(url: str) -> Response:
    body = ok(Destination(url=url)).model_dump(mode="json")
    headers = {"Location": quote(url, safe=SAFE), "X-Robots-Tag": "noindex, nofollow"}
    return json_response(body, 302, headers)
