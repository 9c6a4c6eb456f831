"""A whole shop for the catalogue benchmark: heavy product pages behind a home page, lists with pages, and a sitemap.

    python -m bench.shop --products 2000 --port 0

prints its address when everything is rendered. The product pages are those of bench/site.py; their menus and footers
lead to pages that exist.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from functools import partial
from html import escape
from pathlib import Path

if not __package__:  # run as a file: the repository's root takes the place of this folder
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from bench.site import Answers, Frame, answer, facts_of, paths, product_at, render, serve

PER_LIST = 48  # products on a page of a list
PER_CATEGORY = 240
HTML = b"text/html; charset=utf-8"


def categories(products: int) -> int:
    return -(-products // PER_CATEGORY)


def answers_of(products: int, site_url: str) -> Answers:
    frame = Frame(_menu(products), '<div class="foot-links"><a href="/info/about">About us</a></div>', products)
    answers = {
        b"/robots.txt": _text(f"User-agent: *\nDisallow: /checkout/\nSitemap: {site_url}/sitemap.xml\n"),
        b"/sitemap.xml": answer(200, b"application/xml", _sitemap(products, site_url).encode()),
        b"/": _page(frame, "Shop", "<p>Everything for the trail.</p>"),
        b"/info/about": _page(frame, "About us", "<p>We like to be outside.</p>"),
    }
    for number in range(products):
        answers[product_at(number).path.encode()] = answer(200, HTML, render(number, site_url, frame))
    for path, body in _lists(products):
        answers[path.encode()] = _page(frame, "Products", body)
    return answers


def pages_of(products: int) -> int:
    """How many pages a crawl that misses nothing and repeats nothing fetches, without robots.txt."""
    return 3 + products + sum(1 for _ in _lists(products))


def _text(body: str) -> bytes:
    return answer(200, b"text/plain", body.encode())


def _page(frame: Frame, title: str, body: str) -> bytes:
    head = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title></head>'
    text = f"{head}<body><header>{frame.menu}</header><main><h1>{title}</h1>{body}</main><footer>{frame.foot}</footer>"
    return answer(200, HTML, f"{text}</body></html>".encode())


def _menu(products: int) -> str:
    entries = "".join(
        f'<li class="nav-item"><a class="nav-link" href="/c/trail-{n}">Trail {n}</a></li>'
        for n in range(categories(products))
    )
    return f'<nav class="mega-menu"><ul>{entries}</ul></nav>'


def _lists(products: int) -> Iterator[tuple[str, str]]:
    """The address of each page of each list, and what stands on it."""
    for category in range(categories(products)):
        own = range(category * PER_CATEGORY, min((category + 1) * PER_CATEGORY, products))
        count = -(-len(own) // PER_LIST)
        for number in range(1, count + 1):
            cards = "".join(_card(n) for n in own[(number - 1) * PER_LIST : number * PER_LIST])
            links = "".join(f'<a href="{_list_path(category, n)}">{n}</a>' for n in range(1, count + 1))
            yield _list_path(category, number), f'<ul class="grid">{cards}</ul><div class="pagination">{links}</div>'


def _list_path(category: int, number: int) -> str:
    return f"/c/trail-{category}" + (f"?page={number}" if number > 1 else "")


def _card(number: int) -> str:
    facts, path = facts_of(number), product_at(number).path
    return f'<li class="card"><a href="{path}">{escape(facts.title)}</a><p class="price">${facts.price}</p></li>'


def _sitemap(products: int, site_url: str) -> str:
    entries = "".join(f"<url><loc>{site_url}{path}</loc></url>" for path in paths(products))
    return f'<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'


def main() -> None:
    parser = argparse.ArgumentParser(description="A shop of heavy pages from memory, for the catalogue benchmark.")
    parser.add_argument("--products", type=int, default=2_000)
    parser.add_argument("--port", type=int, default=0, help="0 takes a free one")
    arguments = parser.parse_args()
    asyncio.run(serve(partial(answers_of, arguments.products), arguments.port))


if __name__ == "__main__":
    main()
