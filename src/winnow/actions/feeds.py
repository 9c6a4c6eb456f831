"""Actions on feeds, shared by API, command line and console."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import msgspec
from psycopg.rows import dict_row

from winnow.actions import sources as source_actions
from winnow.actions import targets as target_actions
from winnow.actions.intake import Cadence, Intake
from winnow.db.engine import Connection, Database
from winnow.errors import Conflict, InvalidInput, NotFound, WinnowError
from winnow.feeds import admin, jobs
from winnow.feeds import feed as feeds
from winnow.feeds.credentials import FeedSecrets
from winnow.feeds.feed import Feed
from winnow.feeds.promote import approval
from winnow.feeds.promote.breaker import Block
from winnow.feeds.tracking import build_tracking_url, on_the_web
from winnow.observe import audit
from winnow.publish import alerts
from winnow.sources import sources, targets

SECRET = frozenset({"secret_ciphertext", "secret_key_id"})
_TASK = """
SELECT status, payload, last_error FROM tasks WHERE id = %(id)s
UNION ALL SELECT status, payload, last_error FROM task_archive WHERE id = %(id)s
"""
_CLICKED = """
SELECT c.source_product_id, c.url, c.price_id, c.affiliate_tracking_template, c.sku, c.impact_item_id, c.attributes
FROM consumer_offers AS c WHERE c.source_product_id = %s
"""


_SOURCE = """
SELECT s.url, r.name AS retailer, s.affiliate_account_id AS account_id, s.affiliate_account_name AS account_name,
    s.affiliate_tracking_template AS tracking_template
FROM sources AS s JOIN retailers AS r ON r.id = s.retailer_id WHERE s.id = %s
"""


MAX_OFFERS = 1_000  # of one order: targets are sized for hundreds of known URLs (P-001)
_VISIBLE_OFFERS = """
WITH candidates AS (
    SELECT id FROM source_products
    WHERE source_id = %(source_id)s AND (id = ANY(%(ids)s::bigint[]) OR sku = ANY(%(skus)s::text[]))
    UNION
    SELECT source_product_id FROM offer_before WHERE sku = ANY(%(skus)s::text[])
)
SELECT c.source_product_id AS id, c.url, c.title FROM consumer_offers AS c
JOIN candidates ON candidates.id = c.source_product_id
WHERE c.source_id = %(source_id)s AND (c.source_product_id = ANY(%(ids)s::bigint[]) OR c.sku = ANY(%(skus)s::text[]))
ORDER BY 1
"""
_SOURCE_OF_OFFER = "SELECT source_id FROM source_products WHERE id = %s AND feed_run_id IS NOT NULL"
_FEED_OF_SOURCE = "SELECT id FROM affiliate_feeds WHERE source_id = %s"


@dataclass(frozen=True, slots=True)
class Setup:
    """Dependencies of adding and changing a feed."""

    intake: Intake
    credentials: FeedSecrets
    allow_plain_ftp: bool


class LinkedOffer(msgspec.Struct, frozen=True):
    """`created` False: the page was a target already."""

    offer_id: int
    target_id: int
    url: str
    created: bool


class RefusedOffer(msgspec.Struct, frozen=True):
    offer_id: int
    url: str
    reason: str


class LinkedOffers(msgspec.Struct, frozen=True):
    linked: list[LinkedOffer]
    refused: list[RefusedOffer]


async def add(conn: Connection, actor: str, setup: Setup, values: Mapping[str, Any]) -> Feed:
    """A draft with a source of its own; the retailer is named by the operator, never guessed (F-020)."""
    _check(setup, values, confirmed=bool(values.get("confirm_insecure")))
    source = await source_actions.add(
        conn, actor, setup.intake, name=values["name"], url=values["url"], retailer=values["retailer"]
    )
    await sources.make_affiliate(conn, source.id, values)
    if values.get("display_primary"):
        await sources.set_display_primary(conn, source.id)
    feed = await admin.add(conn, actor, source.id, _changeable(values))
    await setup.credentials.change(conn, actor, feed, values.get("password"))
    return await feeds.get(conn, feed.id)


async def change(conn: Connection, actor: str, setup: Setup, feed_id: int, values: Mapping[str, Any]) -> Feed:
    before = await feeds.get(conn, feed_id, lock=True)
    whole = {n: getattr(before, n, None) for n in admin.CHANGEABLE} | dict(values)
    was_ftp = before.transport == "FTP" and values.get("transport", "FTP") == "FTP"
    _check(setup, whole, confirmed=was_ftp or bool(values.get("confirm_insecure")))
    if values.get("name") is not None:
        await source_actions.update(conn, actor, setup.intake, before.source_id, {"name": values["name"]})
    if values.get("url") is not None:
        await source_actions.readdress(conn, actor, setup.intake, before.source_id, values["url"])
    feed = await admin.change(conn, actor, feed_id, values)
    if feed.network != before.network:
        await sources.set_affiliate_network(conn, feed.source_id, feed.network)
    await setup.credentials.change(conn, actor, feed, values.get("password"))
    return await feeds.get(conn, feed_id)


async def clone(conn: Connection, actor: str, setup: Setup, feed_id: int, name: str) -> Feed:
    """A draft with the settings and the password of another feed, and a source of its own."""
    before = await feeds.get(conn, feed_id)
    copied = {field: getattr(before, field, None) for field in admin.CHANGEABLE - {"compression"}}
    found = await _first(conn, _SOURCE, (before.source_id,))
    assert found is not None
    password = await setup.credentials.secret(before)
    values = {**copied, **found, "name": name, "password": password, "confirm_insecure": True}
    made = await add(conn, actor, setup, values)
    await audit.record(conn, actor, "FEED_CLONED", "feed", made.id, None, {"cloned_from": feed_id})
    return made


async def delete(conn: Connection, actor: str, feed_id: int) -> None:
    await admin.delete(conn, actor, feed_id)


def _check(setup: Setup, whole: Mapping[str, Any], *, confirmed: bool) -> None:
    known = {n: v for n, v in whole.items() if v is not None}
    admin.check(known, allow_plain_ftp=setup.allow_plain_ftp, confirmed_insecure=confirmed)


async def enable(conn: Connection, actor: str, feed_id: int, *, acknowledged: bool) -> Feed:
    return await admin.enable(conn, actor, feed_id, acknowledged=acknowledged)


async def pause(conn: Connection, actor: str, feed_id: int) -> Feed:
    return await admin.pause(conn, actor, feed_id)


async def make_primary(conn: Connection, actor: str, feed_id: int) -> Feed:
    """The one source of its retailer that is shown (F-110)."""
    feed = await feeds.get(conn, feed_id)
    await sources.set_display_primary(conn, feed.source_id)
    await admin.record_primary_change(conn, actor, feed)
    return await feeds.get(conn, feed_id)


async def run_now(conn: Connection, actor: str, feed_id: int) -> str:
    return await jobs.run_now(conn, await feeds.get(conn, feed_id), actor)


async def test(conn: Connection, feed_id: int) -> str:
    """FN-11: a worker does it; its answer is asked for with the id that comes back."""
    feed = await feeds.get(conn, feed_id)
    return await jobs.enqueue(conn, feed.id, feed.source_id, jobs.TEST)


async def job(conn: Connection, task_id: UUID) -> dict[str, Any]:
    """How far a run or test that was asked for is: status, run_id once there is one, result of a test."""
    found = await _first(conn, _TASK, {"id": task_id})
    if found is None or "feed_id" not in (found["payload"] or {}):
        raise NotFound(f"there is no feed job {task_id}")
    payload = found["payload"]
    return {"status": found["status"], "run_id": payload.get("run_id"), "result": payload.get("result"),
            "error": found["last_error"]}  # fmt: skip


async def add_targets(
    conn: Connection,
    actor: str,
    intake: Intake,
    feed_id: int,
    when: Cadence,
    *,
    offer_ids: Sequence[int] = (),
    skus: Sequence[str] = (),
    priority: int = 0,
) -> LinkedOffers:
    """Makes shown offers of one feed targets of its source (P-002, FN-18): prices found by visits
    belong to the offer. An offer whose page cannot be visited is refused alone."""
    if not 1 <= len(offer_ids) + len(skus) <= MAX_OFFERS:
        raise InvalidInput(f"name 1 to {MAX_OFFERS} offers", "offer_ids")
    feed = await feeds.get(conn, feed_id)
    found = await _visible_offers(conn, feed.source_id, offer_ids, skus)
    source = await sources.get(conn, feed.source_id)
    outcome = LinkedOffers([], [])
    for offer in found:
        try:
            linked = await _link(conn, actor, intake, source, offer, when, priority)
        except WinnowError as error:
            outcome.refused.append(RefusedOffer(offer["id"], offer["url"], str(error)))
        else:
            outcome.linked.append(linked)
    return outcome


async def add_target(conn: Connection, actor: str, intake: Intake, offer_id: int, when: Cadence) -> LinkedOffer:
    """The page of one offer, whichever feed it is of; what is wrong with it is raised."""
    row = await (await conn.execute(_SOURCE_OF_OFFER, (offer_id,))).fetchone()
    feed = None if row is None else await (await conn.execute(_FEED_OF_SOURCE, row)).fetchone()
    if feed is None:
        raise NotFound(f"there is no offer {offer_id} of a feed")
    outcome = await add_targets(conn, actor, intake, feed[0], when, offer_ids=[offer_id])
    if outcome.refused:
        raise InvalidInput(outcome.refused[0].reason, "url")
    return outcome.linked[0]


async def _visible_offers(
    conn: Connection, source_id: int, offer_ids: Sequence[int], skus: Sequence[str]
) -> list[dict[str, Any]]:
    """Only what consumers see: the address of a held run is nobody's target."""
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(_VISIBLE_OFFERS, {"source_id": source_id, "ids": list(offer_ids), "skus": list(skus)})
        found = await cursor.fetchall()
    missing = set(offer_ids) - {offer["id"] for offer in found}
    if missing:
        raise NotFound(f"the feed shows no offer {min(missing)}")
    if not found:
        raise NotFound(f"the feed shows no offer with the SKU {skus[0]}")
    return found


async def _link(
    conn: Connection,
    actor: str,
    intake: Intake,
    source: sources.Source,
    offer: dict[str, Any],
    when: Cadence,
    priority: int,
) -> LinkedOffer:
    try:
        target_id = await target_actions.add(
            conn, actor, intake, source, offer["url"], when=when, priority=priority, source_product_id=offer["id"]
        )
    except Conflict as there:
        return await _link_existing(conn, actor, offer, int(there.existing or 0))
    return LinkedOffer(offer["id"], target_id, offer["url"], created=True)


async def _link_existing(conn: Connection, actor: str, offer: dict[str, Any], target_id: int) -> LinkedOffer:
    before = (await targets.get(conn, target_id, lock=True))["source_product_id"]
    if not await targets.link(conn, target_id, offer["id"]):
        raise Conflict(f"its page is target {target_id}, which refreshes offer {before}", existing=str(target_id))
    if before is None:
        after = {"source_product_id": offer["id"]}
        await audit.record(conn, actor, "target.linked", "target", target_id, {"source_product_id": None}, after)
    return LinkedOffer(offer["id"], target_id, offer["url"], created=False)


async def approve(database: Database, actor: str, run_id: int) -> int:
    """Activates the offers of a blocked run, in transactions of its own; how many."""
    promoted = await approval.approve(database, run_id, actor)
    await _resolve_alerts(database, actor, run_id, [*Block, "FEED_GOING_STALE"])
    return promoted


async def roll_back(database: Database, actor: str, run_id: int, reason: str) -> None:
    """Takes the newest run back, in transactions of its own."""
    await approval.roll_back(database, run_id, actor, reason)
    await _resolve_alerts(database, actor, run_id, list(Block))


async def _resolve_alerts(database: Database, actor: str, run_id: int, codes: Sequence[str]) -> None:
    """Nothing to do for a run that was decided and has been cleaned away since."""
    async with database.transaction() as conn:
        run = await _first(conn, "SELECT feed_id FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        if run is not None:
            await alerts.resolve(conn, actor, keys=[f"feed:{run['feed_id']}:{code}" for code in codes])


async def click(conn: Connection, offer_id: int, placement: str | None) -> str:
    """Logs a click and returns the address it leads to (F-136)."""
    offer = await _visible_offer(conn, offer_id)
    clicked = await jobs.log_click(conn, offer_id, offer["price_id"], placement)
    return _destination({**offer, "click_id": clicked})


async def destination(conn: Connection, offer_id: int) -> str:
    """The address a click would lead to; logs no click."""
    return _destination(await _visible_offer(conn, offer_id))


async def _visible_offer(conn: Connection, offer_id: int) -> dict[str, Any]:
    """Only what consumers may see leads anywhere."""
    offer = await _first(conn, _CLICKED, (offer_id,))
    if offer is None:
        raise NotFound(f"there is no offer {offer_id}")
    return offer


async def _first(conn: Connection, query: str, parameters: Any) -> dict[str, Any] | None:
    async with conn.cursor(row_factory=dict_row) as cursor:
        await cursor.execute(query, parameters)
        return await cursor.fetchone()


def to_dict(feed: Feed) -> dict[str, Any]:
    """The fields of a feed without its secret, with a warning when its offers expire between runs (FN-07)."""
    fields = {n: v for n, v in msgspec.structs.asdict(feed).items() if n not in SECRET}
    schedule = {"schedule_frequency_hours": feed.schedule_frequency_hours, "expiry_hours": feed.expiry_hours}
    warning = "its offers expire between two runs" if admin.expires_between_runs(schedule) else None
    return {**fields, "has_password": feed.secret_ciphertext is not None, "goes_stale_at": feed.goes_stale_at,
            "status_text": _status_text(feed), "warning": warning}  # fmt: skip


_STATUS_TEXT = {"PAUSED": "Paused by admin", "DISABLED": "Disabled due to repeated failures"}  # F-104


def _destination(offer: Mapping[str, Any]) -> str:
    """Built from stored values only, so that no link to us can redirect elsewhere."""
    url = build_tracking_url(offer, offer)
    if not on_the_web(url):
        raise NotFound(f"offer {offer['source_product_id']} leads nowhere")
    return url


def _status_text(feed: Feed) -> str | None:
    if feed.status == "PAUSED" and feed.status_reason is not None:
        return f"Paused automatically: {feed.status_reason}"
    return _STATUS_TEXT.get(feed.status)


def _changeable(values: Mapping[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in values.items() if n in admin.CHANGEABLE and v is not None}
