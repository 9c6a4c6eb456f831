"""Readers who follow an offer: `/go/<offer>` (F-136, F-112)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from tests.feeds.shop import Shop, row
from winnow.api.routes import following
from winnow.api.routes.following import Pace
from winnow.db.engine import Database
from winnow.feeds import upkeep


@pytest.fixture
async def shop(database: Database, tmp_path: Path) -> Shop:
    made = Shop(database, tmp_path / "feeds")
    await made.open()
    await made.load([row(1), row(2)])
    return made


@pytest.fixture
async def reader(api: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A browser: no key, redirects are looked at."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(api), base_url="http://winnow.test") as client:
        yield client


async def template(shop: Shop, value: str | None) -> int:
    await shop.rows("UPDATE sources SET affiliate_tracking_template = %s RETURNING 1", value)
    return int(await shop.value("SELECT min(id) FROM source_products"))


async def test_f136_a_reader_is_sent_to_the_shop_and_the_click_is_kept(shop: Shop, anyone: httpx.AsyncClient) -> None:
    offer = await template(shop, "https://net.test/c?sub={click_id}&u={url}")
    answer = await anyone.get(f"/go/{offer}?placement=list:3&url=https://evil.test&next=//evil.test")
    assert answer.status_code == 302
    click, price, place = (await shop.rows("SELECT id, price_id, placement FROM offer_clicks"))[0]
    assert answer.headers["location"] == f"https://net.test/c?sub={click}&u=https%3A%2F%2Fshop.test%2Fp%2F1"
    assert (price is not None, place) == (True, "list:3")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-robots-tag"] == "noindex, nofollow"


async def test_f136_looking_is_not_clicking(shop: Shop, reader: httpx.AsyncClient) -> None:
    offer = await template(shop, None)
    looked = await reader.head(f"/go/{offer}")
    assert (looked.status_code, looked.headers["location"]) == (302, "https://shop.test/p/1")
    for header in ({"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}, {"X-Moz": "prefetch"}):
        assert (await reader.get(f"/go/{offer}", headers=header)).status_code == 503
    assert await shop.value("SELECT count(*) FROM offer_clicks") == 0


@pytest.mark.parametrize(
    "value",
    ["javascript:alert(1)//{url}", "//evil.test/{url}", "https:\\\\evil.test", "https://shop.test@evil.test/",
     "https://x.test/\r\nSet-Cookie: a=b", "data:text/html,x", "https://", "http://[bad/{url}"],
)  # fmt: skip
async def test_f136_a_template_that_leads_astray_is_not_followed(
    shop: Shop, anyone: httpx.AsyncClient, value: str
) -> None:
    offer = await template(shop, value)
    answer = await anyone.get(f"/go/{offer}")
    assert answer.headers["location"] == "https://shop.test/p/1"


async def test_f136_what_consumers_may_not_see_leads_nowhere(shop: Shop, anyone: httpx.AsyncClient) -> None:
    offer = await template(shop, None)
    await shop.rows("UPDATE source_products SET url = 'javascript:alert(1)' WHERE id = %s RETURNING 1", offer)
    assert (await anyone.get(f"/go/{offer}")).status_code == 404
    await shop.rows("UPDATE sources SET is_display_primary = false RETURNING 1")
    assert (await anyone.get(f"/go/{offer + 1}")).status_code == 404
    for wrong in ("/go/0", "/go/99999999999999999999", "/go/x", f"/go/{offer}/x", "/go/"):
        assert (await anyone.get(wrong)).status_code in (401, 404, 422), wrong
    assert (await anyone.get(f"/go/{offer}?placement=<script>")).status_code == 422
    assert (await anyone.post(f"/go/{offer}")).status_code in (404, 405)


async def test_f136_addresses_with_any_letter_are_sent_as_ascii(shop: Shop, anyone: httpx.AsyncClient) -> None:
    offer = await template(shop, None)
    await shop.rows("UPDATE source_products SET url = 'https://shop.test/zelt-grün?a=%%20' RETURNING 1")
    assert (await anyone.get(f"/go/{offer}")).headers["location"] == "https://shop.test/zelt-gr%C3%BCn?a=%20"


async def test_f136_a_flood_is_sent_on_and_not_written_down(
    shop: Shop, anyone: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer = await template(shop, None)
    monkeypatch.setattr(following, "pace", Pace(0))
    assert (await anyone.get(f"/go/{offer}")).status_code == 302
    assert await shop.value("SELECT count(*) FROM offer_clicks") == 0


def test_f136_the_pace_is_per_second() -> None:
    pace = Pace(2)
    assert [pace.room(now) for now in (1.0, 1.5, 1.9, 2.0, 2.1, 2.2)] == [True, True, False, True, True, False]


async def test_f136_old_clicks_are_forgotten(shop: Shop, anyone: httpx.AsyncClient) -> None:
    offer = await template(shop, None)
    for _ in range(3):
        await anyone.get(f"/go/{offer}")
    old = (
        "UPDATE offer_clicks SET clicked_at = now() - interval '401 days' WHERE id = (SELECT min(id) FROM offer_clicks)"
    )
    await shop.rows(f"{old} RETURNING 1")
    async with shop.database.connection() as conn:
        assert await upkeep.forget_clicks(conn) == 1
    assert await shop.value("SELECT count(*) FROM offer_clicks") == 2
