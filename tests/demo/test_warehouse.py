"""The demo's SFTP catalogue: a real server, read with the product's own client."""

from __future__ import annotations

import csv
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.feeds.transport.servers import reach
from winnow.demo import warehouse
from winnow.demo.catalogue import make_catalogue
from winnow.demo.warehouse import Warehouse, open_warehouse
from winnow.feeds.failures import FeedLoginRefused
from winnow.feeds.transport.remote import Remote
from winnow.feeds.transport.sftp import open_sftp


@pytest.fixture
async def stock(tmp_path: Path) -> AsyncIterator[Warehouse]:
    opened = await open_warehouse(tmp_path / "sftp")
    yield opened
    await opened.close()


def remote(stock: Warehouse, password: str) -> Remote:
    return Remote(
        transport="SFTP", host="127.0.0.1", port=stock.port, path=f"/{warehouse.FILE}", username=warehouse.USER,
        secret=password,
    )  # fmt: skip


async def test_the_file_is_served_to_who_knows_the_password_only(stock: Warehouse, tmp_path: Path):
    async with open_sftp(remote(stock, stock.password), reach()) as session:
        found = await session.stat()
    assert found.size == (stock.folder / warehouse.FILE).stat().st_size
    with pytest.raises(FeedLoginRefused):
        async with open_sftp(remote(stock, "guessed"), reach()):
            pass


async def test_half_a_catalogue_is_the_first_half(stock: Warehouse):
    def rows() -> list[dict[str, str]]:
        with (stock.folder / warehouse.FILE).open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    whole = rows()
    assert len(whole) == 72
    assert [row["Gtin"] for row in whole] == [p.gtin for p in make_catalogue(72, seed=7)]
    assert any(row["SalePrice"] and float(row["SalePrice"]) < float(row["Price"]) for row in whole)
    assert {row["StockAvailability"] for row in whole} == {"Y", "N"}
    assert stock.fill(keep=36) == 36
    assert rows() == whole[:36]
