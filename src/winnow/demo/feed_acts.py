"""Acts about catalogue files: one is connected over SFTP, loses half of its rows, is stopped, and is let through."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from winnow.actions import feeds
from winnow.demo import warehouse
from winnow.demo.scene import NotSeen, Scene
from winnow.demo.stage import ACTOR
from winnow.queries import feeds as queries
from winnow.queries.reading import reader

NAME = "Basecamp Direct catalogue"
PERSON = 20.0  # seconds a person at the console has for approving, before the tour does

_ACTIVE = """
SELECT count(*) FROM consumer_offers AS c JOIN source_products AS p ON p.id = c.source_product_id
JOIN affiliate_feeds AS f ON f.source_id = p.source_id WHERE f.id = %s
"""
_ALERT = "SELECT 1 FROM alerts WHERE dedupe_key = %s AND resolved_at IS NULL"
_FEED = "SELECT f.id FROM affiliate_feeds AS f JOIN sources AS s ON s.id = f.source_id WHERE s.name = %s"
_BLOCKED = "SELECT id FROM affiliate_feed_runs WHERE feed_id = %s AND expiry_blocked ORDER BY id DESC LIMIT 1"
_APPROVED = "SELECT expiry_approved_by FROM affiliate_feed_runs WHERE id = %s"
# Those the approved run saw are active as of now; the others keep the moment they were last active.
_RENEWED = """
SELECT count(*) FILTER (WHERE p.last_seen_success_at >= r.expiry_approved_at),
       count(*) FILTER (WHERE p.last_seen_success_at < r.expiry_approved_at), f.expiry_hours
FROM affiliate_feed_runs AS r JOIN affiliate_feeds AS f ON f.id = r.feed_id
JOIN offer_presence AS p ON p.source_id = f.source_id WHERE r.id = %s GROUP BY f.expiry_hours
"""


async def connect(scene: Scene) -> str:
    """As `winnow feed add`, `test`, `enable` and `run` do it."""
    stock = scene.warehouse
    values = {
        "name": NAME, "url": warehouse.SELLER_URL, "retailer": warehouse.SELLER, "transport": "SFTP",
        "host": "127.0.0.1", "port": stock.port, "path": f"/{warehouse.FILE}", "username": warehouse.USER,
        "password": stock.password, "schedule_frequency_hours": 24, "display_primary": True,
    }  # fmt: skip
    async with scene.database.transaction() as conn:
        feed = await feeds.add(conn, ACTOR, scene.parts.feed_setup, values)
        test = await feeds.test(conn, feed.id)
    tested = await _ended(scene, test)
    scene.claim(bool(tested["result"] and tested["result"]["success"]), f"the test run read the file ({tested})")
    async with scene.database.transaction() as conn:
        await feeds.enable(conn, ACTOR, feed.id, acknowledged=False)
    run = await _run(scene, feed.id)
    shown = await scene.value(_ACTIVE, feed.id)
    scene.claim(not run["expiry_blocked"] and shown == run["products_upserted"] > 0, "the first run activated its rows")
    return f"{run['rows_read']} rows read from sftp://{stock.address}, {shown} offers active"


async def half_is_gone(scene: Scene) -> str:
    feed_id = await scene.value(_FEED, NAME)
    before = await scene.value(_ACTIVE, feed_id)
    scene.say("the next file of the catalogue has only half of its rows")
    await scene.pause_briefly()
    scene.warehouse.fill(keep=len(scene.warehouse.products) // 2)
    run = await _run(scene, feed_id)
    reason = run["expiry_blocked_reason"]
    scene.claim(reason == "SPIKE_THRESHOLD_EXCEEDED", "the run was blocked by the spike threshold")
    scene.claim(await scene.value(_ACTIVE, feed_id) == before, "every offer stays active meanwhile")
    await scene.wait_until("an alert about the spike", lambda: scene.value(_ALERT, f"feed:{feed_id}:{reason}"))
    gone = run["would_expire_count"]
    return f"blocked: {gone} of {before} offers would have expired at once; all {before} stay until a person decides"


async def approve(scene: Scene) -> str:
    """Approve the run, unless a person at the console did it first."""
    feed_id = await scene.value(_FEED, NAME)
    run_id = await scene.value(_BLOCKED, feed_id)
    if scene.pause:
        scene.say(f"approve run {run_id} on the console's page Feeds, or wait {PERSON:.0f} s and the tour does it")
    try:
        by = await scene.wait_until("a person", lambda: scene.value(_APPROVED, run_id), PERSON if scene.pause else 0.0)
    except NotSeen:
        await feeds.approve(scene.database, ACTOR, run_id)
        by = ACTOR
    ((renewed, rest, hours),) = await scene.rows(_RENEWED, run_id)
    scene.claim(renewed == len(scene.warehouse.products) // 2 <= rest, "the offers of the approved file are renewed")
    return f"{by} approved run {run_id}: its {renewed} offers are renewed, the other {rest} run out within {hours} h"


async def _run(scene: Scene, feed_id: int) -> dict[str, Any]:
    async with scene.database.transaction() as conn:
        asked = await feeds.run_now(conn, ACTOR, feed_id)
    job = await _ended(scene, asked)
    scene.claim(job["run_id"] is not None, f"the feed ran ({job['error']})")
    async with reader(scene.database) as reading:
        run = await queries.run(reading, job["run_id"])
    scene.claim(run["status"] == "SUCCEEDED", f"the run succeeded ({run['error_message']})")
    return run


async def _ended(scene: Scene, task_id: str) -> dict[str, Any]:
    async def look() -> dict[str, Any] | None:
        async with scene.database.connection() as conn:
            job = await feeds.job(conn, UUID(task_id))
        return None if job["status"] in ("queued", "running") else job

    found: dict[str, Any] = await scene.wait_until("a worker to read the catalogue", look)
    return found
