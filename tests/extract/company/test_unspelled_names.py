"""A company's name on a page whose domain does not spell it: the title, the frame of the page and the contacts agree."""

from __future__ import annotations

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

COMPANY = all_kinds().target_type("company_website")


def name(body: str, title: str, path: str = "") -> str | None:
    url = f"https://k7-static.example.net/{path}"
    source = f'<html lang="en"><head><title>{title}</title></head><body>{body}</body></html>'
    found = read_target(COMPANY, page(source, url), context(url)).results
    return found[0].data["company_name"] if found else None


@pytest.mark.parametrize(
    "title",
    ["Impressum | Harwood Kessel", "Harwood Kessel - Contact Us", "Qui sommes-nous - Harwood Kessel", "会社概要｜Harwood Kessel".replace("｜", " | "), "Strona główna – Harwood Kessel"],
)  # fmt: skip
def test_what_stands_beside_the_name_of_a_page_is_the_company(title: str):
    assert name("<h1>Welcome</h1><p>Write to us.</p>", title) == "Harwood Kessel"


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Contact | Fast repairs for every roof in the whole county", "<h1>Contact</h1>"),
        ("Contact | Privacy Policy", "<h1>Contact</h1>"),
        ("Roofs | Gutters | Harwood Kessel", "<h1>Roofs</h1>"),
        ("Why does it leak? | Home", "<h1>Roofs</h1>"),
    ],
)
def test_a_slogan_a_page_and_a_list_of_parts_are_no_company(title: str, body: str):
    assert name(body, title) is None


def test_a_part_of_the_title_that_the_footer_shows_is_the_company():
    footer = "<footer><p>Harwood Kessel</p><p>12 Mill Lane</p></footer>"
    assert name(f"<h1>Slate roofs</h1>{footer}", "Slate roofs | Repairs | Harwood Kessel") == "Harwood Kessel"


def test_the_heading_in_the_head_of_an_article_is_no_company():
    body = "<article><header><h1>Slate lasts longer</h1></header><p>It does.</p></article>"
    assert name(body, "Slate lasts longer | Roof stories for you and me") is None


def test_a_section_that_the_menu_links_is_no_company():
    menu = '<header><ul><li><a href="/roofs">Slate Roofs</a></li></ul></header>'
    assert name(f"{menu}<h1>Our best</h1>", "Our best | Slate Roofs | News of the week") is None


def test_a_mail_domain_stands_in_for_the_domain_unless_it_is_anybodys():
    body = '<h1>Roofs</h1><p>Harwood Kessel mends roofs.</p><a href="mailto:info@{}">Mail</a>'
    title = "Slate roofs | Harwood Kessel Roofing"
    assert name(body.format("harwoodkessel.co.uk"), title) == "Harwood Kessel Roofing"
    assert name(body.format("gmail.com"), title) is None


def test_the_copyright_line_counts_when_the_page_says_the_name_again_and_never_the_makers():
    again = "<p>Harwood Kessel Ltd mends roofs.</p><p>© 2024 Harwood Kessel Ltd</p>"
    assert name(f"<h1>Roofs</h1>{again}", "Slate roofs") == "Harwood Kessel Ltd"
    maker = "<p>We use Pagefold Ltd a lot.</p><p>Powered by Pagefold © 2024 Pagefold Ltd</p>"
    assert name(f"<h1>Roofs</h1>{maker}", "Slate roofs") is None


def test_the_only_firm_of_an_imprint_is_the_company_and_two_are_none():
    firm = "<h1>Impressum</h1><p>Angaben gemäß § 5 DDG</p><p>Dachbau Kessel GmbH</p><p>Talweg 7</p>"
    assert name(firm, "Impressum", "impressum.html") == "Dachbau Kessel GmbH"
    assert name(f"{firm}<p>Webwerk Nord GmbH</p>", "Impressum", "impressum.html") is None


def test_the_repeated_name_of_the_copyright_line_counts_before_a_claim_in_the_head():
    body = "<header><p>Slate Roofing</p></header><h1>Roofs</h1><p>Harwood Kessel</p><p>© 2024 Harwood Kessel</p>"
    assert name(body, "Harwood Kessel | Slate Roofing | Bath") == "Harwood Kessel"


def test_the_data_of_a_map_are_no_company():
    for credit in ("Картографические данные © 2014 Google", "Kartendaten ©2021 OpenStreetMap", "Map data © TomTom"):
        assert name(f"<h1>Find us</h1><p>Картографические данные</p><p>{credit}</p>", "Find us") is None


def test_a_title_that_only_greets_a_repeated_name_names_the_company():
    body = "<h1>Harwood Kessel Repair</h1><p>Call us.</p>"
    assert name(body, "Contact Harwood Kessel Repair") == "Harwood Kessel Repair"
    assert name("<h1>Harwood Kessel Repair</h1>", "Contact a Roofing Expert Today") is None


def test_a_firm_in_the_title_that_the_page_repeats_is_the_company():
    body = "<h1>Cracked slate</h1><p>The Harwood Kessel Works, LLC mends it.</p>"
    title = "Contact Us | Denver, CO Roofers | The Harwood Kessel Works, LLC"
    assert name(body, title) == "The Harwood Kessel Works, LLC"
    assert name("<h1>Cracked slate</h1>", title) is None


def test_and_and_its_sign_are_one_word_and_copyright_is_none():
    body = (
        "<h1>Looks</h1><p>Home and Roof Makeovers</p><footer><p>© 2014 Copyright - Home & Roof Makeovers</p></footer>"
    )
    assert name(body, "About me") == "Home & Roof Makeovers"


def test_a_person_with_a_degree_is_no_company_unless_the_page_says_so():
    body = (
        '<div itemscope itemtype="https://schema.org/Physician"><span itemprop="name">Ada L. Kessel, MSN</span></div>'
        "<h1>Skin by Ada</h1><footer>© 2020 Harwood Skin Studio</footer><p>Harwood Skin Studio</p>"
    )
    assert name(body, "Peels and more") == "Harwood Skin Studio"


def test_the_only_firm_on_a_page_of_contacts_that_names_it_twice():
    body = "<h1>Contact us</h1><p>{}</p><p>12 Mill Lane, Leeds</p><p>K7 Ltd</p>"
    assert name(body.format("K7 Ltd"), "Contact us") == "K7 Ltd"
    assert name(body.format("Harwood Ltd"), "Contact us") is None
