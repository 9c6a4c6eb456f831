"""The act about a crawl: a shop of which only the address is known gives all its products."""

from __future__ import annotations

from winnow.actions.catalogue import crawls as crawl_actions
from winnow.actions.catalogue.crawls import CrawlOrder
from winnow.demo.scene import Scene
from winnow.demo.stage import ACTOR
from winnow.queries import crawls
from winnow.queries.reading import Row, reader

OVER = ("done", "stopped", "failed")
WASTE = 1.3  # requests over those that are needed
_FOUND = "SELECT count(*), count(DISTINCT p.url) FROM source_products AS p WHERE p.source_id = %s"


async def crawl(scene: Scene) -> str:
    parts = scene.parts
    async with scene.database.transaction() as conn:
        order = CrawlOrder(url=f"{scene.outlet.url}/")
        crawl_id, _ = await crawl_actions.start(conn, ACTOR, parts.intake, scene.settings.schedule, order)
    scene.say(f"only the address is given: {scene.outlet.url} (crawl {crawl_id})")
    row = await _follow(scene, crawl_id)
    scene.claim(row["state"] == "done", f"crawl {crawl_id} ended well")
    ((found, distinct),) = await scene.rows(_FOUND, row["source_id"])
    expected, needed = len(scene.outlet.products), scene.outlet.needed
    scene.claim(found == distinct == expected, f"each of {expected} products is stored once, not {found}")
    scene.claim(scene.outlet.asked <= needed * WASTE, f"{scene.outlet.asked} requests where {needed} are needed")
    cut = sum(row["links_cut_by"].values())
    return f"{found} products of {expected}, each once, by {scene.outlet.asked} requests ({cut} links were cut)"


async def _follow(scene: Scene, crawl_id: int) -> Row:
    """Its figures each time as many pages more were visited; a crawl that stands still is reported."""
    next_at = 0

    async def look() -> Row | None:
        nonlocal next_at
        async with reader(scene.database) as conn:
            row = await crawls.one(conn, crawl_id)
        assert row is not None
        if row["pages"] >= next_at and row["state"] not in OVER:
            next_at = row["pages"] + max(60, scene.outlet.needed // 5)
            scene.say(_figures(row))
        return row if row["state"] in OVER else None

    row: Row = await scene.wait_until(f"crawl {crawl_id} to end", look)
    return row


def _figures(row: Row) -> str:
    left = "" if row["eta_seconds"] is None else f", {row['eta_seconds']} s left"
    pace = f"{row['pages_per_second']:g} pages/s{left}"
    return f"{row['pages']} pages, {row['products']} products, {row['queue']} in the queue, {pace}"
