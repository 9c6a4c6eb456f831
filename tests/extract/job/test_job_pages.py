"""Job postings as companies, boards and agencies write them, and pages that only look like one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from winnow.kinds.registry import all_kinds

POSTING = all_kinds().target_type("job_posting")
URL = "https://jobs.example.com/analyst"
NAV = '<header><a href="/">Home</a><nav><a href="/events">Events</a><a href="/about">About</a></nav></header>'
FOOT = "<footer>© 2026 Town Hall · Tel 030 123456 · Open Mon-Fri 9:00-17:00</footer>"


def doc(head: str, body: str, lang: str = "en") -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'


P: dict[str, tuple[str, str, dict[str, Any]]] = {}
P["plain en"] = (
    "https://acme.example.com/careers/senior-engineer",
    doc(
        "<title>Senior Engineer - Careers at Acme Robotics</title>",
        NAV
        + '<main><h1>Senior Engineer</h1><p class="meta">Leeds, UK · Full-time · £55,000 - £65,000 per year</p><h2>About the role</h2><p>Acme Robotics builds arms.</p><h2>Requirements</h2><ul><li>5 years of Python</li></ul><p>Posted 3 November 2026</p><a>Apply now</a></main><footer>© 2026 Acme Robotics Ltd</footer>',
        "en-GB",
    ),
    dict(job_title="Senior Engineer", company_name="Acme Robotics", city="Leeds"),
)
P["de"] = (
    "https://mueller.example.de/karriere/elektriker",
    doc(
        "<title>Elektriker (m/w/d) in München | Müller Elektrotechnik GmbH</title>",
        NAV
        + "<main><h1>Elektriker (m/w/d)</h1><ul><li>Standort: München</li><li>Vollzeit, unbefristet</li><li>Gehalt: 3.200 – 3.800 € / Monat</li></ul><h2>Ihre Aufgaben</h2><p>…</p><h2>Ihr Profil</h2><p>Abgeschlossene Ausbildung</p></main><footer>Müller Elektrotechnik GmbH · Lindenstr. 4 · 80331 München</footer>",
        "de",
    ),
    dict(job_title="Elektriker (m/w/d)", company_name="Müller Elektrotechnik GmbH", city="München"),
)
P["greenhouse"] = (
    "https://boards.example.io/acme/jobs/4411",
    doc(
        "<title>Job Application for Product Designer at Lumen Labs</title><meta property='og:title' content='Product Designer'>",
        '<div id="app_body"><div id="header"><h1 class="app-title">Product Designer</h1><span class="company-name">at Lumen Labs</span><div class="location">Remote - Berlin, Germany</div></div><div id="content"><p>Lumen Labs makes light.</p></div></div>',
    ),
    dict(job_title="Product Designer", company_name="Lumen Labs", city="Berlin"),
)
P["jsonld"] = (
    "https://j.example.com/1",
    doc(
        '<title>x</title><script type="application/ld+json">{"@context":"https://schema.org","@type":"JobPosting","title":"Nurse","datePosted":"2026-11-01","validThrough":"2026-12-01T00:00","employmentType":["FULL_TIME","PART_TIME"],"hiringOrganization":{"@type":"Organization","name":"St. Mary Hospital"},"jobLocation":[{"@type":"Place","address":{"@type":"PostalAddress","addressLocality":"Dublin","addressCountry":"IE"}}],"baseSalary":{"@type":"MonetaryAmount","currency":"EUR","value":{"@type":"QuantitativeValue","minValue":38000,"maxValue":45000,"unitText":"YEAR"}}}</script>',
        "<h1>Nurse</h1>",
    ),
    dict(job_title="Nurse", company_name="St. Mary Hospital", city="Dublin"),
)
P["fr"] = (
    "https://emploi.example.fr/offre/comptable",
    doc(
        "<title>Comptable H/F - Cabinet Durand - Lyon</title>",
        NAV
        + "<main><h1>Comptable H/F</h1><dl><dt>Entreprise</dt><dd>Cabinet Durand</dd><dt>Lieu</dt><dd>Lyon (69)</dd><dt>Contrat</dt><dd>CDI</dd><dt>Salaire</dt><dd>32 000 € à 36 000 € brut annuel</dd></dl><p>Missions…</p></main>"
        + FOOT,
        "fr",
    ),
    dict(job_title="Comptable H/F", company_name="Cabinet Durand", city="Lyon"),
)
P["a step of an application"] = (
    "https://apply.workable.com/korvox/j/37/apply/",
    doc("<title>Test Engineer - Korvox AG - Application</title>", "<form><label>First name *</label></form>"),
    dict(job_title="Test Engineer", company_name="Korvox AG"),
)
P["a banner with a heading"] = (
    "https://careers.korvox.test/jobs/8-platform-engineer",
    doc(
        "<title>Platform Engineer - Korvox AG</title>",
        "<main><h1>Platform Engineer</h1><p>Korvox AG builds.</p></main><div><h1>Privacy policy for our recruitment</h1></div>",
    ),
    dict(job_title="Platform Engineer", company_name="Korvox AG"),
)
P["only the title says it"] = (
    "https://korvox.test/jobs/9",
    doc("<title>Data Engineer - Korvox</title>", "<h2>Privacy</h2><p>Korvox</p>"),
    dict(job_title="Data Engineer", company_name="Korvox"),
)
P["a form for a job"] = (
    "https://apply.forms.test/1/2",
    doc("<title>Fachperson Daten 80-100% (w/m/d)</title>", "<form><p>Ort</p><p>Land *</p></form>", "de"),
    dict(job_title="Fachperson Daten 80-100% (w/m/d)", company_name=None, city=None),
)
P["a list by place"] = (
    "https://board.test/jobs",
    doc("<title>Board</title>", "<main><h1>Junior Developer Jobs in Leeds, UK</h1></main>"),
    dict(job_title=None),
)
P["a sentence with the company"] = (
    "https://careers.korvox.test/job/1",
    doc("<title>Find job opportunities with Korvox</title>", "<p>© Korvox</p>"),
    dict(job_title=None),
)
P["nl"] = (
    "https://werk.example.nl/vacature/123",
    doc(
        "<title>Vacature Magazijnmedewerker bij De Vries Logistiek in Tilburg</title>",
        NAV
        + '<main><h1>Magazijnmedewerker</h1><div class="job-company">De Vries Logistiek</div><div class="job-location">Tilburg</div><div>€ 2.400 - € 2.700 per maand</div><p>Wat ga je doen?</p></main>'
        + FOOT,
        "nl",
    ),
    dict(job_title="Magazijnmedewerker", company_name="De Vries Logistiek", city="Tilburg"),
)
P["es"] = (
    "https://empleo.example.es/oferta/9",
    doc(
        "<title>Camarero/a en Hotel Sol | Empleo</title>",
        NAV
        + "<main><h1>Camarero/a</h1><p>Empresa: Hotel Sol</p><p>Ubicación: Sevilla, España</p><p>Jornada completa</p><p>Salario: 1.400 € brutos/mes</p></main>"
        + FOOT,
        "es",
    ),
    dict(job_title="Camarero/a", company_name="Hotel Sol", city="Sevilla"),
)
P["pl"] = (
    "https://praca.example.pl/o/1",
    doc(
        "<title>Kierowca kat. C+E - Trans-Pol Sp. z o.o. - Poznań</title>",
        NAV
        + "<main><h1>Kierowca kat. C+E</h1><div>Pracodawca: Trans-Pol Sp. z o.o.</div><div>Lokalizacja: Poznań</div><div>8 000–9 500 zł brutto / mies.</div></main>"
        + FOOT,
        "pl",
    ),
    dict(job_title="Kierowca kat. C+E", company_name="Trans-Pol Sp. z o.o.", city="Poznań"),
)
P["list page"] = (
    "https://acme.example.com/careers",
    doc(
        "<title>Careers at Acme</title>",
        NAV
        + '<main><h1>Careers</h1><ul><li><a href="/careers/1">Senior Engineer</a> Leeds</li><li><a href="/careers/2">Designer</a> London</li></ul></main>',
    ),
    dict(job_title=None),
)
P["lever"] = (
    "https://jobs.example.co/northwind/abc-123",
    doc(
        "<title>Northwind Traders - Data Analyst</title><meta property='og:title' content='Northwind Traders - Data Analyst'>",
        '<div class="posting-headline"><h2>Data Analyst</h2><div class="posting-categories"><div class="sort-by-location posting-category">Toronto, ON</div><div class="sort-by-team posting-category">Analytics /</div><div class="sort-by-commitment posting-category">Full-time</div></div></div><div class="section"><h3>What you will do</h3></div>',
    ),
    dict(job_title="Data Analyst", company_name="Northwind Traders", city="Toronto"),
)
P["sv"] = (
    "https://jobb.example.se/annons/77",
    doc(
        "<title>Sjuksköterska till Region Norr | Jobb</title>",
        NAV
        + "<main><h1>Sjuksköterska</h1><p>Arbetsgivare: Region Norr</p><p>Ort: Umeå</p><p>Omfattning: Heltid</p><p>Sista ansökningsdag: 2026-12-01</p></main>"
        + FOOT,
        "sv",
    ),
    dict(job_title="Sjuksköterska", company_name="Region Norr", city="Umeå"),
)
P["workday-like"] = (
    "https://acme.wd3.example.com/en-US/careers/job/Austin-TX/Staff-Engineer_R-123",
    doc(
        "<title>Staff Engineer</title><meta property='og:site_name' content='Acme Careers'>",
        "<main><h1>Staff Engineer</h1><dl><dt>locations</dt><dd>Austin, TX</dd><dt>time type</dt><dd>Full time</dd><dt>posted on</dt><dd>Posted 3 Days Ago</dd></dl><p>Acme is an equal opportunity employer.</p></main>",
    ),
    dict(job_title="Staff Engineer", city="Austin"),
)
P["it"] = (
    "https://lavoro.example.it/annuncio/1",
    doc(
        "<title>Magazziniere - Bianchi S.r.l. - Modena</title>",
        NAV
        + "<main><h1>Magazziniere</h1><p>Azienda: Bianchi S.r.l.</p><p>Sede di lavoro: Modena (MO)</p><p>Contratto: tempo indeterminato</p><p>Retribuzione: 1.500 € al mese</p></main>"
        + FOOT,
        "it",
    ),
    dict(job_title="Magazziniere", company_name="Bianchi S.r.l.", city="Modena"),
)
P["recruiter"] = (
    "https://agency.example.co.uk/jobs/finance-manager",
    doc(
        "<title>Finance Manager job in Bristol | Bright Recruitment</title>",
        NAV
        + '<main><h1>Finance Manager</h1><ul class="job-meta"><li>Bristol, South West</li><li>£45k - £50k per annum</li><li>Permanent</li></ul><p>Our client, a leading retailer, is looking for…</p><p>Posted by Bright Recruitment</p></main><footer>© Bright Recruitment Ltd</footer>',
        "en-GB",
    ),
    dict(job_title="Finance Manager", city="Bristol"),
)
P["blog about hiring"] = (
    "https://acme.example.com/blog/how-we-hire",
    doc(
        "<title>How we hire engineers</title>",
        NAV + "<main><article><h1>How we hire engineers</h1><p>At Acme we look for…</p></article></main>",
    ),
    dict(job_title=None),
)
P["product"] = (
    "https://s.example.com/p/desk",
    doc("<title>Desk</title>", NAV + "<main><h1>Standing desk</h1><p>€399</p><button>Add to cart</button></main>"),
    dict(job_title=None),
)
P["de2"] = (
    "https://www.kanzlei-weber.example/stellenangebote/rechtsanwaltsfachangestellte",
    doc(
        "<title>Rechtsanwaltsfachangestellte/r gesucht - Kanzlei Weber &amp; Partner</title><meta property='og:site_name' content='Kanzlei Weber &amp; Partner'>",
        NAV
        + "<main><h1>Rechtsanwaltsfachangestellte/r (m/w/d)</h1><p>Wir suchen zum 01.01.2027 in Teilzeit (20 Std.) Verstärkung für unser Büro in Kassel.</p></main><footer>© Kanzlei Weber &amp; Partner, Königsplatz 3, 34117 Kassel</footer>",
        "de",
    ),
    dict(job_title="Rechtsanwaltsfachangestellte/r (m/w/d)", company_name="Kanzlei Weber & Partner"),
)
P["us remote"] = (
    "https://jobs.example.org/p/889",
    doc(
        "<title>Content Writer (Remote) at Harbor &amp; Co</title>",
        NAV
        + "<main><h1>Content Writer (Remote)</h1><p>Harbor &amp; Co • Remote (US) • Contract • $40–$60/hour</p><p>Apply</p></main>",
        "en-US",
    ),
    dict(job_title="Content Writer (Remote)", company_name="Harbor & Co"),
)
P["pt"] = (
    "https://vagas.example.com.br/v/1",
    doc(
        "<title>Analista de Dados</title>",
        NAV
        + "<main><h1>Analista de Dados</h1><div>Empresa: Tecno Brasil Ltda</div><div>Local: São Paulo, SP</div><div>Salário: R$ 6.000,00 por mês</div></main>",
        "pt-BR",
    ),
    dict(job_title="Analista de Dados", company_name="Tecno Brasil Ltda", city="São Paulo"),
)
P["ja"] = (
    "https://job.example.jp/1",
    doc(
        "<title>エンジニア募集</title>",
        NAV
        + "<main><h1>Webエンジニア</h1><dl><dt>会社名</dt><dd>株式会社サンプル</dd><dt>勤務地</dt><dd>東京都渋谷区</dd><dt>給与</dt><dd>月給30万円</dd></dl></main>",
        "ja",
    ),
    dict(job_title="Webエンジニア", company_name="株式会社サンプル"),
)


@pytest.mark.parametrize("name", P)
def test_a_posting_is_read_as_a_reader_sees_it(name: str) -> None:
    url, html, truth = P[name]
    found = read_target(POSTING, page(html, url), context(url))
    data = dict(found.results[0].data) if found.results else {}
    read = {**data, "city": (data.get("location") or {}).get("city")}
    assert {field: read.get(field) for field in truth} == truth, data


def _read(body: str, url: str = "https://www.northwind.example.com/careers/analyst") -> dict[str, Any]:
    html = doc("<title>Analyst | Northwind</title>", f"<h1>Analyst</h1>{body}")
    return dict(read_target(POSTING, page(html, url), context(url)).results[0].data)


@pytest.mark.parametrize(
    ("text", "first", "cities"),
    [
        ("New York, NY; Chicago, IL; Remote", ("New York", "New York"), ["New York", "Chicago"]),
        ("Austin, TX / Denver, CO", ("Austin", "Texas"), ["Austin", "Denver"]),
        ("Berlin, Germany or Madrid, Spain", ("Berlin", "Berlin"), ["Berlin", "Madrid"]),
        ("Toronto, Ontario", ("Toronto", "Ontario"), None),
        ("Paris 11e", ("Paris", None), None),
    ],
)  # fmt: skip
def test_several_places_are_not_mixed_into_one(text: str, first: tuple[str, str], cities: list[str] | None):
    found = _read(f"<p>Location: {text}</p>")
    assert (found["location"]["city"], found["location"]["state_region"]) == first
    assert (found["locations"] and [each["city"] for each in found["locations"]]) == cities
    assert found["remote"] is (True if "Remote" in text else None)


@pytest.mark.parametrize(
    ("place", "salary"),
    [("Toronto, Ontario", "90000 CAD per year"), ("Sydney NSW", "90000 AUD per year"), ("Remote - US", "90000 USD per year")],
)  # fmt: skip
def test_a_dollar_is_the_one_of_the_country_the_job_is_in(place: str, salary: str):
    url = "https://www.northwind.example.io/careers/analyst"
    html = doc(
        "<title>Analyst | Northwind</title>",
        f"<h1>Analyst</h1><p>Location: {place}</p><p>Salary: $90,000 a year</p>",
        "",
    )
    found = read_target(POSTING, page(html, url), context(url)).results[0].data
    assert found["salary_range"] == salary


def test_facts_behind_the_place_are_not_part_of_it():
    assert _read("<p>Standort: Rosenheim | Vollzeit | ab sofort</p>")["location"]["raw"] == "Rosenheim"


def test_s126_a_sentence_below_the_heading_is_no_place():
    body = "<h1>Data Analyst</h1><p>Experience with SQL, Python and exploratory analysis.</p><p>Apply now</p>"
    (found,) = read_target(POSTING, page(doc("<title>Data Analyst</title>", body), URL), context(URL)).results
    assert (found.data["job_title"], found.data["location"]) == ("Data Analyst", None)
    body += "<aside><p>Localidade principal: Salvador</p></aside>"
    (found,) = read_target(POSTING, page(doc("<title>Data Analyst</title>", body, "pt"), URL), context(URL)).results
    assert found.data["location"]["city"] == "Salvador"


@pytest.mark.parametrize(
    ("part", "types"),
    [
        ("Festanstellung, Vollzeit", ["FULL_TIME"]), ("Full-time, permanent", ["FULL_TIME"]), ("CDI, temps plein", ["FULL_TIME"]),
        ("Teilzeit", ["PART_TIME"]), ("Full-time support, parts", None), ("Team Vollzeit Berlin", None),
    ],
)  # fmt: skip
def test_s055_a_line_of_nothing_but_employment_is_the_employment_and_no_place(part: str, types: list[str] | None):
    found = _read(f"<div>{part}</div>")
    assert found["employment_type"] == types
    assert found["location"] is None


def test_s055_the_form_of_an_application_names_neither_job_nor_place():
    form = "<form><label>Ort</label><input><label>Land</label><select></select></form>"
    html = doc("<title>Bewerbe dich bei Northwind.</title>", f"<h2>Angaben zu dir</h2>{form}<button>Bewerben</button>")
    url = "https://jobs.northwind.example.com/apply?id=3"
    data = dict(read_target(POSTING, page(html, url), context(url)).results[0].data)
    assert (data["job_title"], data["location"]) == (None, None)


def test_s126_a_dash_for_a_region_is_none():
    place = {"@type": "Place", "address": {"addressLocality": "Leipzig", "addressRegion": "-", "addressCountry": "DE"}}
    posting = {"@type": "JobPosting", "title": "Analyst", "jobLocation": place}
    found = _read(f'<script type="application/ld+json">{json.dumps(posting)}</script>')
    assert found["location"]["state_region"] != "-"
    assert found["location"]["city"] == "Leipzig"
