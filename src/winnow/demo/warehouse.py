"""The demo's catalogue: a CSV file on an SFTP server on loopback, as an affiliate network offers one.

Another seller has most of what the shop has, at its own prices, and some things more. `fill` writes the file anew;
`keep` is how many of its rows are left, for showing what a half-empty file would do.
"""

from __future__ import annotations

import csv
import os
import secrets
from pathlib import Path

import asyncssh

from winnow.demo.catalogue import DemoProduct, DemoStock, make_catalogue
from winnow.demo.pages import CURRENCY, plain

SELLER = "Basecamp Direct"
SELLER_URL = "https://basecamp-direct.example"
FILE = "basecamp-direct.csv"
USER = "catalogue"
# The seller's prices beside the shop's, by position: cheaper, dearer, the same.
_BESIDE = (0.95, 1.04, 0.99, 1.00, 1.08, 0.91)
_HEADER = (
    "CatalogItemId", "SKU", "Name", "Url", "Price", "SalePrice", "Currency", "StockAvailability", "Gtin", "MPN",
    "Manufacturer", "Category", "Description",
)  # fmt: skip


class Warehouse:
    """A running server. `password` is made up at every start."""

    def __init__(self, folder: Path, rows: int, seed: int) -> None:
        self.folder = folder
        self.products = make_catalogue(rows, seed)
        self.password = secrets.token_urlsafe(12)
        self.port = 0
        self._server: asyncssh.SSHAcceptor | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def fill(self, keep: int | None = None) -> int:
        """Write the file atomically and return its number of rows; a concurrent reader gets the previous file."""
        self.folder.mkdir(parents=True, exist_ok=True)
        rows = [_row(position, product) for position, product in enumerate(self.products[:keep])]
        fresh = self.folder / f".{FILE}"
        with fresh.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(_HEADER)
            writer.writerows(rows)
        os.replace(fresh, self.folder / FILE)
        return len(rows)

    async def open(self) -> None:
        key = asyncssh.generate_private_key("ssh-ed25519")
        root = str(self.folder).encode()
        self._server = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_host_keys=[key],
            server_factory=lambda: _Door(self.password),
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=root),
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()


class _Door(asyncssh.SSHServer):
    def __init__(self, password: str) -> None:
        self._password = password

    def begin_auth(self, username: str) -> bool:
        return True

    def password_auth_supported(self) -> bool:
        return True

    def validate_password(self, username: str, password: str) -> bool:
        return username == USER and secrets.compare_digest(password, self._password)


async def open_warehouse(folder: Path, rows: int = 72, seed: int = 7) -> Warehouse:
    warehouse = Warehouse(folder, rows, seed)
    warehouse.fill()
    await warehouse.open()
    return warehouse


def _row(position: int, product: DemoProduct) -> tuple[str, ...]:
    price = round(product.base_cents * _BESIDE[position % len(_BESIDE)])
    on_sale = position % 7 == 3
    return (
        f"BD-{10_000 + position}", f"BD{product.sku}", product.name, f"{SELLER_URL}/p/{product.slug}",
        plain(round(price * 1.2) if on_sale else price), plain(price) if on_sale else "", CURRENCY,
        "N" if product.stock is DemoStock.OUT_OF_STOCK else "Y", product.gtin, product.mpn, product.brand,
        product.category.title(), product.description,
    )  # fmt: skip
