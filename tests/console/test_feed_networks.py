"""A feed of every network is added in the console (F-021, F-134)."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.console.conftest import Opened, Served
from winnow.feeds.read.columns import NETWORKS


@pytest.mark.parametrize("network", NETWORKS)
async def test_f021_f134_a_feed_of_every_network_is_added(open_as: Opened, served: Served, network: str) -> None:
    page = await open_as("admin", "/feeds/new")
    await page.get_by_label("Name", exact=True).fill(f"Camp {network}")
    await page.get_by_label("Shop URL").fill(f"https://{network.lower()}.camp.example.com")
    await page.get_by_role("textbox", name="Retailer").fill("Camp")
    await page.get_by_role("combobox", name="Network").select_option(network)
    await page.get_by_label("Server").fill("sftp.network.example")
    await page.get_by_label("File", exact=True).fill("/out/catalogue.csv.gz")
    await page.get_by_role("button", name="Add the feed").click()
    await expect(page.get_by_role("heading", name=f"Camp {network}", exact=True)).to_be_visible()
    query = "SELECT f.network, s.affiliate_network FROM affiliate_feeds AS f JOIN sources AS s ON s.id = f.source_id"
    assert (network, network) in served.sql(query)
