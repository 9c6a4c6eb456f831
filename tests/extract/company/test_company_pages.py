"""Small company sites without structured data."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

COMPANY = all_kinds().target_type("company_website")


def read(url: str, title: str, body: str, lang: str) -> dict[str, Any]:
    html = f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title></head><body>{body}</body></html>'
    found = read_target(COMPANY, page(html, url), context(url))
    return dict(found.results[0].data) if found.results else {}


def test_the_name_that_is_the_domain_comes_before_a_longer_title():
    body = "<header><h2>Fietsenmaker Jansen</h2></header><main><h1>Uw fiets, onze zorg</h1></main>"
    data = read("https://fietsenmakerjansen.test/", "Fietsenmaker Jansen Utrecht", body, "nl")
    assert data["company_name"] == "Fietsenmaker Jansen"


def test_a_number_beside_the_e_mail_needs_no_label():
    body = "<main><h1>Onze zorg</h1></main><footer><ul><li>Oudegracht 100</li><li>3511 AX Utrecht</li><li>030-1234567</li><li>info@fietsenmakerjansen.test</li><li>KvK 12345678</li></ul></footer>"
    data = read("https://fietsenmakerjansen.test/", "Fietsenmaker Jansen", body, "nl-NL")
    assert data["contact_phone"] == "+31301234567"
    assert data["headquarters"]["city"] == "Utrecht"


def test_contacts_in_a_blog_post_are_somebody_elses():
    body = "<main><article><h1>Three days in Lisbon</h1><p>Hotel Avenida, Rua Augusta 10, 1100-053 Lisboa, tel +351 210 123 456</p></article></main><footer>© Travel with Ana</footer>"
    data = read("https://travelwithana.test/2026/lisbon", "Three days in Lisbon - Travel with Ana", body, "en")
    assert (data.get("contact_phone"), data.get("headquarters")) == (None, None)


def test_a_domain_for_sale_is_no_company():
    data = read("https://widgets.test/", "widgets.test is for sale", "<h1>This domain is for sale</h1>", "en")
    assert data.get("company_name") is None


# domain, title, what stands in the page, its name
NAMES = [
    ("acmeclouds.test", "Acmeclouds Help Center : Ask us", '<meta property="og:site_name" content="Acmeclouds Help Center">', "Acmeclouds"),
    ("skinbyada.test", "Leading Spa | Skin by Ada", '<div itemscope itemtype="https://schema.org/LocalBusiness"><b itemprop="name">Ada C. Byrne, GNP, MSN</b><i itemprop="telephone">1</i></div>', "Skin by Ada"),
    ("skinbyada.test", "Skin by Ada in Santa Clara", "", "Skin by Ada"),
    ("lakedermatology.test", "Lake Dermatology and Offering Lake City Skin Care", "", "Lake Dermatology"),
    ("londonroofingco.test", "Roofing Services London", "", None),
    ("korvox.test", "KorvoxTracker", "<p>Korvox Technologies Lda</p>", "Korvox Technologies Lda"),
    ("korvox.test", "Contacts", "<p>Korvox srl</p><p>via Roma 2</p>", "Korvox srl"),
    ("korvox.test", "Contacts", "<p>Korvox Italia srl</p><p>Korvox France sarl</p>", None),
    ("firstcot.test", "Loans – Firstcott", "<footer>© 2024 First Cottage Mortgage</footer>", "First Cottage Mortgage"),
    ("mim-guide.test", "Contact - Master in Metals Guide", "<footer>© The Master in Metals Guide</footer>", "The Master in Metals Guide"),
    ("injuryoregon.test", "INJURY ATTORNEY: The Bell Law Firm Serving Portland", "<footer>©2024 The Bell Law Firm, LLC. All Rights Reserved.</footer>", "The Bell Law Firm, LLC"),
    ("imt.test", "Inland Metal Technologies - The Complete Solution", "<footer>Copyright © 2000-2014 | Inland Metal Technologies, Inc. | Phone 1</footer>", "Inland Metal Technologies"),
    ("heilo-direct.test", "", "<footer>© Heilo Fasteners UK Ltd</footer>", "Heilo Fasteners UK Ltd"),
    ("fluteandson.test", "Fitters Kent | Flute & Son Bathrooms", "", "Flute & Son Bathrooms"),
    ("ksbwork.test", "Labour Lawyers | Contact Us", '<meta property="og:site_name" content="Kerr, Stone & Bell"><header><img alt="Kerr, Stone & Bell"></header>', "Kerr, Stone & Bell"),
    ("korvox-zeitung.test", "Mieten steigen | (Korvox Zeitung)", "", "Korvox Zeitung"),
    ("korvoxkredit.test", "Zinsen: So rechnen Sie | KORVOXKREDIT", '<meta property="og:site_name" content="Zinsen">', "KORVOXKREDIT"),
    ("ccdentalgroup.test", "Contact", "<p>Call CC Dental Group Salem OR</p><p>About CC Dental Group Salem OR</p>", "CC Dental Group"),
]  # fmt: skip


@pytest.mark.parametrize(("domain", "title", "body", "name"), NAMES)
def test_the_name_is_what_two_signs_agree_on(domain: str, title: str, body: str, name: str | None):
    assert read(f"https://{domain}/", title, body, "en").get("company_name") == name


def test_the_pages_title_in_the_field_for_the_site_is_not_the_company():
    head = 'New wind park opens | Holm</title><meta property="og:site_name" content="New wind park opens"><title>'
    assert read("https://holm.test/presse/park.html", head, "<h1>Cheaper power</h1>", "en")["company_name"] == "Holm"


@pytest.mark.parametrize(("copyright_line", "name"), [
    ("© Holmblog-Archiv ist lizensiert unter .", "Holmblog-Archiv"), ("© 2024 Holmblog Holm Medien GmbH | Impressum", "Holmblog Holm Medien GmbH"),
])  # fmt: skip
def test_a_copyright_line_names_its_owner_and_ends_there(copyright_line: str, name: str):
    data = read("https://holmblog.test/?p=1", "A video", f"<h1>A video</h1><footer>{copyright_line}</footer>", "de")
    assert data["company_name"] == name


def test_a_slogan_with_a_year_is_not_a_name():
    body = '<header><img class="logo" alt="Tierfreunde in Holm seit 1841"></header><h1>Katzen</h1>'
    assert read("https://tierfreunde-holm.test/", "Katzen – Heim", body, "de").get("company_name") is None


def _links(*hrefs: str) -> list[str] | None:
    links = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    found: list[str] | None = read("https://aict.test/", "Aict", f"<h1>Aict</h1>{links}", "en").get("social_links")
    return found


def test_s053_the_people_of_a_company_are_not_its_profiles():
    company = "https://www.linkedin.com/company/aict"
    assert _links("https://www.linkedin.com/in/ada", company, "https://www.xing.com/profile/Bo") == [company]
    assert _links("https://www.linkedin.com/in/ada", "https://www.linkedin.com/in/bo") is None
    assert _links("https://www.linkedin.com/in/ada") == ["https://www.linkedin.com/in/ada"]  # a firm of one person


@pytest.mark.parametrize(
    "post",
    [
        "https://www.instagram.com/p/B9aEaKm?igshid=1", "https://www.instagram.com/reel/B9aEaKm/", "https://www.facebook.com/aict/posts/123",
        "https://www.linkedin.com/posts/aict-1", "https://www.youtube.com/shorts/abc", "https://www.tiktok.com/@aict/video/12",
    ],
)  # fmt: skip
def test_s053_a_single_post_is_no_profile(post: str):
    assert _links(post, "https://www.instagram.com/aict") == ["https://www.instagram.com/aict"]


@pytest.mark.parametrize(
    ("headquarters", "city"),
    [
        ("[À COMPLÉTER — adresse]", None), ("{{ company.address }}", None), ("SVAKOM INVESTMENT USA INC", None),
        ("our office", None), ("Rotterdam", "Rotterdam"), ("Lyon, France", "Lyon"),
    ],
)  # fmt: skip
def test_s054_headquarters_are_a_place(headquarters: str, city: str | None):
    data = read("https://aict.test/", "Aict", f"<h1>Aict</h1><p>Headquarters: {headquarters}</p>", "en")
    assert (data.get("headquarters") or {}).get("city") == city
    assert (data.get("headquarters") is None) == (city is None)


@pytest.mark.parametrize(
    ("url", "title", "body", "email"),
    [
        ("https://data-yield.test/", "DataYield", "<ul><li>Email: alex@data-yield.test</li></ul>", "alex@data-yield.test"),
        ("https://data-yield.test/", "DataYield", "<p>alex@data-yield.test</p><p>bo@data-yield.test</p>", None),
        ("https://data-yield.test/team", "DataYield", "<p>alex@data-yield.test</p>", None),
        ("https://chalet-swiss.test/impressum", "Chalet Swiss", "<h1>Impressum</h1><p>Chalet Swiss<br>E-Mail: chaletswiss@amanthos-group.test</p>", "chaletswiss@amanthos-group.test"),
        ("https://chalet-swiss.test/impressum", "Chalet Swiss", "<h1>Impressum</h1><p>Chalet Swiss<br>E-Mail: ada@amanthos-group.test</p>", None),
    ],
)  # fmt: skip
def test_s054_the_only_address_of_a_front_page_and_one_called_like_the_house(
    url: str, title: str, body: str, email: str | None
):
    assert read(url, title, f"<h1>{title}</h1>{body}", "en").get("contact_email") == email
