"""Whether a page is a job posting, what the job is called and who offers it; and the words postings are labelled with."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from winnow.extract.company.name_words import FIRM, has_legal_form
from winnow.extract.dom.labelled import pairs_of
from winnow.extract.job.job_boards import board_of, is_board_name
from winnow.extract.parsed_page import ParsedPage, text_in

MAX_BUTTONS = 4
# Headings of career sections and lists; a posting is never called so.
_LIST_TITLE = re.compile(
    r"(?:(?:current |our |all |open |latest )?(?:careers?|jobs?|vacancies|openings?|positions?|stellenangebote|stellen|karriere|vacatures|emplois?|offres? d'emploi|empleos?|ofertas? de empleo|lavora con noi|"
    r"vagas|jobb[oö]rse|job search|opportunities|(?:career|job|employment) (?:opportunities|openings|listings?|search(?: results)?)|work with us|join (?:us|our team|the team)|offene stellen|job board|werken bij.*|we(?:'re| are) hiring.*|about (?:us|our company)|contact(?: us)?|kontakt|contacto|home|apply now|jetzt bewerben|(?:bewerbe?|bewirb) dich(?: .*)?|(?:deine|ihre) bewerbung(?: .*)?|bewerbung(?:sformular)?|application form|submit your application|apply (?:for|to|at) .*|job (?:description|details?)|detail pozice|stellendetails|.* jobs in .*|"
    r"(?:careers?|jobs?|working|life|karriere|vacatures) (?:at|bei|bij|chez|with|in|based on|for) .*|"
    r"(?:redirecting|loading|please wait|weiterleitung|(?:page )?not found|error|oops|access denied)\b.*|"
    r"(?:this |die |diese )?(?:job|position|vacancy|posting|role|stelle|anzeige)(?: posting| offer)? (?:is |has |was |ist |wurde )?(?:no longer|not (?:found|available)|nicht mehr|expired|been|closed|filled|unavailable|besetzt).*))(?:\s+(?:at|bei|bij|chez|in)\s+.*)?[.!]?",
    re.IGNORECASE,
)
_SITE_TAIL = re.compile(
    r"\s*\b(?:careers?|jobs?|karriere|stellenangebote|vacatures|recruitment|recruiting|job board|career site|carri[eè]res?|talent|kari[eé]ra|carriera|carreiras|empleos?|vagas|praca|вакансии|карьера)\b\s*(?:site|portal|page)?\s*$",
    re.IGNORECASE,
)
_SITE_HEAD = re.compile(r"^(?:careers?|jobs?|karriere|working|werken)\s+(?:at|bei|bij|chez|@)\s+", re.IGNORECASE)
_JOB_URL = re.compile(
    r"//(?:jobs|careers?|karriere|apply|recruiting|werkenbij)\.|/(?:[\w-]*jobs?|careers?|karriere|stellen[\w-]*|vacanc\w+|vacatures?|emplois?|offres?-emploi|empleos?|ofertas?-[\w-]*|"
    r"lavora-con-noi|offerte-lavoro|vagas?|positions?|openings?|job-?details?|join-us|work-with-us|recrutement|carrieres?|viewjob|praca|oferty-pracy|oferta|offre|stelle|vacature|tyopaikat|ledige-stillinger|lediga-jobb|jobb|prace|is-ilani|nabidka|detail-pozice)(?:[/?#.]|$)",
    re.IGNORECASE,
)
APPLY = re.compile(
    r"(?:apply(?: now| for this job| here| online| today)?|jetzt bewerben|online bewerben|bewerben|postuler|candidatar-?me"
    r"|candidati(?: ora)?|solliciteer(?: direct| nu)?|inscribirme|aplicar|aplikuj(?: teraz)?|odpowiedz na ofertę|ans[öo]k(?: nu)?|s[øo]g stillingen|s[øo]k(?: på)? stillingen|hae paikkaa|jelentkez[ée]s"
    r"|başvur|aplică|откликнуться|応募する|지원하기|odpovědět|odpovedať na ponuku|mám zájem|mám záujem|je postule|postulez|candidatura online|bewirb dich(?: jetzt)?|nu solliciteren)[!.»→ ]*"
)
LABELS = {
    "location": frozenset(["location", "locations", "job location", "job locations", "primary location", "standort", "standorte", "arbeitsort", "einsatzort", "dienstort", "lieu", "lieu de travail",
                           "localisation", "ubicación", "lugar de trabajo", "sede", "sede di lavoro", "luogo di lavoro", "local", "localização", "localidade", "localidade principal", "local de trabalho", "localidad", "locatie", "plaats", "standplaats", "werklocatie", "office location", "ort", "lokalizacja", "miejsce pracy", "miasto", "místo výkonu práce", "lokalita", "miesto práce", "ort/plats", "arbejdssted", "arbeidssted", "sted", "placering", "plats", "toimipaikka", "sijainti", "munkavégzés helye", "helyszín", "konum", "locație", "oraș", "город", "место работы", "місто", "勤務地", "근무지", "工作地点"]),
    "employment": frozenset(["employment type", "job type", "contract type", "type", "anstellungsart", "vertragsart", "beschäftigungsart", "arbeitszeit", "contrat", "type de contrat",
                             "tipo de contrato", "contratto", "tipo di contratto", "dienstverband", "contract", "schedule", "time type", "position type", "hours", "employee type", "employ. type", "employment types", "job terms"]),
    "salary": frozenset(["salary", "pay", "compensation", "salary range", "gehalt", "vergütung", "salaire", "rémunération", "salario", "stipendio", "retribuzione", "salário", "salaris", "lohn", "pay range", "pay rate", "base pay", "wage", "wynagrodzenie", "pensja", "mzda", "plat", "lön", "løn", "lønn", "palkka", "fizetés", "bér", "maaş", "salariu", "зарплата", "заработная плата", "給与", "급여", "薪资", "salario bruto", "salaire brut"]),
    "posted": frozenset(["posted", "date posted", "posted on", "published", "veröffentlicht", "online seit", "publié le", "publicado", "pubblicato", "geplaatst", "posting date", "post date", "posted date"]),
    "until": frozenset(["closing date", "apply by", "application deadline", "deadline", "bewerbungsfrist", "date limite", "fecha límite", "scadenza", "sluitingsdatum", "expires", "closes", "valid through"]),
    "company": frozenset(["company", "employer", "unternehmen", "arbeitgeber", "firma", "entreprise", "employeur", "empresa", "azienda", "bedrijf", "werkgever", "organisation", "company name", "company's name", "name of company", "employer name", "hiring company", "pracodawca", "zaměstnavatel", "společnost", "zamestnávateľ", "arbetsgivare", "företag", "arbejdsgiver", "virksomhed", "arbeidsgiver", "bedrift", "työnantaja", "yritys", "munkáltató", "cég", "işveren", "şirket", "angajator", "companie", "работодатель", "компания", "роботодавець", "会社名", "회사", "公司", "empregador", "datore di lavoro", "empleador"]),
}  # fmt: skip
ALL_LABELS = frozenset().union(*LABELS.values())
# What only a posting calls the company.
_EMPLOYERS = frozenset(["employer", "arbeitgeber", "employeur", "werkgever", "pracodawca", "zaměstnavatel", "zamestnávateľ", "arbetsgivare", "arbejdsgiver", "arbeidsgiver",
                        "työnantaja", "munkáltató", "işveren", "angajator", "работодатель", "роботодавець", "empregador", "datore di lavoro", "empleador"])  # fmt: skip


def heading_of(parsed: ParsedPage) -> str:
    """The only heading of the first level that can be a job's title, on a page that shows signs of being a posting."""
    if not is_job_page(parsed) or is_section(parsed):
        return ""
    headings = [
        each for each in dict.fromkeys(parsed.own_headings) if is_job_title(each) and _is_confirmed(each, parsed)
    ]
    if len(headings) > 1:  # a cookie banner has one too
        headings = [heading for heading in headings if heading in parsed.title]
    return headings[0] if len(headings) == 1 else ""


# "(m/w/d)", "80-100%": only the title of a job says so.
_OF_A_JOB = re.compile(
    r"\((?:[mwfdhxain*]|all genders?)(?:\s?[/|,.:-]\s?(?:[mwfdhxain*]|gn))+\)|\d\d\s?[-–]\s?\d{2,3}\s?%", re.I
)


# Where a section of jobs begins; one of them has more behind it.
_SECTION = re.compile(
    r"/(?:jobs?|careers?|karriere|stellen(?:angebote)?|vacatures?|vacancies|emplois?|vagas|open-positions|join-us)(?:/index\.\w+)?/?$",
    re.I,
)
# Several of them, in the title of a page that lists them.
_JOBS = re.compile(
    r"\b(?:jobs|vacancies|stellenangebote|vacatures|vagas|emplois|offres d.emploi|ofertas de (?:empleo|trabajo)|offerte di lavoro|oferty pracy|nabídky práce|вакансии|lediga jobb|ledige stillinger)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^\W\d_]{4,}[.!?](?:\s|$)")
MIN_TITLE_WORDS = 4  # words from which a title says what its page is about
MIN_SHARE = 0.3


def is_section(parsed: ParsedPage) -> bool:
    return all(_SECTION.search(url) for url in parsed.facts.urls)


def is_of_this_page(title: str, parsed: ParsedPage) -> bool:
    """The first entry of a list has a title too; the page is called after all of them."""
    names = [parsed.title, parsed.meta.get("og:title", "")]
    return max(_share(title, name) for name in names) > 0.5 or not any(_JOBS.search(name) for name in names)


def lists_jobs(title: str) -> bool:
    return _JOBS.search(title) is not None


def _is_confirmed(heading: str, parsed: ParsedPage) -> bool:
    """A heading that neither the page's title nor its address knows is a slogan."""
    if _SENTENCE.search(heading) or _JOBS.search(heading) or not is_of_this_page(heading, parsed):
        return False
    stated = [parsed.title, parsed.meta.get("og:title", ""), urlsplit(parsed.url).path]
    silent = len(_words(parsed.title)) < MIN_TITLE_WORDS
    return silent or any(_share(heading, text) >= MIN_SHARE or heading in text for text in stated)


def _share(heading: str, text: str) -> float:
    words = _words(heading)
    return len(words & _words(text)) / len(words) if words else 0.0


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"[^\W_]+", text.lower()) if len(word) > 2}


def titled(company: str, parsed: ParsedPage) -> str:
    """Where no heading says it, the page's title does: "Engineer - Acme" with the company known, or by its own marks."""
    if not is_job_page(parsed) or is_section(parsed):
        return ""
    shared = _shared(parsed) or _before_company(company, parsed.title)
    if shared:
        return shared
    parts = [part.strip() for part in re.split(r"\s+[|–—-]\s+", without_step(parsed.title))]
    others = [part for part in parts if employer_name(part).lower() != company.lower()]
    sure = len(others) < len(parts) or _OF_A_JOB.search(parsed.title) is not None
    left = [part for part in others if not is_board_name(part)]
    fits = sure and len(left) == 1 and is_job_title(left[0]) and not lists_jobs(left[0]) and len(left[0].split()) > 1
    return left[0] if fits else ""


def _shared(parsed: ParsedPage) -> str:
    """What the page is called when it is passed on, where its own title is "Job detail" or ends with the site's name."""
    shared = without_step(parsed.meta.get("og:title", ""))
    parts = [part.strip() for part in re.split(r"\s+[|–—-]\s+", without_step(parsed.title))]
    if not is_job_title(shared) or len(parts) < 2 or _JOBS.search(shared):
        return ""
    ends_with_site = parsed.title.startswith(f"{shared} ") and is_board_name(parts[-1])
    return shared if ends_with_site or (_LIST_TITLE.fullmatch(parts[0]) and shared not in parts) else ""


def _before_company(company: str, title: str) -> str:
    """ "Engineer at Acme"."""
    found = re.search(rf"\s+(?:at|@|bei|chez|bij|presso)\s+{re.escape(company)}\b", title) if company else None
    named = title[: found.start()].strip() if found else ""
    return named if is_job_title(named) and not _JOBS.search(named) else ""


# The step of an application that the page is, behind what it is an application for.
_STEP = re.compile(
    r"\s+[|–—-]\s+(?:(?:job )?application|apply(?: now)?|bewerb(?:ung|en)|candidature|postuler|solliciteren)$", re.I
)


def without_step(title: str) -> str:
    return _STEP.sub("", title.strip())


def is_job_page(parsed: ParsedPage) -> bool:
    """Any page has a heading. A posting has an address, a label or a button that says what it is."""
    if any(_JOB_URL.search(url) for url in parsed.facts.urls) or board_of(parsed) is not None:
        return True
    labels = LABELS["employment"] | LABELS["salary"] | LABELS["until"]
    labels = (labels | _EMPLOYERS) - {"type", "hours", "contract", "schedule"}
    labelled = any(label.strip(" :*") in labels for label, _ in pairs_of(parsed))
    return labelled or (not parsed.is_article and _is_applied_for(parsed))


# What a posting speaks of. A loan or a campaign is applied for too.
_OF_WORK = re.compile(
    r"\b(?:responsibilit\w+|requirements|qualifications?|salary|full[- ]?time|part[- ]?time|vacancy|hiring|candidates?|job description|this (?:job|role|position)|looking for|you will|you have|your profile|experience|skills"
    r"|aufgaben|profil|anforderungen|wir bieten|stelle|stellen\w*|vollzeit|teilzeit|bewerb\w+|karriere|mitarbeiter\w*|missions?|poste|contrat|cdi|cdd|candidature|emploi|funciones|requisitos|puesto|empleo|oferta|vaga|cargo"
    r"|mansioni|requisiti|contratto|lavoro|functie|vacature|taken|eisen|wij bieden|praca|stanowisko|wymagania|obowiązki|oferujemy|pozice|práce|hledáme|nabízíme|požadujeme|jobb|stilling\w*|tjänst\w*|tehtävä\w*|munka\w*|állás\w*|iş|работа|вакансия|требования|обязанности)\b|求人|採用|スタッフ|채용|职位|招聘",
    re.IGNORECASE,
)
MIN_OF_WORK = 2


def _is_applied_for(parsed: ParsedPage) -> bool:
    phrases = [line.lower() for line in parsed.lines if APPLY.fullmatch(line.lower())] or _buttons(parsed)
    if not phrases or any(not text.startswith("apply") for text in phrases):
        return bool(phrases)  # other languages have a word for jobs alone
    words = {match.lower() for line in [parsed.title, *parsed.lines] for match in _OF_WORK.findall(line)}
    return len(words) >= MIN_OF_WORK or _OF_A_JOB.search(parsed.title) is not None


def _buttons(parsed: ParsedPage) -> list[str]:
    """One way to apply, above and below the text; a list has one per job."""
    texts = [text_in(node).lower() for node in parsed.clean_tree.css("a[href], button")[:1_000]]
    buttons = [text for text in texts if APPLY.fullmatch(text)]
    return buttons if len(buttons) <= MAX_BUTTONS else []


def is_job_title(text: str) -> bool:
    """Not what a section is called, and not a firm."""
    alone = FIRM.search(text.strip()) and not re.search(r":|\s[-–—|@]\s|\sat\s", text)
    named = _LIST_TITLE.fullmatch(text.strip()) or alone
    return 2 < len(text) <= 150 and not named and len(text.split()) <= 18


def employer_name(name: str) -> str:
    """ "Acme Careers" and "Jobs at Acme" are Acme."""
    short = _SITE_HEAD.sub("", _SITE_TAIL.sub("", name)).strip(" |-–")
    return short if has_legal_form(short) else short.rstrip(".")
