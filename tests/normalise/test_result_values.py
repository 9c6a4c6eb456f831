"""Text, links, e-mail, phones, places, head counts and salaries as pages write them."""

from __future__ import annotations

import pytest

from winnow.normalise.doubts import Unread
from winnow.normalise.emails import read_email
from winnow.normalise.employees import read_employees
from winnow.normalise.links import read_link
from winnow.normalise.money.salary import Salary, read_salary, salary_of
from winnow.normalise.phones import read_phone
from winnow.normalise.places.home_country import home_country
from winnow.normalise.places.read import place_of, read_place
from winnow.normalise.text import clean_line, clean_prose

TEXTS = [
    ("  <b>Acme</b>&nbsp;&amp; Sons\u200b ", "Acme & Sons"), ("Caf\u00c3\u00a9 M\u00c3\u00bcller", "Café Müller"),
    ("It\u00e2\u20ac\u2122s here", "It’s here"), ("&amp;lt;p&amp;gt;Hi&amp;lt;/p&amp;gt;", "Hi"),
    ("<script>alert(1)</script>Hello", "Hello"), ("5 < 6", "5 < 6"), ("a\u00adb", "ab"), ("\ufeffTitle\r\n two", "Title two"),
    ("naïve résumé – ünïcode", "naïve résumé – ünïcode"), ("<p>unclosed", "unclosed"), ("e\u0301", "é"),
    ("Ãpfel", "Ãpfel"), ("<!-- hidden -->shown", "shown"),
]  # fmt: skip
LINKS = [
    ("http://Acme.com/a?utm_source=x&b=1&fbclid=2#top", "https://acme.com/a?b=1"), ("www.acme.com", "https://www.acme.com/"),
    ("//acme.com/x", "https://acme.com/x"), ("/about", "https://base.example/about"), ("acme.de/jobs", "https://acme.de/jobs"),
    ("page.html", "https://base.example/dir/page.html"), ("https://acme.com/?gclid=1", "https://acme.com/"),
]  # fmt: skip
EMAILS = [
    ("mailto:Info@ACME.com?subject=x", "Info@acme.com"), ("<sales@acme.co.uk>", "sales@acme.co.uk"), ("INFO@ACME.DE", "info@acme.de"),
    ("jo.o'neil@acme.ie", "jo.o'neil@acme.ie"),
]  # fmt: skip
NO_EMAILS = [
    "logo@2x.png", "you@example.com", "name@domain.com", "a@b", "x..y@acme.com", "deadbeefdeadbeefdeadbeef@sentry.io",
    "info@acme.notatld", "", "hello", "@acme.com", "max.mustermann@acme.de",
]  # fmt: skip
PHONES = [
    ("+49 (0) 711 / 123 45-67", None, "+497111234567"), ("0711 1234567", "DE", "+497111234567"),
    ("(212) 736-5000", "US", "+12127365000"), ("1-800-275-2273", "US", "+18002752273"), ("020 7839 7611", "GB", "+442078397611"),
    ("01 42 68 53 00", "FR", "+33142685300"), ("020 624 1111", "NL", "+31206241111"), ("0031 20 624 1111", None, "+31206241111"),
    ("tel:+41-44-668-18-00", None, "+41446681800"), ("+1 212-736-5000 ext. 12", None, "+12127365000"),
    ("91 521 28 00", "ES", "+34915212800"), ("06 6982", "IT", "+39066982"), ("+353 1 679 3122", "US", "+35316793122"),
]  # fmt: skip
NO_PHONES = [
    ("2023-05-12", "DE"), ("12.05.2023", "DE"), ("1998-2024", "DE"), ("0000000000", "US"), ("555-0123", "US"), ("+1 212 555 0123", None),
    ("12345", "DE"), ("0711 1234567", None), ("DE123456789", "DE"), ("", "US"), ("+44 1632 960123", None), ("1234567890123456789", "US"),
]  # fmt: skip
PEOPLE = [
    ("51-200", "51-200"), ("51–200 employees", "51-200"), ("1.000+ Mitarbeiter", "1000+"), ("10k+", "10000+"), ("10,001+ employees", "10001+"),
    ("über 500 Mitarbeiter", "500+"), ("5.000-10.000", "5000-10000"), ("1K-5K", "1000-5000"), ("250", "250"), ("2-10 medewerkers", "2-10"),
    ("1,5k", "1500"), ("more than 1,200 people", "1200+"), ("zwischen 50 und 100", "50-100"), ("1 001 à 5 000 salariés", "1001-5000"),
]  # fmt: skip
PAY = [
    ("$80k–$100k a year", "en-US", "80000-100000 USD per year"), ("€ 3.500 brutto pro Monat", "de", "3500 EUR per month"),
    ("£15/hr", "en-GB", "15 GBP per hour"), ("45.000 - 55.000 EUR p.a.", "de", "45000-55000 EUR per year"),
    ("Up to £60,000 per annum", "en-GB", "up to 60000 GBP per year"), ("From $20 an hour", "en-US", "from 20 USD per hour"),
    ("60-80k €", "de", "60000-80000 EUR"), ("$120,000.00 - $150,000.00 USD/yr", "en-US", "120000-150000 USD per year"),
    ("CHF 90'000 – 110'000", "de-CH", "90000-110000 CHF"), ("₹6,00,000 - ₹10,00,000 a year", "en-IN", "600000-1000000 INR per year"),
    ("20 € de l'heure", "fr", "20 EUR per hour"), ("bis zu 65.000 €", "de", "up to 65000 EUR"), ("R$ 5.000 por mês", "pt-BR", "5000 BRL per month"),
    ("€3.000 - €4.500 per maand", "nl", "3000-4500 EUR per month"), ("35 000 € - 45 000 € par an", "fr", "35000-45000 EUR per year"),
    ("40K€ - 50K€ brut annuel", "fr", "40000-50000 EUR per year"), ("30.000 € - 36.000 € bruto/año", "es", "30000-36000 EUR per year"),
    ("$25.50 - $30.00 per hour", "en-US", "25.50-30 USD per hour"), ("40 hours per week, $20/hour", "en-US", "20 USD per hour"),
    ("12,50 € pro Stunde", "de", "12.50 EUR per hour"), ("PLN 15 000 - 20 000 / month", "pl", "15000-20000 PLN per month"),
    ("RAL 30.000 - 35.000 €", "it", "30000-35000 EUR per year"), ("$1,500/week", "en-US", "1500 USD per week"),
    ("zwischen 50.000 und 60.000 Euro pro Jahr", "de", "50000-60000 EUR per year"), ("€ 2.800,00 – € 3.400,50 per maand", "nl", "2800-3400.50 EUR per month"),
    ("2 100 € brut / mois", "fr", "2100 EUR per month"), ("6 000 - 8 000 zł brutto / mies.", "pl", "6000-8000 PLN per month"),
    ("18.000 € - 20.000 € brutos/año", "es", "18000-20000 EUR per year"), ("S/ 3,500 al mes", "es-PE", "3500 PEN per month"),
    ("年収 500万円～700万円", "ja", "5000000-7000000 JPY per year"), ("月給 250,000円", "ja", "250000 JPY per month"), ("€ 2.500 / maand", "nl", "2500 EUR per month"),
]  # fmt: skip
NO_PAY = [
    ("Competitive", "en"), ("80k", "en"), ("", "en"), ("$100 - $50 per hour", "en-US"), ("$5 per year", "en-US"), ("DOE", "en"),
    ("10 € 20 € 30 €", "de"), ("$ 100000 €", "en"), ("$20 per hour or $40,000 per year", "en-US"),
]  # fmt: skip
PLACES = [
    ("Amsterdam", "Amsterdam", None, "NL"), ("Austin, TX", "Austin", "Texas", "US"), ("75001 Paris, Frankreich", "Paris", None, "FR"),
    ("Greater Boston Area", "Boston", "Massachusetts", "US"), ("Remote (Germany)", None, None, "DE"), ("Toronto, CA", "Toronto", "Ontario", "CA"),
    ("San Francisco, CA", "San Francisco", "California", "US"), ("Berlin, DE", "Berlin", "Berlin", "DE"), ("London", "London", "England", "GB"),
    ("London, ON", "London", "Ontario", "CA"), ("Birmingham", "Birmingham", None, None), ("Birmingham, AL", "Birmingham", "Alabama", "US"),
    ("Paris, Texas", "Paris", "Texas", "US"), ("Georgia", None, None, None), ("Tbilisi, Georgia", "Tbilisi", None, "GE"),
    ("Atlanta, Georgia", "Atlanta", "Georgia", "US"), ("Köln, Nordrhein-Westfalen, Deutschland", "Köln", "North Rhine-Westphalia", "DE"),
    ("Kleinstadt, Bayern", "Kleinstadt", "Bavaria", "DE"), ("Sydney NSW 2000", "Sydney", "New South Wales", "AU"),
    ("1012 AB Amsterdam", "Amsterdam", None, "NL"), ("Washington, DC", "Washington", "District of Columbia", "US"),
    ("São Paulo, SP, Brasil", "São Paulo", "São Paulo", "BR"), ("Mexico City, Mexico", "Mexico City", None, "MX"),
    ("Milano (MI)", "Milano", None, "IT"), ("Berlin / Hamburg", "Berlin", "Berlin", "DE"), ("Remote", None, None, None),
    ("Multiple locations", None, None, None), ("New York, NY", "New York", "New York", "US"), ("CA", None, None, None),
    ("Zürich, Schweiz", "Zürich", None, "CH"), ("Ciudad de México, México", "Ciudad de México", None, "MX"),
    ("Lisboa, Portugal", "Lisboa", None, "PT"), ("Location: Hamburg", "Hamburg", "Hamburg", "DE"), ("Xyzzyville", None, None, None),
    ("Genève, Suisse", "Genève", None, "CH"), ("Wenen, Oostenrijk", "Wenen", None, "AT"), ("Los Angeles, CA 90012, US", "Los Angeles", "California", "US"),
]  # fmt: skip


@pytest.mark.parametrize(("raw", "clean"), TEXTS)
def test_text_is_cleaned(raw: str, clean: str):
    assert clean_line(raw) == clean


def test_paragraphs_and_lists_keep_their_lines():
    assert clean_prose("<p>One</p><ul><li>a</li><li>b</li></ul>Two<br>three") == "One\n- a\n- b\nTwo\nthree"


@pytest.mark.parametrize(("raw", "link"), LINKS)
def test_property_33_links_are_https_without_tracking(raw: str, link: str):
    assert read_link(raw, "https://base.example/dir/index") == link


@pytest.mark.parametrize(
    "raw", ["javascript:alert(1)", "mailto:a@b.com", "", "https://", "https://.acme.de/", "ftp://acme.com/"]
)
def test_what_is_no_web_address_is_refused(raw: str):
    assert isinstance(read_link(raw), Unread)


@pytest.mark.parametrize(("raw", "email"), EMAILS)
def test_emails(raw: str, email: str):
    assert read_email(raw) == email


@pytest.mark.parametrize("raw", NO_EMAILS)
def test_what_only_looks_like_an_email_is_refused(raw: str):
    assert isinstance(read_email(raw), Unread)


@pytest.mark.parametrize(("raw", "country", "number"), PHONES)
def test_phones_become_e164(raw: str, country: str | None, number: str):
    assert read_phone(raw, country) == number


@pytest.mark.parametrize(("raw", "country"), NO_PHONES)
def test_dates_ids_and_made_up_numbers_are_no_phones(raw: str, country: str | None):
    assert isinstance(read_phone(raw, country), Unread)


@pytest.mark.parametrize(("raw", "people"), PEOPLE)
def test_head_counts(raw: str, people: str):
    assert read_employees(raw) == people


@pytest.mark.parametrize("raw", ["many", "", "200-50", "1.5", "0", "99999999999"])
def test_what_is_no_head_count_is_refused(raw: str):
    assert isinstance(read_employees(raw), Unread)


@pytest.mark.parametrize(("raw", "locale", "text"), PAY)
def test_salaries(raw: str, locale: str, text: str):
    found = read_salary(raw, locale)
    assert isinstance(found, Salary), found
    assert found.text() == text


@pytest.mark.parametrize(("raw", "locale"), NO_PAY)
def test_what_is_no_clear_salary_is_refused(raw: str, locale: str):
    assert isinstance(read_salary(raw, locale), Unread)


def test_salaries_of_data():
    found = salary_of("60000", "80000", "EUR", "YEAR")
    assert isinstance(found, Salary)
    assert (found.low, found.high, found.text()) == (6_000_000, 8_000_000, "60000-80000 EUR per year")
    assert isinstance(salary_of("60000", "80000", "", "YEAR"), Unread)
    assert isinstance(salary_of("80000", "60000", "EUR", "YEAR"), Unread)
    assert isinstance(salary_of("nan", "", "EUR", "YEAR"), Unread)


@pytest.mark.parametrize(("raw", "city", "region", "country"), PLACES)
def test_places(raw: str, city: str | None, region: str | None, country: str | None):
    found = read_place(raw)
    assert (found.city, found.state_region, found.country_code, found.raw) == (city, region, country, raw)


def test_parts_of_an_address_that_data_names_are_believed():
    found = place_of("x", "Kleinstadt", "BY", "DE")
    assert (found.city, found.state_region, found.country) == ("Kleinstadt", "Bavaria", "Germany")
    assert place_of("x", "AMSTERDAM", "", "nl").city == "Amsterdam"
    assert (place_of("x", "Berlin", "DE", "").country_code, place_of("x", "Dover", "DE", "").country_code) == (
        "DE",
        "US",
    )
    assert place_of("x", "Greater Stockholm Metropolitan Area", "", "SE").city == "Stockholm"
    assert place_of("x", "Somewhere", "", "").country is None


def test_where_a_page_is_at_home():
    assert home_country("en-US", "https://acme.de/") == "DE"
    assert home_country("de-AT", "https://acme.com/") == "AT"
    assert home_country("en", "https://acme.io/") is None
    assert home_country("", "http://127.0.0.1:8000/", "info@acme.co.uk") == "GB"
