"""Watches: notifications about one page that a person asks for; validated, stored and audited."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import msgspec

from winnow.db.engine import Connection
from winnow.db.sealed import KeyRing
from winnow.errors import InvalidInput, NotFound
from winnow.fetch.egress.allow import AllowList
from winnow.fetch.url import parse_url
from winnow.normalise.money.currencies import exponent, read_currency
from winnow.observe import audit
from winnow.publish import endpoints, watches
from winnow.publish.watches import Wanted
from winnow.sources import targets

# 20, 19.99, 19.99 EUR. A comma may be a point or a thousand: it is not guessed at.
_AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{1,4})?)\s*([A-Za-z]{3})?", re.A)
_PERCENT = re.compile(r"(\d{1,2}(?:\.\d{1,4})?)\s*%?", re.A)


class WatchConditions(msgspec.Struct, frozen=True, kw_only=True):
    """Conditions to watch one page for. Without a receiver, every subscriber of the topic is notified."""

    below: str | None = None
    currency: str | None = None
    drop: str | None = None
    back_in_stock: bool = False
    any_change: bool = False
    webhook_url: str | None = None
    webhook_id: int | None = None
    slack: bool = False

    @property
    def wanted(self) -> bool:
        return bool(self.below or self.drop or self.back_in_stock or self.any_change)


class Watching(msgspec.Struct, frozen=True, kw_only=True):
    """`fired` counts conditions that are met already and were notified at once; `secret` is that of a new receiver."""

    ids: list[int]
    fired: int
    secret: str | None


async def add(
    conn: Connection, actor: str, ring: KeyRing, allow: AllowList, target_id: int, wish: WatchConditions
) -> Watching:
    await targets.get(conn, target_id)
    conditions = list(_conditions(wish))
    endpoint, secret = await _receiver(conn, actor, ring, allow, wish)
    ids, fired = [], 0
    for condition in conditions:
        wanted = Wanted(target_id=target_id, endpoint_id=endpoint, **condition)
        watch_id, at_once = await watches.add(conn, wanted, actor)
        await audit.record(conn, actor, "watch.added", "watch", watch_id, after=_to_audit(wanted))
        ids.append(watch_id)
        fired += at_once
    return Watching(ids=ids, fired=fired, secret=secret)


async def remove(conn: Connection, actor: str, watch_id: int) -> None:
    gone = await watches.remove(conn, watch_id)
    await audit.record(conn, actor, "watch.removed", "watch", watch_id, before=gone)


async def _receiver(
    conn: Connection, actor: str, ring: KeyRing, allow: AllowList, wish: WatchConditions
) -> tuple[int | None, str | None]:
    if sum([wish.webhook_url is not None, wish.webhook_id is not None, wish.slack]) > 1:
        raise InvalidInput("name one receiver, not several", field="webhook")
    if wish.webhook_url is not None:
        address = parse_url(wish.webhook_url, allow).url
        made, secret = await endpoints.for_url(conn, ring, address, actor)
        return made.id, secret
    if wish.webhook_id is not None:
        return (await endpoints.get(conn, wish.webhook_id)).id, None
    return (await _slack(conn) if wish.slack else None), None


async def _slack(conn: Connection) -> int:
    try:
        found = await endpoints.named(conn, endpoints.SETTINGS_SLACK)
    except NotFound:
        found = None
    if found is None or not found.enabled:
        raise InvalidInput("there is no Slack channel: set WINNOW_SLACK_WEBHOOK_URL", field="slack")
    return found.id


def _conditions(wish: WatchConditions) -> Iterator[dict[str, Any]]:
    if not wish.wanted:
        raise InvalidInput("name a condition: a price to be below, a drop, back in stock, or any change")
    if wish.below is not None:
        threshold, currency = amount(wish.below, wish.currency)
        yield {"condition": "price_below", "threshold": threshold, "currency": currency}
    if wish.drop is not None:
        yield {"condition": "price_drop", "drop_percent": percent(wish.drop)}
    if wish.back_in_stock:
        yield {"condition": "back_in_stock"}
    if wish.any_change:
        yield {"condition": "any_change"}


def amount(text: str, currency: str | None = None) -> tuple[Decimal, str | None]:
    found = _AMOUNT.fullmatch(text.strip())
    if found is None or Decimal(found[1]) == 0:
        raise InvalidInput("a price is written like 20, 19.99 or 19.99 EUR", field="below")
    code = (found[2] or currency or "").upper() or None
    if code is not None and (read_currency(code) is None or (currency and currency.upper() != code)):
        raise InvalidInput(f"{code} is not the currency, or not one", field="currency")
    if code is not None and -int(Decimal(found[1]).normalize().as_tuple().exponent) > exponent(code):
        raise InvalidInput(f"{code} has {exponent(code)} digits after the point", field="below")
    return Decimal(found[1]), code


def percent(text: str) -> float:
    found = _PERCENT.fullmatch(text.strip())
    if found is None or float(found[1]) == 0:
        raise InvalidInput("a drop is written like 10%, above 0 and below 100", field="drop")
    return float(found[1])


def _to_audit(wanted: Wanted) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(wanted).items() if value is not None}
