"""extruct with the three syntaxes shops use, and the fields picked from what it returns.

extruct_extract.py PAGES OUT PASSES
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import extruct

SYNTAXES = ["json-ld", "microdata", "opengraph"]


def visit(url: str, body: bytes) -> dict[str, str]:
    data = extruct.extract(body, base_url=url, syntaxes=SYNTAXES, uniform=True)
    nodes = [node for found in data["json-ld"] + data["microdata"] for node in found.get("@graph", [found])]
    product = next(node for node in nodes if node.get("@type") == "Product")
    offer, brand = product["offers"], product["brand"]
    return {
        "title": product["name"],
        "price": offer["price"],
        "currency": offer["priceCurrency"],
        "availability": offer["availability"].rpartition("/")[2],
        "sku": product["sku"],
        "brand": brand if isinstance(brand, str) else brand["name"],
    }


def read(pages: dict[str, bytes]) -> dict[str, Any]:
    return {url: visit(url, body) for url, body in pages.items()}


if __name__ == "__main__":
    wanted = {url: html.encode() for url, html in json.loads(Path(sys.argv[1]).read_text()).items()}
    result: dict[str, Any] = {}
    begun = time.process_time()
    for _ in range(int(sys.argv[3])):
        result = read(wanted)
    seconds = time.process_time() - begun
    Path(sys.argv[2]).write_text(json.dumps(result))
    print(json.dumps({"seconds": seconds, "pages": len(wanted) * int(sys.argv[3])}))
