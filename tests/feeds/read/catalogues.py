"""Catalogues made from known truth: whole ones in every dialect, and broken ones of which is known what is broken.

`Broken` says which rows of the file are good (by the SKU they carry) and which are to be reported, by number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

HEADER = ["SKU", "Name", "Price", "SalePrice", "Availability", "Url", "Gtin", "Manufacturer", "Description"]


class Product(NamedTuple):
    sku: str
    name: str
    price: str
    sale: str
    stock: str
    url: str
    gtin: str
    brand: str
    description: str

    def expected(self) -> tuple[str, str, int, int | None, bool, str, str, str, str]:
        """sku, name, price, list price, in stock, url, gtin, brand, description"""
        regular = round(float(self.price) * 100)
        sale = round(float(self.sale) * 100) if self.sale else None
        stock = self.stock == "in stock"
        price = regular if sale is None else sale
        listed = None if sale is None else regular
        return (self.sku, self.name, price, listed, stock, self.url, self.gtin, self.brand, self.description)


def products(count: int, seed: int = 1, letters: str = "") -> list[Product]:
    """`letters`: characters beyond ASCII that every name gets, for encodings that have them."""
    random = Random(seed)
    made = []
    for n in range(1, count + 1):
        cents = random.randint(500, 99_999)
        made.append(
            Product(
                f"SKU-{n}",
                f"Product {n}{letters}",
                f"{cents / 100:.2f}",
                f"{cents * 0.8 / 100:.2f}" if n % 3 == 0 else "",
                random.choice(["in stock", "out of stock"]),
                f"https://shop.example.com/p/{n}?a=1&b={n}",
                f"0{random.randint(10**10, 10**11 - 1)}",
                random.choice(["Acme", "Müller" if letters else "Muller", "Zenith"]),
                random.choice(["Plain words", "With, comma; semicolon | pipe", 'With "quotes" inside', "Two\nlines"]),
            )
        )
    return made


def written(
    rows: list[Product] | list[list[str]],
    delimiter: str = ",",
    end: str = "\r\n",
    quoting: int = csv.QUOTE_MINIMAL,
    header: list[str] | None = HEADER,
) -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)  # type: ignore[arg-type]
    if header is not None:
        writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


class Broken(NamedTuple):
    name: str
    data: bytes
    good: list[Product]
    bad: list[int]  # row numbers
    loose: bool = False  # only the good rows are exact; how many fragments are reported is open


def _line(product: Product) -> str:
    return written([product], end="\n", header=None)


def _plain(count: int, seed: int) -> list[Product]:
    return [p._replace(description=f"Words of {p.sku}") for p in products(count, seed)]


Break = Callable[[str, Product], str]

# One line -> a line that is no longer a row. All values around it stay as they were.
BREAKS: dict[str, Break] = {
    "cut_in_the_middle": lambda line, p: line[: len(line) // 2].rstrip(",") + "\n",
    "one_field_less": lambda line, p: line.replace(f",{p.brand},", ","),
    "one_field_more": lambda line, p: line.replace(p.sku, f"{p.sku},surplus", 1),
    "comma_in_unquoted_price": lambda line, p: line.replace(f",{p.price},", ",1,299.00,", 1),
    "no_name": lambda line, p: line.replace(p.name, "", 1),
    "blank_name": lambda line, p: line.replace(p.name, "   ", 1),
    "null_name": lambda line, p: line.replace(p.name, "NULL", 1),
    "no_url": lambda line, p: line.replace(p.url, "", 1),
    "relative_url": lambda line, p: line.replace(p.url, "/p/1", 1),
    "ftp_url": lambda line, p: line.replace("https://", "ftp://", 1),
    "script_url": lambda line, p: line.replace(p.url, "javascript:alert(1)", 1),
    "space_in_host": lambda line, p: line.replace("shop.example", "shop example", 1),
    "url_without_host": lambda line, p: line.replace("shop.example.com", "", 1),
    "price_is_words": lambda line, p: _reprice(line, p, "call us"),
    "price_zero": lambda line, p: _reprice(line, p, "0.00"),
    "price_negative": lambda line, p: _reprice(line, p, "-5.00"),
    "price_empty": lambda line, p: _reprice(line, p, ""),
    "price_nan": lambda line, p: _reprice(line, p, "NaN"),
    "price_infinite": lambda line, p: _reprice(line, p, "inf"),
    "price_scientific": lambda line, p: _reprice(line, p, "1.2E+3"),
    "price_range": lambda line, p: _reprice(line, p, "10.00-20.00"),
    "price_of_a_unit": lambda line, p: _reprice(line, p, "from 9.99"),
    "price_ambiguous": lambda line, p: _reprice(line, p, "1.299"),
    "price_huge": lambda line, p: _reprice(line, p, "99999999999.00"),
    "price_html": lambda line, p: _reprice(line, p, "<b>x</b>"),
    "price_too_precise": lambda line, p: _reprice(line, p, "9.123456"),
    "price_other_digits": lambda line, p: _reprice(line, p, "١٢٣"),
    "sku_too_long": lambda line, p: line.replace(p.sku, "S" * 300, 1),
    "name_too_long": lambda line, p: line.replace(p.name, "N" * 9_000, 1),
    "nul_in_sku": lambda line, p: line.replace(p.sku, "SK\x00U", 1),
    "nul_in_price": lambda line, p: line.replace(f",{p.price},", f",{p.price[:2]}\x00{p.price[2:]},", 1),
}


def _reprice(line: str, product: Product, price: str) -> str:
    return line.replace(f",{product.price},{product.sale},", f",{price},,", 1)


def broken(count: int = 12) -> Iterator[Broken]:
    """Every kind of bad row at the beginning, in the middle and at the end of a file, and twice in a row."""
    for seed, (name, break_it) in enumerate(BREAKS.items()):
        rows = _plain(count, seed)
        for where, numbers in (("first", [1]), ("middle", [6, 7]), ("last", [count])):
            lines = [break_it(_line(p), p) if n in numbers else _line(p) for n, p in enumerate(rows, 1)]
            good = [p for n, p in enumerate(rows, 1) if n not in numbers]
            header = ",".join(HEADER) + "\n"
            yield Broken(f"{name}-{where}", (header + "".join(lines)).encode(), good, numbers)


def mixed(seed: int, count: int = 60) -> Broken:
    """Many different faults in one file, good rows between them."""
    random = Random(seed)
    rows = _plain(count, seed)
    bad, lines, good = [], [], []
    for n, product in enumerate(rows, 1):
        if random.random() < 0.3:
            bad.append(n)
            lines.append(random.choice(list(BREAKS.values()))(_line(product), product))
        else:
            good.append(product)
            lines.append(_line(product))
        if random.random() < 0.1:
            lines.append(random.choice(["\n", ",,,,,,,,\n", "  \n", ",".join(HEADER) + "\n"]))
    return Broken(f"mixed-{seed}", (",".join(HEADER) + "\n" + "".join(lines)).encode(), good, bad)
