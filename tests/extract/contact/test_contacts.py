"""E-mail, phone and address of the company, and of nobody else."""

from __future__ import annotations

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.extract.company.name_words import bare_name, fits_label
from winnow.extract.contact.email_text import decode_cfemail
from winnow.extract.contact.postal import addresses_in
from winnow.kinds.company import COMPANY as COMPANY_WEBSITE

URL = "https://www.acme.de/kontakt"


def company(body: str, url: str = URL, head: str = "", lang: str = "de", title: str = "Kontakt") -> dict[str, object]:
    source = f'<html lang="{lang}"><head><title>Acme | {title}</title><meta property="og:site_name" content="Acme">{head}</head><body>{body}</body></html>'
    return read_target(COMPANY_WEBSITE, page(source, url), context(url)).results[0].data


ADDRESSES = [
    (["Musterstraße 12a", "70565 Stuttgart"], "Musterstraße 12a", "70565", "Stuttgart"),
    (["Musterweg 3, D-10115 Berlin"], "Musterweg 3", "10115", "Berlin"),
    (["Acme AG | Bahnhofstrasse 10 | CH-8001 Zürich"], "Bahnhofstrasse 10", "8001", "Zürich"),
    (["Mariahilfer Straße 1", "1060 Wien"], "Mariahilfer Straße 1", "1060", "Wien"),
    (["Keizersgracht 123", "1015 CJ Amsterdam"], "Keizersgracht 123", "1015 CJ", "Amsterdam"),
    (["Rue de la Loi 16, 1000 Bruxelles"], "Rue de la Loi 16", "1000", "Bruxelles"),
    (["12 rue de Rivoli", "75001 Paris"], "12 rue de Rivoli", "75001", "Paris"),
    (["Calle Mayor, 10", "28013 Madrid"], "Calle Mayor, 10", "28013", "Madrid"),
    (["Via Roma 5, 20121 Milano"], "Via Roma 5", "20121", "Milano"),
    (["Rua Augusta 100", "1100-053 Lisboa"], "Rua Augusta 100", "1100-053", "Lisboa"),
    (["ul. Prosta 20, 00-850 Warszawa"], "ul. Prosta 20", "00-850", "Warszawa"),
    (["123 Main Street, Austin, TX 78701"], "123 Main Street", "78701", "Austin"),
    (["500 Market St, Suite 200", "San Francisco, CA 94105"], "500 Market St, Suite 200", "94105", "San Francisco"),
    (["123 Main Street Austin, TX 78701"], "123 Main Street", "78701", "Austin"),
    (["Address: 123 Main St, Austin, TX 78701"], "123 Main St", "78701", "Austin"),
    (["Registered office: 10 High Street, Leeds, LS1 4DY"], "10 High Street", "LS1 4DY", "Leeds"),
    (["Bezoekadres: Keizersgracht 1, 1015 CJ Amsterdam"], "Keizersgracht 1", "1015 CJ", "Amsterdam"),
    (["100 King Street West", "Toronto, ON M5X 1A9"], "100 King Street West", "M5X 1A9", "Toronto"),
    (["1 Collins Street, Melbourne VIC 3000"], "1 Collins Street", "3000", "Melbourne"),
    (["10 High Street", "Leeds", "LS1 4DY"], "10 High Street", "LS1 4DY", "Leeds"),
    (["10 High Street, Leeds, LS1 4DY"], "10 High Street", "LS1 4DY", "Leeds"),
    (["Unit 4, Mill Lane", "Manchester", "M1 2AB", "United Kingdom"], "Unit 4, Mill Lane", "M1 2AB", "Manchester"),
    (["Dorpsplein 6", "4424 CA", "Wemeldinge"], "Dorpsplein 6", "4424 CA", "Wemeldinge"),
    (["Dorpsdijk 20, 4354 AC, Vrouwenpolder"], "Dorpsdijk 20", "4354 AC", "Vrouwenpolder"),
    (["Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200"], "Av. Paulista, 1578", "01310-200", "São Paulo"),
    (["Rua Augusta, 100, conj. 52", "Consolação - São Paulo/SP", "CEP 01305-000"], "Rua Augusta, 100", "01305-000", "São Paulo"),
    (["Rua das Flores, 123 – Centro – Curitiba – PR – CEP: 80010-000"], "Rua das Flores, 123", "80010-000", "Curitiba"),
    (["〒100-0005 東京都千代田区丸の内1丁目9番2号"], "丸の内1丁目9番2号", "100-0005", "千代田区"),
    (["〒530-0001", "大阪府大阪市北区梅田3-1-1"], "北区梅田3-1-1", "530-0001", "大阪市"),
    (["1-9-2 Marunouchi, Chiyoda-ku, Tokyo 100-0005, Japan"], "1-9-2 Marunouchi, Chiyoda-ku", "100-0005", "Tokyo"),
    (["1051 Budapest, Nádor utca 5."], "Nádor utca 5", "1051", "Budapest"),
    (["Václavské náměstí 1, 110 00 Praha 1"], "Václavské náměstí 1", "110 00", "Praha"),
    (["Büyükdere Cad. No:127, 34394 Şişli/İstanbul"], "Büyükdere Cad. No:127", "34394", "İstanbul"),
    (["12 Queen Street, Auckland 1010, New Zealand"], "12 Queen Street", "1010", "Auckland"),
    (["1 Raffles Place, #20-61, Singapore 048616"], "1 Raffles Place, #20-61", "048616", "Singapore"),
    (["No. 45, 2nd Cross, Indiranagar, Bengaluru, Karnataka 560038, India"], "No. 45, 2nd Cross, Indiranagar", "560038", "Bengaluru"),
    (["25 St Stephen's Green, Dublin 2, D02 XF99"], "25 St Stephen's Green", "D02 XF99", "Dublin"),
    (["Av. Insurgentes Sur 1602, Col. Crédito Constructor, C.P. 03940, Ciudad de México"], "Av. Insurgentes Sur 1602, Col. Crédito Constructor", "03940", "Ciudad de México"),
    (["Av. Corrientes 1234, Piso 5, C1043AAZ Buenos Aires, Argentina"], "Av. Corrientes 1234, Piso 5", "C1043AAZ", "Buenos Aires"),
    (["Via dei Mille 5/B", "00185 Roma RM"], "Via dei Mille 5/B", "00185", "Roma"),
    (["4 allée des Tilleuls, 44300 Nantes Cedex 3"], "4 allée des Tilleuls", "44300", "Nantes"),
    (["Vesterbrogade 6D, 4. sal", "1620 København V"], "Vesterbrogade 6D, 4. sal", "1620", "København"),
    (["Polígono Industrial La Cruz, Parcela 12, 46980 Paterna (Valencia)"], "Polígono Industrial La Cruz, Parcela 12", "46980", "Paterna"),
    (["20533 Biscayne Blvd", "Suite 4-1136", "Aventura, FL 33180"], "20533 Biscayne Blvd, Suite 4-1136", "33180", "Aventura"),
    (["1190 Kennet Circle NW | Suite 120 | Marietta, GA 30066"], "1190 Kennet Circle NW, Suite 120", "30066", "Marietta"),
    (["4503 West Lovers Lane", "P.O. Box 7330", "Dallas, Texas 75209"], "4503 West Lovers Lane", "75209", "Dallas"),
    (["Level 5, 100 Collins Street, Melbourne VIC 3000"], "Level 5, 100 Collins Street", "3000", "Melbourne"),
    (["Unit 3 Palace Court", "250 Finchley Road", "Hampstead", "London NW3 6DN"], "Unit 3 Palace Court, 250 Finchley Road", "NW3 6DN", "London"),
    (["Pentland House, Village Way, Wilmslow, Cheshire, SK9 2GH"], "Pentland House, Village Way", "SK9 2GH", "Wilmslow"),
    (["The Old Mill", "Mill Lane", "Godalming", "Surrey", "GU7 1EY"], "The Old Mill, Mill Lane", "GU7 1EY", "Godalming"),
    (["Unit 15 Olympic Court", "Whitehills Business Park", "Lancashire", "FY4 5GU"], "Unit 15 Olympic Court, Whitehills Business Park", "FY4 5GU", ""),
    (["6-8 Hazelwood Rd", "Cudham", "Sevenoaks", "Kent", "TN14 7QU"], "6-8 Hazelwood Rd", "TN14 7QU", "Sevenoaks"),
    (["Rúa do Vilar 12, bajo, 15705 Santiago de Compostela (A Coruña)"], "Rúa do Vilar 12, bajo", "15705", "Santiago de Compostela"),
    (["Av. de la Constitución s/n, 41001 Sevilla"], "Av. de la Constitución s/n", "41001", "Sevilla"),
    (["C/ Alegría, 4 (CC, entrada por el mercado, Nivel 1, 28942 Fuenlabrada, Madrid)"], "C/ Alegría, 4", "28942", "Fuenlabrada"),
    (["Büro: Friedrichstr. 12 in 10969 Berlin"], "Friedrichstr. 12", "10969", "Berlin"),
    (["Calle Velázquez, 48 · 2ª planta", "28001 Madrid"], "Calle Velázquez, 48, 2ª planta", "28001", "Madrid"),
    (["12 Mill Street, St Helens, WA10 1AB"], "12 Mill Street", "WA10 1AB", "St Helens"),
]  # fmt: skip
NO_ADDRESSES = [
    ["© 2024 Acme GmbH"], ["Founded 1998 in Berlin"], ["2023 Annual Report"], ["12345 Reviews"], ["HRB 12345 Amtsgericht Köln"],
    ["Call 030 12345 Berlin"], ["Since 2019", "2020 Wien"], ["over 10000 Customers"], ["Price 1999 Euro"], ["Open 9", "1060 Wien"],
    ["Offer valid until", "31 December 2024"], ["Article 12345 Details"], ["1300 New York Avenue, N.W. Washington, D.C. 20577, USA"],
    ["Artikelnummer 01310-200", "Lieferzeit 3 Tage"], ["ISBN 100-0005 Japan"],
]  # fmt: skip


@pytest.mark.parametrize(("lines", "street", "code", "city"), ADDRESSES)
def test_postal_addresses_of_many_countries(lines: list[str], street: str, code: str, city: str):
    found = addresses_in(["Acme", *lines])
    assert [(a.street, a.code, a.city) for a in found] == [(street, code, city)]


@pytest.mark.parametrize("lines", NO_ADDRESSES)
def test_numbers_beside_words_are_no_addresses(lines: list[str]):
    assert addresses_in(lines) == []


@pytest.mark.parametrize(
    "body",
    [
        '<a href="mailto:info@acme.de">Mail</a>', "<p>info@acme.de</p>", "<p>info [at] acme [dot] de</p>", "<p>info (at) acme.de</p>",
        "<p>info(at)acme(punkt)de</p>", "<p>info AT acme DOT de</p>", "<p>info&#64;acme.de</p>",
        '<p>info@<i class="hidden">clutter</i>acme.de</p>', '<p>info@<span style="display: none">spam.</span>acme.de</p>',
        '<span class="__cf_email__" data-cfemail="%s">[email protected]</span>' % ("42" + "".join(f"{ord(c) ^ 0x42:02x}" for c in "info@acme.de")),
        '<a href="/cdn-cgi/l/email-protection#%s">x</a>' % ("17" + "".join(f"{ord(c) ^ 0x17:02x}" for c in "info@acme.de")),
    ],
)  # fmt: skip
def test_every_spelling_of_an_email_is_read(body: str):
    assert company(body)["contact_email"] == "info@acme.de"


@pytest.mark.parametrize(
    "body",
    [
        '<footer><div>Website by <a href="mailto:hello@agency.io">Agency</a></div></footer>',
        '<p>Webdesign: Pixelwerk, info@pixelwerk.de</p>', '<input placeholder="you@example.com">', '<img src="logo@2x.png">',
        '<a href="mailto:privacy@acme.de">Privacy</a>', '<a href="mailto:noreply@acme.de">x</a>', '<a href="mailto:acme-newsletter@acme.de">x</a>', '<p>someone@partner-firm.com wrote</p>',
        '<p>presse@acme.de</p>', '<footer><a href="mailto:jobs@acme.de">Jobs</a></footer>',
        '<a href="mailto:a.berg@acme.de">A</a><a href="mailto:t.falk@acme.de">T</a>', '<a href="mailto:?subject=Share">Share</a>',
    ],
)  # fmt: skip
def test_what_is_not_the_companys_email_is_not_taken(body: str):
    assert company(f"<main><h1>Welcome</h1>{body}</main>", "https://www.acme.de/")["contact_email"] is None


@pytest.mark.parametrize(
    ("body", "number"),
    [
        ('<a href="tel:+49711123456">Call</a>', "+49711123456"), ("<p>Tel.: 0711 / 123 456</p>", "+49711123456"),
        ("<p>T 0711 123456 · F 0711 123457</p>", "+49711123456"), ("<dt>Telefon</dt><dd>0711 123456</dd>", "+49711123456"),
        ("<p>Fax: 0711 123457</p><p>Telefon: 0711 123456</p>", "+49711123456"), ("<p>Fax: 0711 123457</p>", None),
        ("<p>+49 711 123456</p>", "+49711123456"), ("<p>USt-IdNr.: DE 811 123 456</p>", None), ("<p>IBAN DE02 1203 0000 0000 2020 51</p>", None),
        ("<p>HRB 711123456</p>", None), ("<p>12.05.2024 - 14.05.2024</p>", None), ("<p>Order 0711 123456 now</p>", None),
        ("<p>Abo:+49 6123 9238-253Allgemein:+49 511 9910-000</p>", None), ("<h3>Pressekontakt</h3><p>Ida Holm</p><p>Tel.: 0211 77900 363</p>", None),
        ('<span>Fax</span> <a href="tel:+49711123457">0711 123457</a>', None),
    ],
)  # fmt: skip
def test_phones_are_phones_and_faxes_are_not(body: str, number: str | None):
    assert company(f"<main>{body}</main>")["contact_phone"] == number


def test_an_address_in_an_article_is_not_the_companys():
    schema = '<script type="application/ld+json">{"@type": "NewsArticle", "headline": "Fair"}</script>'
    body = "<article><h1>The fair</h1><p>Messeplatz 1<br>50679 Köln<br>Telefon 0221 123456<br>tickets@messe.de</p></article><footer>© 2026 Acme</footer>"
    found = company(body, "https://www.acme.de/news/fair", schema, title="The fair")
    assert (found["headquarters"], found["contact_phone"], found["contact_email"]) == (None, None, None)


@pytest.mark.parametrize("body", [
    "<p>Nordwerk SE</p><p>Felix Zander</p><p>Langer Weg 600</p><p>22419 Hamburg</p><p>www.nordwerk.example</p>",
    "<p>Kontaktadresse:</p><p>Verband Sachsen e.V. Pressestelle Katharinenstr. 17, 04109 Leipzig Telefon: (0341) 1234567</p>",
    "<p>4,53 bei 4394 Bewertungen, Kontakt</p>", "<p>Copyright Acme - Issn 1852 9232 Todos los derechos reservados</p>",
])  # fmt: skip
def test_an_address_under_another_firm_is_that_firms(body: str):
    assert (
        company(f"<main><h1>Neues aus der Branche</h1>{body}</main>", "https://www.acme.de/branche", title="Branche")[
            "headquarters"
        ]
        is None
    )


def test_a_firm_called_like_a_house_is_not_the_house():
    body = "<p>Acme Building</p><p>Unit D5</p><p>Innsworth Technology Park</p><p>Innsworth Lane</p><p>Gloucester</p><p>GL3 1DL</p>"
    head = '<meta property="og:site_name" content="Acme Building">'
    source = f'<html lang="en"><head><title>Acme Building</title>{head}</head><body>{body}</body></html>'
    url = "https://www.acme-building.co.uk/"
    found = read_target(COMPANY_WEBSITE, page(source, url), context(url)).results[0].data["headquarters"]
    assert (found["street"], found["city"]) == ("Unit D5, Innsworth Technology Park, Innsworth Lane", "Gloucester")


def test_the_head_office_wins_over_the_branches():
    body = "<h2>Hauptsitz</h2><p>Acme GmbH<br>Weg 1<br>70565 Stuttgart</p><h2>Niederlassung</h2><p>Acme GmbH<br>Allee 2<br>20457 Hamburg</p>"
    assert company(body)["headquarters"]["city"] == "Stuttgart"


@pytest.mark.parametrize(
    ("name", "label"),
    [("Acme Widgets GmbH", "acme"), ("Acme Widgets GmbH", "acmewidgets"), ("Bayerische Motoren Werke AG", "bmw"), ("Müller & Söhne", "muellersoehne"), ("Café Solar", "cafesolar"), ("Zahnarztpraxis Dr. Müller in Köln", "zahnarztmuellerkoeln")],
)  # fmt: skip
def test_names_that_fit_their_domain(name: str, label: str):
    assert fits_label(name, label)


def test_a_slogan_with_the_domain_in_it_is_not_a_name():
    assert not fits_label("Günstige Autoteile online kaufen bei Autoteile24", "autoteile24")


def test_the_visiting_address_wins_over_the_post_box():
    body = "<p>Acme B.V.<br>Keizersgracht 1<br>1015 CJ Amsterdam</p><p>Postbus 12<br>1000 AB Amsterdam</p>"
    assert company(body)["headquarters"]["street"] == "Keizersgracht 1"


def test_legal_forms_are_set_aside_for_comparing():
    assert bare_name("Acme Widgets GmbH & Co. KG") == "Acme Widgets"
    assert bare_name("Acme Inc.") == "Acme"


def test_cfemail_that_is_broken_is_nothing():
    assert decode_cfemail("zz") == ""
    assert decode_cfemail("") == ""


@pytest.mark.parametrize(
    ("head", "url", "name"),
    [
        ("<title>Home</title>", "https://www.acme.de/", None),
        (
            '<title>Acme – Tools for you</title><meta property="og:site_name" content="Acme">',
            "http://127.0.0.1:8000/",
            "Acme",
        ),
        ('<title>Welcome</title><meta property="og:site_name" content="WordPress">', "https://www.acme.de/", None),
        ("<title>Best tools online | Acme Tools</title>", "https://acmetools.com/", "Acme Tools"),
        ('<title>Shop</title><meta property="og:site_name" content="My Site">', "https://acme.wixsite.com/", None),
    ],
)
def test_a_company_name_needs_two_signs(head: str, url: str, name: str | None):
    source = f"<html><head>{head}</head><body><h1>Buy tools</h1></body></html>"
    assert read_target(COMPANY_WEBSITE, page(source, url), context(url)).results[0].data["company_name"] == name
