"""Feeds as people handle them: the same for API, command line and console."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec
from psycopg.rows import dict_row

from winnow.actions.intake import Intake
from winnow.db.engine import Database
from winnow.errors import NotFound
from winnow.feeds import admin, jobs
from winnow.feeds import feed as feeds
from winnow.feeds.credentials import Credentials
from winnow.feeds.feed import Feed
from winnow.feeds.promote import approval
from winnow.feeds.tracking import build_tracking_url, on_the_web
from winnow.publish import alerts
from winnow.settings import Settings
from winnow.sources import sources

SECRET = frozenset({"secret_ciphertext", "secret_key_id"})
_TASK = """
SELECT status, payload, last_error FROM tasks WHERE id = %(id)s
UNION ALL SELECT status, payload, last_error FROM task_archive WHERE id = %(id)s
"""
_RUNS = """
SELECT * FROM affiliate_feed_runs
WHERE feed_id = %(feed)s AND id < %(before)s AND (%(trigger)s::text IS NULL OR trigger = %(trigger)s)
    AND (%(status)s::text IS NULL OR status = %(status)s)
ORDER BY id DESC LIMIT %(limit)s
"""
_CLICKED = """
SELECT c.source_product_id, c.url, c.price_id, c.affiliate_tracking_template, o.sku, o.impact_item_id, o.attributes
FROM consumer_offers AS c JOIN source_products AS o ON o.id = c.source_product_id WHERE c.source_product_id = %s
"""


class FeedDesk:
    def __init__(self, database: Database, settings: Settings, intake: Intake) -> None:
        self._database, self._settings, self._intake = database, settings, intake
        self._credentials = Credentials(database, settings.db)

    async def add(self, actor: str, values: Mapping[str, Any]) -> Feed:
        """A draft with a source of its own; the retailer is named by the operator, never guessed (F-020)."""
        self._check(values, values)
        async with self._database.transaction() as conn:
            source = await self._intake.add_source(
                conn, actor, name=values["name"], url=values["url"], retailer=values["retailer"]
            )
            await sources.make_affiliate(conn, source.id, values)
            if values.get("display_primary"):
                await sources.set_display_primary(conn, source.id)
            feed = await admin.add(conn, actor, source.id, _given(values))
            await self._credentials.change(conn, actor, feed, values.get("password"))
            return await feeds.get(conn, feed.id)

    async def change(self, actor: str, feed_id: int, values: Mapping[str, Any]) -> Feed:
        async with self._database.transaction() as conn:
            before = await feeds.get(conn, feed_id, lock=True)
            whole = {n: getattr(before, n, None) for n in admin.CHANGEABLE} | dict(values)
            was_ftp = before.transport == "FTP" and values.get("transport", "FTP") == "FTP"
            self._check(whole, values, confirmed=was_ftp)
            if values.get("name") is not None:
                await self._intake.update_source(conn, actor, before.source_id, {"name": values["name"]})
            if values.get("url") is not None:
                await self._intake.readdress(conn, actor, before.source_id, values["url"])
            feed = await admin.change(conn, actor, feed_id, values)
            await self._credentials.change(conn, actor, feed, values.get("password"))
            return await feeds.get(conn, feed_id)

    def _check(self, whole: Mapping[str, Any], asked: Mapping[str, Any], *, confirmed: bool = False) -> None:
        admin.check(
            {n: v for n, v in whole.items() if v is not None},
            allow_plain_ftp=self._settings.feeds.allow_plain_ftp,
            confirmed_insecure=confirmed or bool(asked.get("confirm_insecure")),
        )

    async def enable(self, actor: str, feed_id: int, *, acknowledged: bool) -> Feed:
        async with self._database.transaction() as conn:
            return await admin.enable(conn, actor, feed_id, acknowledged=acknowledged)

    async def pause(self, actor: str, feed_id: int) -> Feed:
        async with self._database.transaction() as conn:
            return await admin.pause(conn, actor, feed_id)

    async def run_now(self, actor: str, feed_id: int) -> str:
        async with self._database.transaction() as conn:
            return await jobs.run_now(conn, await feeds.get(conn, feed_id), actor)

    async def test(self, feed_id: int) -> str:
        """FN-11: a worker does it; its answer is asked for with the id that comes back."""
        async with self._database.transaction() as conn:
            feed = await feeds.get(conn, feed_id)
            return await jobs.enqueue(conn, feed.id, feed.source_id, jobs.TEST)

    async def task(self, task_id: UUID) -> dict[str, Any]:
        """How far a run or test that was asked for is: status, run_id once there is one, result of a test."""
        found = await self._one(_TASK, {"id": task_id})
        if found is None or "feed_id" not in (found["payload"] or {}):
            raise NotFound(f"there is no feed job {task_id}")
        payload = found["payload"]
        return {"status": found["status"], "run_id": payload.get("run_id"), "result": payload.get("result"),
                "error": found["last_error"]}  # fmt: skip

    async def approve(self, actor: str, run_id: int) -> int:
        promoted = await approval.approve(self._database, run_id, actor)
        run = await self._one("SELECT feed_id FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        if run is not None:  # an old one may have gone since: it is approved all the same
            codes = ("SPIKE_THRESHOLD_EXCEEDED", "DATA_QUALITY_URL_HASH_SPIKE", "FEED_GOING_STALE")
            async with self._database.transaction() as conn:
                await alerts.resolve(conn, actor, keys=[f"feed:{run['feed_id']}:{code}" for code in codes])
        return promoted

    async def roll_back(self, actor: str, run_id: int, reason: str) -> None:
        await approval.roll_back(self._database, run_id, actor, reason)

    async def get(self, which: str | int) -> Feed:
        async with self._database.connection() as conn:
            return await feeds.find(conn, str(which))

    async def listed(self, after: int, limit: int) -> list[Feed]:
        async with self._database.connection() as conn:
            return await feeds.listed(conn, after, limit)

    async def run(self, run_id: int) -> dict[str, Any]:
        found = await self._one("SELECT * FROM affiliate_feed_runs WHERE id = %s", (run_id,))
        if found is None:
            raise NotFound(f"there is no feed run {run_id}")
        return found

    async def runs(
        self,
        feed_id: int,
        limit: int,
        before: int | None = None,
        *,
        trigger: str | None = None,
        status: str | None = None,
    ) -> list[dict[str, Any]]:
        """Newest first (F-106)."""
        given = {"feed": feed_id, "before": before or feeds.LARGEST_ID, "limit": limit, "trigger": trigger,
                 "status": status}  # fmt: skip
        return await self._all(_RUNS, given)

    async def errors(self, run_id: int, limit: int) -> list[dict[str, Any]]:
        query = "SELECT * FROM affiliate_feed_run_errors WHERE run_id = %s ORDER BY row_number NULLS LAST, id LIMIT %s"
        return await self._all(query, (run_id, limit))

    async def errors_after(self, run_id: int, after: int, limit: int) -> list[dict[str, Any]]:
        """In the order they were found, a page at a time."""
        query = "SELECT * FROM affiliate_feed_run_errors WHERE run_id = %s AND id > %s ORDER BY id LIMIT %s"
        return await self._all(query, (run_id, after, limit))

    async def primary(self, actor: str, feed_id: int) -> None:
        async with self._database.transaction() as conn:
            feed = await feeds.get(conn, feed_id)
            await sources.set_display_primary(conn, feed.source_id)
            await admin.say_primary(conn, actor, feed)

    async def click(self, offer_id: int, placement: str | None) -> str:
        """F-136: where a reader goes, and that they went."""
        offer = await self._followed(offer_id)
        async with self._database.connection() as conn:
            clicked = await jobs.log_click(conn, offer_id, offer["price_id"], placement)
        return _destination({**offer, "click_id": clicked})

    async def destination(self, offer_id: int) -> str:
        """Where a click would lead; nobody went there."""
        return _destination(await self._followed(offer_id))

    async def _followed(self, offer_id: int) -> dict[str, Any]:
        """Only what consumers may see leads anywhere."""
        offer = await self._one(_CLICKED, (offer_id,))
        if offer is None:
            raise NotFound(f"there is no offer {offer_id}")
        return offer

    async def _one(self, query: str, given: Any) -> dict[str, Any] | None:
        return next(iter(await self._all(query, given)), None)

    async def _all(self, query: str, given: Any) -> list[dict[str, Any]]:
        async with self._database.connection() as conn, conn.cursor(row_factory=dict_row) as cursor:
            await cursor.execute(query, given)
            return await cursor.fetchall()


def shown(feed: Feed) -> dict[str, Any]:
    """Everything but the secret, and what an operator should notice (FN-07)."""
    told = {n: v for n, v in msgspec.structs.asdict(feed).items() if n not in SECRET}
    schedule = {"schedule_frequency_hours": feed.schedule_frequency_hours, "expiry_hours": feed.expiry_hours}
    warning = "its offers expire between two runs" if admin.too_slow(schedule) else None
    return {**told, "has_password": feed.secret_ciphertext is not None, "goes_stale_at": feed.goes_stale_at,
            "status_text": _status_text(feed), "warning": warning}  # fmt: skip


_STATUS_TEXT = {"PAUSED": "Paused by admin", "DISABLED": "Disabled due to repeated failures"}  # F-104


def _destination(offer: Mapping[str, Any]) -> str:
    """Made of what is stored, never of what a reader sends: nobody can be led elsewhere by a link to us."""
    url = build_tracking_url(offer, offer)
    if not on_the_web(url):
        raise NotFound(f"offer {offer['source_product_id']} leads nowhere")
    return url


def _status_text(feed: Feed) -> str | None:
    if feed.status == "PAUSED" and feed.status_reason is not None:
        return f"Paused automatically: {feed.status_reason}"
    return _STATUS_TEXT.get(feed.status)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in values.items() if n in admin.CHANGEABLE and v is not None}
