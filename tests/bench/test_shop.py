"""The shop of the catalogue benchmark: everything it links to is there, and every product stands in a list."""

from __future__ import annotations

from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser

from bench import shop, site
from winnow.extract.links.site_links import site_links
from winnow.extract.links.sitemap import read_sitemap

SITE = "http://127.0.0.1:8000"


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def test_every_page_is_reached_by_links_and_every_product_by_a_list() -> None:
    pages = {path.decode(): body.partition(b"\r\n\r\n")[2] for path, body in shop.answers_of(300, SITE).items()}
    found, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        links = site_links(LexborHTMLParser(pages[path]), SITE + path)
        new = {path_of(link.url) for link in links} - found
        found |= new
        waiting += sorted(new)
    assert found == set(pages) - {"/robots.txt", "/sitemap.xml"}
    assert len(found) + 1 == shop.pages_of(300)
    named = {entry.url for entry in read_sitemap(pages["/sitemap.xml"]).entries}
    assert named == {SITE + path for path in site.paths(300)}
