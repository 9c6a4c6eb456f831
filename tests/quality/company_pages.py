"""Company websites in the shapes real ones have, with what must not be taken for the company's own: the agency's
address, fax numbers, registration numbers, partners, reviews, slogans."""

from __future__ import annotations

import random
from collections.abc import Callable

import msgspec

from tests.quality.kind_cases import KindCase, document, ld

SEED = 20260612
_FIRST = [
    "Nord",
    "Alba",
    "Vento",
    "Kern",
    "Lumo",
    "Terra",
    "Silva",
    "Brix",
    "Solar",
    "Quint",
    "Marlo",
    "Tessa",
    "Orbis",
    "Falk",
    "Rivo",
]
_SECOND = ["werk", "tec", "lab", "bau", "soft", "port", "med", "line", "stein", "data"]
_AGENCY = ["pixelpunkt", "webwerkstatt24", "studio-blau"]


class Firm(msgspec.Struct, frozen=True):
    """`phone` as the country writes it, `e164` as it is dialled."""

    name: str
    domain: str
    legal: str
    street: str
    code: str
    city: str
    country: str
    code2: str
    phone: str
    e164: str
    fax: str
    lang: str
    agency: str

    @property
    def home(self) -> str:
        return f"https://www.{self.domain}/"

    @property
    def email(self) -> str:
        return f"info@{self.domain}"


_COUNTRIES = {
    "DE": ("GmbH", ["Industriestraße", "Am Markt", "Goethestr."], [("70565", "Stuttgart"), ("04109", "Leipzig"), ("86152", "Augsburg")], "Deutschland", "0711 / {} {}", "+49711{}{}", "de", "de"),
    "NL": ("B.V.", ["Keizersgracht", "Stationsweg", "Kerkstraat"], [("1015 CJ", "Amsterdam"), ("3511 AB", "Utrecht")], "Nederland", "020 {} {}", "+3120{}{}", "nl", "nl"),
    "AT": ("GmbH", ["Mariahilfer Straße", "Hauptplatz"], [("1060", "Wien"), ("8010", "Graz")], "Österreich", "01 / {} {}", "+431{}{}", "at", "de"),
    "GB": ("Ltd", ["High Street", "Station Road", "Mill Lane"], [("M1 2AB", "Manchester"), ("LS1 4DY", "Leeds")], "United Kingdom", "020 7{} {}", "+44207{}{}", "co.uk", "en-GB"),
    "FR": ("SAS", ["rue de la République", "avenue Foch"], [("69002", "Lyon"), ("33000", "Bordeaux")], "France", "01 4{} {}", "+3314{}{}", "fr", "fr"),
    "US": ("Inc.", ["Market Street", "Elm Avenue", "Oak Road"], [("TX 78701", "Austin"), ("WA 98101", "Seattle")], "USA", "(212) {}-{}", "+1212{}{}", "com", "en"),
}  # fmt: skip


def firms(rng: random.Random, count: int) -> list[Firm]:
    return [_firm(rng, code, i) for i in range(count) for code in _COUNTRIES]


def _firm(rng: random.Random, code: str, index: int) -> Firm:
    legal, streets, towns, country, shown, dialled, ending, lang = _COUNTRIES[code]
    name = rng.choice(_FIRST) + rng.choice(_SECOND)
    word = rng.choice(["Systems", "Group", "Studio", "Partner", ""])
    full = f"{name} {word}".strip()
    zip_code, city = rng.choice(towns)
    a, b = _digits(rng, code)
    return Firm(full, f"{full.lower().replace(' ', '')}.{ending}", f"{full} {legal}", _street(rng, code, streets), zip_code, city, country, code,
                shown.format(a, b), dialled.format(a, b).replace(" ", ""), shown.format(a, b[:-1] + str((int(b[-1]) + 1) % 10)), lang, rng.choice(_AGENCY))  # fmt: skip


def _digits(rng: random.Random, code: str) -> tuple[str, str]:
    if code == "US":
        return f"{rng.randint(620, 989)}", f"{rng.randint(2000, 9998)}"
    if code == "GB":
        return f"{rng.randint(300, 499)}", f"{rng.randint(1000, 9998)}"
    if code == "FR":
        return f"{rng.randint(2, 8)} {rng.randint(10, 99)}", f"{rng.randint(10, 99)} {rng.randint(10, 98)}"
    return f"{rng.randint(520, 799)}", f"{rng.randint(1000, 9998)}"


def _street(rng: random.Random, code: str, streets: list[str]) -> str:
    number = rng.randint(2, 180)
    return f"{number} {rng.choice(streets)}" if code in ("GB", "FR", "US") else f"{rng.choice(streets)} {number}"


def _town(firm: Firm) -> str:
    return {"US": f"{firm.city}, {firm.code}", "GB": f"{firm.city} {firm.code}"}.get(
        firm.code2, f"{firm.code} {firm.city}"
    )


def _truth(firm: Firm, **known: object) -> dict[str, object]:
    whole = {
        "company_name": firm.name,
        "contact_email": firm.email,
        "contact_phone": firm.e164,
        "city": firm.city,
        "street": firm.street,
    }
    return {**whole, **known}


def _head(firm: Firm, more: str = "") -> str:
    return f'<title>{firm.name} | Home</title><meta property="og:site_name" content="{firm.name}"><link rel="canonical" href="{firm.home}">{more}'


def _credit(firm: Firm) -> str:
    return f'<div class="credit">Website by <a href="mailto:hallo@{firm.agency}.de">{firm.agency}</a></div>'


def json_ld(firm: Firm) -> KindCase:
    org = {"@type": "Organization", "@id": firm.home + "#org", "name": firm.name, "url": firm.home, "telephone": firm.e164, "faxNumber": firm.fax,
           "email": f"mailto:{firm.email}", "address": {"@type": "PostalAddress", "streetAddress": firm.street, "postalCode": firm.code,
           "addressLocality": firm.city, "addressCountry": firm.code2}}  # fmt: skip
    site = {"@type": "WebSite", "name": firm.name + " – welcome", "publisher": {"@id": firm.home + "#org"}}
    review = {
        "@type": "Review",
        "author": {"@type": "Organization", "name": "Happy Customer AG", "telephone": "+49 30 1234567"},
    }
    return KindCase(
        "json_ld",
        "company_website",
        firm.home,
        document(_head(firm, ld(org, site, review)), _credit(firm), firm.lang),
        _truth(firm),
    )


def microdata(firm: Firm) -> KindCase:
    body = (
        f'<div itemscope itemtype="https://schema.org/LocalBusiness"><h1 itemprop="name">{firm.name}</h1><a itemprop="url" href="{firm.home}">home</a>'
        f'<span itemprop="telephone">{firm.phone}</span><span itemprop="faxNumber">{firm.fax}</span><a itemprop="email" href="mailto:{firm.email}">{firm.email}</a>'
        f'<div itemprop="address" itemscope itemtype="https://schema.org/PostalAddress"><span itemprop="streetAddress">{firm.street}</span>'
        f'<span itemprop="postalCode">{firm.code}</span> <span itemprop="addressLocality">{firm.city}</span><span itemprop="addressCountry">{firm.code2}</span></div></div>'
    )
    return KindCase(
        "microdata", "company_website", firm.home, document(_head(firm), body + _credit(firm), firm.lang), _truth(firm)
    )


def imprint(firm: Firm) -> KindCase:
    body = (
        f'<header><img class="logo" alt="{firm.name} Logo" src="/l.png"></header><main><h1>Impressum</h1><p>Angaben gemäß § 5 TMG<br>{firm.legal}<br>{firm.street}<br>{_town(firm)}'
        f"<br>{firm.country}</p><p>Telefon: {firm.phone}<br>Telefax: {firm.fax}<br>E-Mail: {firm.email.replace('@', ' [at] ')}</p><p>Registergericht: Amtsgericht, HRB 123456<br>"
        "USt-IdNr.: DE 123 456 789</p><p>Verbraucherschlichtung: Zentrum für Schlichtung, Straßburger Straße 8, 77694 Kehl, Telefon: 07851 7957940</p></main>"
        f"<footer>© 2019–2026 {firm.legal}. Alle Rechte vorbehalten. {_credit(firm)}</footer>"
    )
    return KindCase(
        "imprint", "company_website", firm.home + "impressum", document(_head(firm), body, firm.lang), _truth(firm)
    )


def footer(firm: Firm) -> KindCase:
    digits = firm.e164
    body = (
        f"<main><h1>We make things better since 1998</h1><p>Trusted by Example Bank and Demo Foods. Call it a day!</p></main><footer><div>{firm.legal}</div><div>{firm.street}, {_town(firm)}</div>"
        f'<a href="tel:{digits}">{firm.phone}</a><span>Fax</span><a href="tel:{digits[:-1]}0">{firm.fax}</a><a href="mailto:{firm.email}">Mail</a><a href="mailto:privacy@{firm.domain}">Privacy</a>'
        f'<a href="mailto:jobs@{firm.domain}">Jobs</a>{_credit(firm)}<p>© 2026 {firm.legal}</p></footer>'
    )
    return KindCase("footer", "company_website", firm.home, document(_head(firm), body, firm.lang), _truth(firm))


def cloudflare(firm: Firm) -> KindCase:
    key = 0x42
    coded = f"{key:02x}" + "".join(f"{ord(c) ^ key:02x}" for c in firm.email)
    body = (
        f"<h1>Contact</h1><address><strong>{firm.legal}</strong><br>{firm.street}<br>{_town(firm)}<br>{firm.country}</address><ul><li>Tel. {firm.phone}</li><li>Fax {firm.fax}</li>"
        f'<li><a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="{coded}">[email protected]</a></li></ul><p>Order no. 20240512-778899</p>'
    )
    return KindCase(
        "cloudflare", "company_website", firm.home + "contact", document(_head(firm), body, firm.lang), _truth(firm)
    )


def several_offices(firm: Firm) -> KindCase:
    """Three offices, none called the head office: no address may be taken, and no personal address either."""
    offices = "".join(f"<div><h3>{c}</h3><p>{s}<br>{z} {c}</p></div>" for s, z, c in [("Hafenweg 4", "20457", "Hamburg"), ("Bahnhofstr. 9", "50667", "Köln"), (firm.street, firm.code, firm.city)])  # fmt: skip
    people = f'<a href="mailto:anna.berg@{firm.domain}">Anna</a> <a href="mailto:tom.falk@{firm.domain}">Tom</a>'
    source = document(_head(firm), f"<main><h1>Our offices</h1>{offices}{people}</main>", "de")
    return KindCase(
        "several_offices",
        "company_website",
        firm.home + "offices",
        source,
        _truth(firm, contact_email=None, contact_phone=None, city=None, street=None),
    )


def nothing(firm: Firm) -> KindCase:
    """A landing page with a form's placeholder, a picture name and a foreign address."""
    body = '<h1>Launch faster</h1><input placeholder="you@example.com"><img src="/hero@2x.png"><p>Read the story of Example Corp, 221 Baker Street.</p><p>© 2026</p>'
    head = '<title>Launch faster with less</title><meta property="og:site_name" content="WordPress">'
    return KindCase("nothing", "company_website", "https://landing.page/", document(head, body, "en"),
                    {"company_name": None, "contact_email": None, "contact_phone": None, "city": None, "street": None})  # fmt: skip


SHAPES: tuple[Callable[[Firm], KindCase], ...] = (json_ld, microdata, imprint, footer, cloudflare)


def company_cases() -> list[KindCase]:
    rng = random.Random(SEED)
    found = [shape(firm) for shape in SHAPES for firm in firms(rng, 4)]
    return found + [several_offices(firm) for firm in firms(rng, 1)] + [nothing(firms(rng, 1)[0])]
