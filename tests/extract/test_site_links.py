"""Where pages lead: links with their roles, addresses, sitemaps, data of scripts."""

from __future__ import annotations

import gzip
import json

import pytest
from selectolax.lexbor import LexborHTMLParser

from winnow.extract.draft import Role
from winnow.extract.links.json_links import json_links
from winnow.extract.links.page_role import role_in_sitemap
from winnow.extract.links.site_links import site_links
from winnow.extract.links.sitemap import MAX_URLS, read_sitemap
from winnow.extract.links.url_shape import clean_url, shape_of, shape_of_view, unknown_parameters
from winnow.vocabulary.next_page import leads_to_more

BASE = "https://shop.example.com"
LIST = BASE + "/c/shoes"


def roles(html: str, url: str = LIST) -> dict[str, str]:
    found = site_links(LexborHTMLParser(f"<html><body>{html}</body></html>"), url)
    return {link.url.removeprefix(BASE): link.role.value for link in found}


def test_a_list_leads_to_its_products_its_pages_and_its_sections():
    html = """
      <nav><a href="/boots">Boots</a> <a href="/login">Log in</a></nav>
      <ul><li><a href="/red-shoe"><img></a><h3><a href="/red-shoe">Red shoe</a></h3><b>19,99 €</b></li></ul>
      <div class="pagination"><a href="?page=2">2</a><a href="?page=3">3</a></div>
      <a href="/c/shoes?color=red">Red</a> <a href="/c/shoes?sort=price">Cheapest</a>
      <a href="/story-of-ours">Our story</a> <a href="/manual.pdf">Manual</a> <a href="mailto:a@b.example">Write</a>
      <footer><a href="/terms">Terms</a></footer>"""
    assert roles(html) == {
        "/boots": "listing", "/red-shoe": "item", "/c/shoes?page=2": "next_page", "/c/shoes?page=3": "next_page",
        "/c/shoes?color=red": "variant", "/story-of-ours": "page", "/terms": "page",
    }  # fmt: skip


def test_what_scripts_load_is_followed():
    html = '<button data-next-url="/api/list?page=2">Load more</button><div hx-get="/more/2"></div>'
    assert roles(html) == {"/api/list?page=2": "feed", "/more/2": "feed"}


def test_pages_in_the_path_and_in_head_are_pages_of_the_list():
    assert roles('<a href="/c/shoes/page/2">2</a>') == {"/c/shoes/page/2": "next_page"}
    assert roles('<link rel="next" href="/c/shoes/p3"><p>x</p>') == {"/c/shoes/p3": "next_page"}


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("/p/1?utm_source=x&gclid=1#top", "/p/1"),
        ("/p/1;jsessionid=AB12?sid=9", "/p/1"),
        ("/c/1?PHPSESSID=ab&page=2", "/c/1?page=2"),
        ("/c/1?sort=price_asc&orderby=date", "/c/1"),
        ("/c/1?sort=17", "/c/1?sort=17"),  # says no order: it may name a page
        ("/a/b/a/b/a/b", ""),
        ("javascript:void(0)", ""),
        ("http://[::1", ""),
    ],
)
def test_one_address_for_one_page(url: str, clean: str):
    given = BASE + url if url.startswith("/") else url
    assert clean_url(given) == (BASE + clean if clean else "")


def test_parameters_are_known_or_not():
    assert unknown_parameters(BASE + "/c?page=2&category_id=7") == []
    assert unknown_parameters(BASE + "/product.php?id=7") == []
    assert unknown_parameters(BASE + "/c/1?Size=s&color=red&page=2") == ["color", "size"]
    assert shape_of(BASE + "/c/shoes?size=s&color=red") == "/c/*?color&size"
    assert shape_of(BASE + "/calendar/2026/05") == "/calendar/#/#"


def sitemap(*entries: str, root: str = "urlset") -> bytes:
    return f'<?xml version="1.0"?><{root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{"".join(entries)}</{root}>'.encode()


def test_a_sitemap_with_all_its_extensions():
    body = sitemap(
        "<url><loc>https://s.example/p/1?a=1&amp;b=2</loc><lastmod>2026-05-01</lastmod>"
        "<image:image><image:loc>https://cdn.example/1.jpg</image:loc></image:image>"
        '<xhtml:link rel="alternate" hreflang="de" href="https://s.example/de/p/1"/></url>',
        "<url><loc><![CDATA[https://s.example/p/2]]></loc><news:news><news:title>x</news:title></news:news></url>",
    )
    first, second = read_sitemap(body).entries
    assert (first.url, first.lastmod) == ("https://s.example/p/1?a=1&b=2", "2026-05-01")
    assert first.alternates == {"de": "https://s.example/de/p/1"}
    assert second.url == "https://s.example/p/2"


def test_an_index_gzip_text_and_feeds():
    index = sitemap("<sitemap><loc>https://s.example/1.xml</loc></sitemap>", root="sitemapindex")
    assert [(e.url, e.index) for e in read_sitemap(gzip.compress(index)).entries] == [("https://s.example/1.xml", True)]
    assert [e.url for e in read_sitemap(b"https://s.example/a\nhttps://s.example/b\n").entries] == [
        "https://s.example/a", "https://s.example/b"
    ]  # fmt: skip
    rss = (
        b"<rss><channel><link>https://s.example/</link><item><link>https://s.example/p/1</link></item></channel></rss>"
    )
    assert [e.url for e in read_sitemap(rss).entries] == ["https://s.example/p/1"]


@pytest.mark.parametrize(
    "body", [b"", b"<html><body>Not found</body></html>", b"\x1f\x8bbroken", b"<" * 100_000, b"<url>" * 50_000]
)
def test_what_is_no_sitemap_has_no_entries(body: bytes):
    assert read_sitemap(body).entries == []


def test_a_sitemap_beyond_the_limit_is_cut_and_says_so():
    found = read_sitemap(sitemap(*(f"<url><loc>https://s.example/{n}</loc></url>" for n in range(MAX_URLS + 5))))
    assert (len(found.entries), found.cut) == (MAX_URLS, 5)


def test_a_gzip_bomb_is_unpacked_up_to_the_limit():
    assert read_sitemap(gzip.compress(b"<" + b" " * 80_000_000)).entries == []


def test_sitemaps_are_named_after_what_they_list():
    assert role_in_sitemap(BASE + "/red-shoe", BASE + "/product-sitemap1.xml") is Role.ITEM
    assert role_in_sitemap(BASE + "/shoes", BASE + "/sitemap_categories.xml") is Role.LISTING
    assert role_in_sitemap(BASE + "/red-shoe", BASE + "/sitemap.xml") is Role.PAGE
    assert role_in_sitemap(BASE + "/products/red-shoe", BASE + "/sitemap.xml") is Role.ITEM


def test_data_of_a_list_lead_to_products_and_to_the_next_page():
    body = json.dumps({"items": [{"name": "A", "url": "/p/1"}, {"name": "B", "url": "/p/2"}], "total": 40}).encode()
    found = {link.url.removeprefix(BASE): link.role for link in json_links(body, BASE + "/api/list?page=2") or []}
    assert found == {"/p/1": Role.ITEM, "/p/2": Role.ITEM, "/api/list?page=3": Role.NEXT_PAGE}
    html = json.dumps({"html": '<li><a href="/p/3">C</a> 3 €</li>', "next": "/api/list?cursor=x"}).encode()
    found = {link.url.removeprefix(BASE): link.role for link in json_links(html, BASE + "/api/list?cursor=a") or []}
    assert found == {"/p/3": Role.ITEM, "/api/list?cursor=x": Role.NEXT_PAGE}
    assert json_links(b"{broken", BASE) is None
    assert json_links(b'{"items": []}', BASE + "/api/list?page=9") == []


def test_only_what_a_button_calls_more_is_loaded_with_the_page_that_stands_beside_it():
    more = '<a class="js-load-more" href="#" data-url="/list/coats" data-page="2">More</a>'
    assert roles(more) == {"/list/coats?page=2": "feed"}
    assert roles('<button data-url="/list/coats?page={page}">Mehr anzeigen</button>') == {"/list/coats?page=2": "feed"}
    assert roles('<button data-endpoint="/feed/coats/">Show more products</button>') == {"/feed/coats/": "feed"}
    assert roles('<button data-url="/stock/7">Check stock</button><button data-url="/cart/add">More</button>') == {}


@pytest.mark.parametrize("at", ["/", "/catalogue/page-2.html"])
def test_a_price_beside_it_makes_a_product_of_what_looks_like_a_list(at: str):
    tile = "/catalogue/red-shoe_7/index.html"
    html = f"""<nav><a href="/catalogue/sale/index.html">Sale £5.00</a></nav>
        <div><a href="/catalogue/blue/index.html">Blue</a> <a href="/catalogue/red/index.html">Red</a> £1 to £20</div>
        <ol><li><a href="{tile}"><img src="/i/7.jpg"></a> <a href="{tile}">Red shoe</a><p>£9.99</p></li></ol>"""
    found = roles(html, BASE + at)
    assert found[tile] == "item"
    assert {role for path, role in found.items() if path != tile} <= {"listing", "variant"}, "menus and filters"


def test_what_stands_below_a_list_is_another_view_of_it_unless_the_menu_or_a_price_says_otherwise():
    html = """<nav><a href="/c/shoes/boots">Boots</a></nav><a href="/c/shoes/color-red/">red</a>
        <li><a href="/c/shoes/blue-shoe">Blue shoe</a> 19,99 €</li><a href="/c/hats">Hats</a>"""
    assert roles(html) == {
        "/c/shoes/boots": "listing", "/c/shoes/color-red/": "variant", "/c/shoes/blue-shoe": "item",
        "/c/hats": "listing",
    }  # fmt: skip
    assert roles(html.replace("/c/", "/"), BASE + "/shoes")["/shoes/blue-shoe"] == "item"


@pytest.mark.parametrize(
    ("url", "shape"),
    [
        ("/coats/red/", "/coats/*"),
        ("/coats/red/m", "/coats/*"),
        ("/category/coats/red", "/category/coats/*"),
        ("/category/coats", "/category/*"),
    ],
)
def test_views_without_parameters_have_the_shape_of_their_list(url: str, shape: str):
    assert shape_of_view(BASE + url) == shape


def test_next_page_words_are_those_of_the_language():
    assert [leads_to_more(text) for text in ("Next ›", "Mehr anzeigen", "Voir plus de produits", "»", "Nächste")] == [
        True
    ] * 5
    assert [leads_to_more(text) for text in ("", "Learn more about our shoes and why they are red", "Shoes")] == [
        False
    ] * 3
