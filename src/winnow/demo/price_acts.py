"""Acts about prices: prices arrive and change, a browser reads pages made by scripts, a failing site harms no other."""

from __future__ import annotations

from winnow.demo.scene import LeftOut, Scene
from winnow.demo.stage import MOODY, SCRIPTS
from winnow.fetch.browser.chromium import find_chromium
from winnow.sources.domain import domain_of

WANTED = 20

_ARRIVED = "SELECT count(*) FROM latest_prices WHERE scraped HAVING count(*) >= %s"
_MOVED = """
SELECT p.title, first.amount_minor, l.amount_minor FROM latest_prices AS l
JOIN source_products AS p ON p.id = l.source_product_id
JOIN LATERAL (SELECT x.amount_minor FROM prices AS x WHERE x.source_product_id = p.id ORDER BY x.created_at LIMIT 1)
    AS first ON first.amount_minor <> l.amount_minor
WHERE l.scraped ORDER BY p.id LIMIT 1
"""
_OF_SOURCE = """
SELECT count(*) FROM latest_prices AS l JOIN source_products AS p ON p.id = l.source_product_id
JOIN sources AS s ON s.id = p.source_id WHERE s.name = %s HAVING count(*) > 0
"""
_WAY = "SELECT preferred_fetcher FROM sources WHERE name = %s"
_OPEN = "SELECT opened_at FROM domain_circuits WHERE domain = %s AND state = 'open'"
_SINCE = "SELECT count(*) FROM prices WHERE created_at > %s HAVING count(*) >= 5"
_FROM_MOODY = "SELECT count(*) FROM source_products AS p JOIN sources AS s ON s.id = p.source_id WHERE s.name = %s"


async def arrive(scene: Scene) -> str:
    count = await scene.wait_until(f"{WANTED} products with prices", lambda: scene.value(_ARRIVED, WANTED))
    moved = await scene.wait_until("a price that moves", lambda: scene.rows(_MOVED))
    title, before, after = moved[0]
    return f"{count} products have prices, and one has moved: {title}, {before / 100:.2f} to {after / 100:.2f} USD"


async def corner(scene: Scene) -> str:
    """Plain HTTP sees an empty shell there; the tiers take a browser, and remember it."""
    if find_chromium(scene.settings.browser.browser_executable) is None:
        raise LeftOut("no Chromium on this machine, so the pages that only scripts fill are not watched")
    count = await scene.wait_until("a price from the corner of scripts", lambda: scene.value(_OF_SOURCE, SCRIPTS))
    way = await scene.wait_until("the way that worked", lambda: scene.value(_WAY, SCRIPTS))
    return f"{count} pages that only scripts fill were read in a browser (the source remembers: {way})"


async def neighbour(scene: Scene) -> str:
    domain = domain_of(scene.trouble.url)
    opened = await scene.wait_until("the circuit of the misbehaving site", lambda: scene.value(_OPEN, domain))
    others = await scene.wait_until("prices of the shop meanwhile", lambda: scene.value(_SINCE, opened))
    scene.claim(await scene.value(_FROM_MOODY, MOODY) == 0, "nothing was stored from the misbehaving site")
    asked = sum(scene.trouble.visits.values())
    return f"{domain} is left alone after {asked} requests (503, 429, cut); the shop gave {others} prices since"
