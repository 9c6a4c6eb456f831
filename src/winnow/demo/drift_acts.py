"""Acts about trust: the shop is redesigned while it is watched, and no wrong price is accepted (P-107)."""

from __future__ import annotations

from typing import Any

from winnow.actions import adapters as adapter_actions
from winnow.actions import quarantine, replays
from winnow.demo.catalogue import DemoProduct
from winnow.demo.pages import CURRENCY, Template
from winnow.demo.scene import Scene
from winnow.demo.stage import ACTOR, ADAPTER
from winnow.kinds.adapters import choose, registry
from winnow.normalise.record import Money

_STOPPED = f"SELECT 1 FROM scrape_adapter_status WHERE adapter_id = '{ADAPTER}' AND disabled_reason = 'DRIFT_DETECTED'"
_PAGED = "SELECT title FROM alerts WHERE severity = 'P1' AND code = 'adapter_disabled' AND resolved_at IS NULL"
_BAD_RUNS = "SELECT id FROM scrape_runs WHERE status = 'QUARANTINED' ORDER BY id"
_OF_RUN = "SELECT count(*) FROM prices WHERE ingestion_run_id = %s"
_HELD = """
SELECT id, payload ->> 'url' FROM quarantine
WHERE reason = 'ZERO_PRICE_EXTRACTED' AND resolved_at IS NULL ORDER BY id
"""
_QUIET = """
SELECT NOT EXISTS (
    SELECT FROM tasks AS t JOIN scrape_targets AS g ON g.id = t.target_id
    WHERE t.status IN ('queued', 'running') AND g.adapter_id = %s
)
"""
_REVIEWED = "SELECT count(*) FROM records WHERE provenance ->> 'reviewed_by' = %s"
_RECOVERED = "SELECT (payload ->> 'valid')::int FROM outbox WHERE topic = 'adapter.recovered'"
_OPEN_ALERTS = "SELECT count(*) FROM alerts WHERE resolved_at IS NULL AND severity = 'P1'"


async def template_breaks(scene: Scene) -> str:
    scene.say("the shop is redesigned: most pages lose their price, some show $0.00")
    await scene.pause_briefly()
    scene.shop.window.template = Template.HALF
    await scene.wait_until("the adapter disabled by drift", lambda: scene.value(_STOPPED))
    title = await scene.wait_until("a P1 alert", lambda: scene.value(_PAGED))
    bad = [row[0] for row in await scene.rows(_BAD_RUNS)]
    scene.claim(bool(bad), "a run crossed the threshold")
    scene.claim(await scene.value(_OF_RUN, bad[-1]) == 0, "no price of the broken pages was stored")
    return f"P1 alert: {title}; run {bad[-1]} is quarantined, none of its prices was accepted"


async def a_person_reviews(scene: Scene) -> str:
    # A newer page would settle them itself.
    await scene.wait_until("the queue of the shop to be empty", lambda: scene.value(_QUIET, ADAPTER))
    held = await scene.rows(_HELD)
    scene.claim(len(held) >= 2, "prices of zero wait in quarantine")
    scene.say(f"{len(held)} prices of zero wait in quarantine for a person")
    await scene.pause_briefly()
    (first, url), *others = await scene.rows(_HELD)
    price = scene.shop.window.shelf(_product(scene, url)).price_cents
    assert price is not None
    async with scene.database.transaction() as conn:
        await quarantine.accept(conn, ACTOR, first, note="asked the shop", price=Money(price, CURRENCY))

    async def reject(conn: Any, entry: int) -> None:
        await quarantine.reject(conn, ACTOR, entry, note="the redesign shows zero")

    done = await quarantine.decide_each(scene.database, [entry for entry, _ in others], reject)
    scene.claim(len(done.done) == len(others), "the other entries were rejected")
    scene.claim(await scene.value(_REVIEWED, ACTOR) == 1 + len(others), "each record says who decided")
    return f"a person reviewed {1 + len(others)} held prices: 1 corrected and stored, {len(others)} rejected"


async def a_candidate_is_replayed(scene: Scene) -> str:
    known = registry(scene.settings.run.adapters_dir)
    candidate, live = choose(known, ADAPTER, "new"), choose(known, ADAPTER)
    scene.say(f"the next version of the adapter ({candidate.version}) reads the stored pages again; nothing is fetched")
    await scene.pause_briefly()
    order = replays.Order(candidate=candidate, live=live.version, limit=200)
    replay_id = await replays.begin(scene.database, ACTOR, order)
    report = await replays.run(scene.database, scene.settings, replay_id, order)
    scene.claim(report.pages > 20 and not report.missing, "stored pages were replayed")
    scene.claim(report.lost == 0 and report.fields["price"].changed == 0, "the candidate changes no price")
    brands = report.fields["brand"].found
    scene.claim(brands > 20, "the candidate finds the brands")
    return (
        f"replayed {report.pages} stored pages through {ADAPTER} {candidate.version}: no price changed, "
        f"{report.lost} pages lost, {brands} brands found"
    )


async def repaired_and_enabled(scene: Scene) -> str:
    scene.say("the shop is repaired, and a person enables the adapter again")
    await scene.pause_briefly()
    scene.shop.window.template = Template.CLASSIC
    async with scene.database.transaction() as conn:
        await adapter_actions.enable(conn, ACTOR, ADAPTER, "template repaired")
    valid = await scene.wait_until("the first run after enabling to give offers", lambda: scene.value(_RECOVERED))
    scene.claim(await scene.value(_OPEN_ALERTS) == 0, "the alert is resolved")
    return f"recovered: the closely watched first run gave {valid} valid offers, the alert is resolved"


def _product(scene: Scene, url: str) -> DemoProduct:
    return next(product for product in scene.shop.products if url.endswith(product.path))
