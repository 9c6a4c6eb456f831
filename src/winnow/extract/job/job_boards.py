"""Systems that publish job postings, and where each of them writes title, company and place."""

from __future__ import annotations

import re

import msgspec

from winnow.extract.parsed_page import ParsedPage, host_of, text_in


class Board(msgspec.Struct, frozen=True):
    """`hosts` or any of `marks` says it is this system. `named` reads title and company out of the page's title; `facts`
    is a line with the employment and, behind its last dot, the place."""

    name: str
    hosts: str
    marks: str
    title: str = ""
    company: str = ""
    location: str = ""
    posted: str = ""
    employment: str = ""
    salary: str = ""
    description: str = ""
    named: str = ""
    facts: str = ""


BOARDS = (
    Board("greenhouse", r"greenhouse\.io$", "#grnhse_app, #app_body .app-title, .job__title", ".app-title, .job__title h1",
          ".company-name", "#header .location, .job__location, .location", description="#content, .job__description",
          named=r"Job Application for (?P<title>.+) at (?P<company>.+)"),
    Board("lever", r"lever\.co$", ".posting-headline", ".posting-headline h2", "", ".posting-categories .location, .posting-category.location",
          employment=".posting-categories .commitment", description='[data-qa="job-description"], .section-wrapper',
          named=r"(?P<company>.+?) - (?P<title>.+)"),
    Board("ashby", r"ashbyhq\.com$", ".ashby-job-posting-heading", "h1.ashby-job-posting-heading, h1", named=r"(?P<title>.+) @ (?P<company>.+)"),
    Board("workable", r"workable\.com$", '[data-ui="job-title"]', '[data-ui="job-title"]', "", '[data-ui="job-location"]',
          employment='[data-ui="job-type"]', description='[data-ui="job-description"]', named=r"(?P<title>.+) - (?P<company>.+)"),
    Board("smartrecruiters", r"smartrecruiters\.com$", ".job-title + .job-details, .jobad-main", "h1.job-title", "", 'spl-job-location@formattedaddress'),
    Board("personio", r"jobs\.personio\.(?:de|com)$", ".job-description-detail, .detail-title", ".detail-title, h1", "", ".detail-subtitle .location, .job-location", facts=".detail-subtitle",
          named=r"(?P<title>.+?) \| (?:Jobs (?:at|bei) )?(?P<company>.+)"),
    Board("workday", r"myworkdayjobs\.com$|myworkdaysite\.com$", '[data-automation-id="jobPostingHeader"]', '[data-automation-id="jobPostingHeader"]', "",
          '[data-automation-id="locations"] dd', '[data-automation-id="postedOn"] dd', '[data-automation-id="time"] dd',
          description='[data-automation-id="jobPostingDescription"]'),
    Board("indeed", r"indeed\.(?:com|[a-z.]{2,6})$", ".jobsearch-JobInfoHeader-title, [data-company-name]",
          '.jobsearch-JobInfoHeader-title, [data-testid="jobsearch-JobInfoHeader-title"]',
          '[data-company-name="true"], [data-testid="inlineHeader-companyName"], .jobsearch-InlineCompanyRating-companyHeader',
          '[data-testid="inlineHeader-companyLocation"], [data-testid="job-location"], [data-testid="jobsearch-JobInfoHeader-companyLocation"]',
          salary="#salaryInfoAndJobType span, [data-testid=attribute_snippet_testid]", description="#jobDescriptionText"),
    Board("stepstone", r"stepstone\.\w+$|totaljobs\.com$|jobsite\.co\.uk$", '[data-at="header-job-title"]', '[data-at="header-job-title"]',
          '[data-at="metadata-company-name"], [data-at="header-company-name"]', '[data-at="metadata-location"]', '[data-at="metadata-online-date"]',
          '[data-at="metadata-work-type"]', '[data-at="metadata-salary"]', '[data-at="job-ad-content"]'),
    Board("linkedin", r"linkedin\.com$", ".topcard__title, .top-card-layout__title, .job-details-jobs-unified-top-card__job-title", ".topcard__title, .top-card-layout__title, .job-details-jobs-unified-top-card__job-title",
          ".topcard__org-name-link, .topcard__flavor:not(.topcard__flavor--bullet):not(.topcard__flavor--metadata), .job-details-jobs-unified-top-card__company-name, .jobs-unified-top-card__primary-description a", ".topcard__flavor--bullet, .job-details-jobs-unified-top-card__primary-description-container", ".posted-time-ago__text", "", ".compensation__salary",
          ".description__text .show-more-less-html__markup", r"(?P<company>.+?) (?:hiring|sucht|recrute|busca|zoekt) (?P<title>.+?) in .+"),
    Board("seek", r"seek\.com\.au$|seek\.co\.nz$", '[data-automation="job-detail-title"]', '[data-automation="job-detail-title"]', '[data-automation="advertiser-name"]',
          '[data-automation="job-detail-location"]', "", '[data-automation="job-detail-work-type"]', '[data-automation="job-detail-salary"]', '[data-automation="jobAdDetails"]'),
    Board("glassdoor", r"glassdoor\.\w+$", '[data-test="employer-name"]', '[data-test="job-title"], h1[id*="jd-job-title"]', '[data-test="employer-name"]', '[data-test="location"]'),
    Board("bamboohr", r"bamboohr\.com$", ".BambooHR-ATS-board", "h2, h1", "", ".BambooHR-ATS-Location", named=r"(?P<title>.+?) - (?P<company>.+?) - BambooHR"),
    Board("jobvite", r"jobvite\.com$", ".jv-header", ".jv-header", named=r"(?P<company>.+?) Careers - (?P<title>.+)"),
    Board("teamtailor", r"teamtailor\.com$", ".careersite-theme", "h1", named=r"(?P<title>.+) - (?P<company>.+)"),
    Board("recruitee", r"recruitee\.com$", "", "h1", named=r"(?P<title>.+) - (?P<company>.+)"),
    Board("breezy", r"breezy\.hr$", "", "h1", "", ".banner .location, .location", employment=".banner .type", named=r"(?P<title>.+) at (?P<company>.+)"),
    Board("jazzhr", r"applytojob\.com$", "#resumator-job-location", "h1", "", "#resumator-job-location", employment="#resumator-job-employment",
          named=r"(?P<title>.+?) - (?P<company>.+?) - Career Page"),
    Board("icims", r"icims\.com$", ".iCIMS_JobHeaderGroup", "h1.iCIMS_Header, h1", named=r"(?P<title>.+?) in .+ \| (?P<company>.+)"),
    Board("hh", r"(?:^|\.)hh\.(?:ru|kz|uz)$|rabota\.by$", '[data-qa="vacancy-title"]', '[data-qa="vacancy-title"]', '[data-qa="vacancy-company-name"]',
          '[data-qa="vacancy-view-location"], [data-qa="vacancy-view-raw-address"]', salary='[data-qa="vacancy-salary"]', description='[data-qa="vacancy-description"]'),
    Board("pracuj", r"pracuj\.pl$", '[data-test="text-positionName"]', '[data-test="text-positionName"]', '[data-test="text-employerName"]',
          '[data-test="sections-benefit-workplaces"] [data-test="offer-badge-title"]'),
    Board("jobs.cz", r"^(?:(?:beta\.)?www\.)?(?:jobs|prace)\.cz$", '[data-test="jd-info-location"], [data-track-event="JD.Map"]', "h1", '[data-test="jd-company-name"]',
          '[data-test="jd-info-location"], [data-track-event="JD.Map"]', salary='[data-test="jd-salary"]'),
    Board("xing", r"xing\.com$", "", 'h1[data-testid="job-posting-title"], h1'),
)  # fmt: skip
# Their own names are never the employer's.
_BOARD_NAMES_TEXT = """
    hotjobs greenhouse lever workable ashby smartrecruiters personio workday indeed stepstone linkedin seek glassdoor monster
    xing bamboohr jobvite teamtailor recruitee totaljobs reed ziprecruiter careerbuilder infojobs welcometothejungle
    apec hellowork jooble adzuna jobteaser jobs.ch karriere.at nationalevacaturebank werkzoeken intermediair jobbird
    cwjobs dice angellist wellfound builtin remoteok weworkremotely simplyhired talent.com jobrapido infoempleo
    tecnoempleo careerjet join.com kununu meinestadt jobware arbeitsagentur icims successfactors taleo oraclecloud
    breezyhr jazzhr rippling pinpoint factorial softgarden rexx d.vinci onlyfy stackoverflow remotive startupjobs jobs.cz
    prace profesia pracuj.pl justjoin nofluffjobs bulldogjob superjob djinni naukri shine foundit timesjobs vagas catho gupy
    computrabajo bumeran elempleo jobindex duunitori jobstreet jobsdb wantedly saramin jobkorea zhipin 51job liepin
    irishjobs cv-library efinancialcareers jobs.ac.uk stellenanzeigen.de yourfirm jobvector ictjob vdab cadremploi
    meteojob regionsjob keljob jobup jobscout24 careerone workopolis jobbank eluta himalayas
"""
BOARD_NAMES = frozenset(_BOARD_NAMES_TEXT.split())


def board_of(parsed: ParsedPage) -> Board | None:
    hosts = {host_of(url) for url in [*parsed.facts.urls, parsed.meta.get("og:url", "")]}
    by_host = (b for b in BOARDS if any(re.search(b.hosts, host) for host in hosts if host))
    by_mark = (b for b in BOARDS if b.marks and parsed.tree.css_first(b.marks) is not None)
    return next(by_host, None) or next(by_mark, None)


def text_at(parsed: ParsedPage, selector: str) -> str:
    """The text of the first element that has any; "element@attribute" is the value of an attribute."""
    element, _, attribute = selector.partition("@")
    nodes = parsed.clean_tree.css(element)[:5] if element else []
    texts = ((node.attributes.get(attribute) or "").strip() if attribute else text_in(node) for node in nodes)
    return next((text for text in texts if text), "")


# What only a site says that publishes the jobs of others; an agency of its own says at most one of them.
_OF_A_BOARD = re.compile(
    r"(?:post|place|advertise) (?:a |your |my )?(?:jobs?|vacanc\w+|resumes?|cvs?)(?: ads?)?(?: for free)?|(?:search|find|browse) (?:resumes?|cvs?|candidates)|upload (?:a |your |my )?(?:resume|cv)|"
    r"(?:for )?(?:employers?|recruiters?)(?: (?:section|directory|site|login|sign in|zone|area|a-z))?|(?:for )?(?:job ?seekers?|candidates)(?: login| services)?|career (?:advice|tools)|advertise with us|"
    r"(?:für )?(?:arbeitgeber|unternehmen|bewerber)|stellenanzeige (?:schalten|aufgeben)|lebenslauf (?:hochladen|anlegen)|(?:espace )?recruteurs?|(?:espace )?candidats?|d[eé]poser (?:votre |mon |un )?cv|"
    r"publier une (?:offre|annonce)|publicar (?:una )?(?:oferta|vaga)s?|(?:soy|para) empresas?|(?:subir|cargar|cadastrar) (?:tu |mi )?(?:cv|curr[ií]culum?)|(?:per le )?aziende|pubblica (?:un )?annuncio|"
    r"carica (?:il tuo )?cv|(?:voor )?werkgevers|vacature plaatsen|(?:cv plaatsen|plaats je cv)|(?:dla )?pracodawc\w+|dodaj (?:ogłoszenie|cv)|(?:pro )?(?:firmy|zaměstnavatele)|работодателям|соискателям",
    re.IGNORECASE,
)
MIN_BOARD_PHRASES = 2


def publishes_others(parsed: ParsedPage) -> bool:
    """A board: it invites both those who offer jobs and those who look for one."""
    parts = (part for line in parsed.lines if len(line) <= 160 for part in re.split(r"\s*[|·•]\s*", line))
    phrases = {part.lower() for part in parts if len(part) <= 40 and _OF_A_BOARD.fullmatch(part)}
    return len(phrases) >= MIN_BOARD_PHRASES


def is_board_name(name: str) -> bool:
    words = name.lower().replace("+", " ").split()
    spelled = "".join(words)  # "We Work Remotely"
    return bool(words) and bool(
        {words[0], words[0].partition(".")[0], spelled, spelled.partition(".")[0]} & BOARD_NAMES
    )
