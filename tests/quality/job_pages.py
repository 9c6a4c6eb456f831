"""Job postings in the shapes of the systems that publish them, with lists, site names and career pages as decoys."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

import msgspec

from tests.quality.kind_cases import KindCase, document, ld

SEED = 20260613
_TITLES = ["Senior Backend Engineer", "Marketing Manager (m/w/d)", "Verpleegkundige ouderenzorg", "Data Scientist, Growth", "Chargé de clientèle H/F", "Store Assistant – Part Time",
           "Head of Finance", "C++ Developer", "Sachbearbeiter Einkauf (w/m/d)", "Enfermera de quirófano"]  # fmt: skip
_COMPANIES = [
    "Nordwerk GmbH",
    "Albatec",
    "Ventolab Inc.",
    "Kernstein Group",
    "Lumoport B.V.",
    "O'Brien & Sons",
    "Terradata Systems",
    "Café Solarline",
]
_PLACES = [
    ("Berlin", "DE", "Berlin, Germany"),
    ("Utrecht", "NL", "Utrecht, Nederland"),
    ("Austin", "US", "Austin, TX"),
    ("Lyon", "FR", "Lyon, France"),
    ("Leeds", "GB", "Leeds, United Kingdom"),
]


class Job(msgspec.Struct, frozen=True):
    title: str
    company: str
    city: str
    country: str
    place: str
    slug: str

    @property
    def truth(self) -> dict[str, str]:
        return {"job_title": self.title, "company_name": self.company, "city": self.city}


def _jobs(rng: random.Random, count: int) -> list[Job]:
    found = []
    for _ in range(count):
        company = rng.choice(_COMPANIES)
        found.append(
            Job(rng.choice(_TITLES), company, *rng.choice(_PLACES), "".join(c for c in company.lower() if c.isalnum()))
        )
    return found


def _node(job: Job, **more: object) -> dict[str, object]:
    return {"@type": "JobPosting", "title": job.title, "datePosted": "2026-05-01", "description": "<p>We look for you.</p>",
            "hiringOrganization": {"@type": "Organization", "name": job.company},
            "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": job.city, "addressCountry": job.country}}, **more}  # fmt: skip


def _case(shape: str, job: Job, url: str, head: str, body: str, lang: str = "en", **truth: str | None) -> KindCase:
    return KindCase(shape, "job_posting", url, document(head, body, lang), {**job.truth, **truth})


def json_ld(job: Job) -> KindCase:
    head = f"<title>{job.title} | {job.company} Careers</title>" + ld(
        _node(job), {"@type": "WebSite", "name": "Careers"}
    )
    return _case("json_ld", job, f"https://{job.slug}.com/jobs/1", head, "<h1>Careers at us</h1>")


def workday(job: Job) -> KindCase:
    node = _node(
        job, jobLocationType="TELECOMMUTE", identifier={"@type": "PropertyValue", "name": job.title, "value": "R-1"}
    )
    return _case(
        "workday",
        job,
        f"https://{job.slug}.wd3.myworkdayjobs.com/en/job/1",
        f"<title>{job.title}</title>{ld(node)}",
        '<div id="root"></div>',
    )


def among_similar(job: Job) -> KindCase:
    """The page's own posting and three that are similar, all as JSON-LD."""
    others = [{**_node(job), "title": f"Other Job {i}", "url": f"https://jobs.example.org/{i}"} for i in range(3)]
    blocks = "".join(ld(node) for node in [*others, {**_node(job), "url": "https://jobs.example.org/own"}])
    return _case(
        "among_similar",
        job,
        "https://jobs.example.org/own",
        f"<title>{job.title} - Job board</title>{blocks}",
        f"<h1>{job.title}</h1>",
    )


def microdata(job: Job) -> KindCase:
    body = (
        f'<div itemscope itemtype="http://schema.org/JobPosting"><h1 itemprop="title">{job.title}</h1><span itemprop="hiringOrganization" itemscope itemtype="http://schema.org/Organization">'
        f'<span itemprop="name">{job.company}</span></span><div itemprop="jobLocation" itemscope itemtype="http://schema.org/Place"><span itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">'
        f'<span itemprop="addressLocality">{job.city}</span><meta itemprop="addressCountry" content="{job.country}"></span></div></div>'
    )
    return _case(
        "microdata",
        job,
        f"https://jobs.smartrecruiters.com/{job.slug}/1",
        f"<title>{job.company} {job.title} | SmartRecruiters</title>",
        body,
    )


def greenhouse(job: Job) -> KindCase:
    body = f'<div id="app_body"><div id="header"><h1 class="app-title">{job.title}</h1><span class="company-name">at {job.company}</span><div class="location">{job.place}</div></div><div id="content"><p>Text</p></div></div>'
    return _case(
        "greenhouse",
        job,
        f"https://boards.greenhouse.io/{job.slug}/jobs/1",
        f"<title>Job Application for {job.title} at {job.company}</title>",
        body,
    )


def lever(job: Job) -> KindCase:
    body = (
        f'<div class="posting-headline"><h2>{job.title}</h2><div class="posting-categories"><div class="sort-by-time posting-category medium-category-label location">{job.place}</div>'
        '<div class="sort-by-commitment posting-category commitment">Full-time</div></div></div><div class="section-wrapper"><p>Text</p></div><a href="https://jobs.lever.co/x/apply">Apply for this job</a>'
    )
    return _case(
        "lever", job, f"https://jobs.lever.co/{job.slug}/1", f"<title>{job.company} - {job.title}</title>", body
    )


def ashby(job: Job) -> KindCase:
    state = {"organization": {"name": job.company}, "posting": {"title": job.title, "locationName": job.place, "employmentType": "FullTime", "departmentName": "R&D",
             "descriptionHtml": "<p>Text</p>", "publishedDate": "2026-05-01", "isRemote": False}}  # fmt: skip
    head = f"<title>{job.title} @ {job.company}</title><script>window.__appData = {json.dumps(state)};</script>"
    return _case("ashby", job, f"https://jobs.ashbyhq.com/{job.slug}/1", head, '<div id="root"></div>')


def indeed(job: Job) -> KindCase:
    body = (
        f'<h1 class="jobsearch-JobInfoHeader-title">{job.title}</h1><div data-company-name="true"><a href="/cmp/x">{job.company}</a></div><div data-testid="inlineHeader-companyLocation">{job.place}</div>'
        '<div id="salaryInfoAndJobType"><span>$80,000 - $100,000 a year</span></div><div id="jobDescriptionText">Text</div>'
    )
    return _case(
        "indeed",
        job,
        "https://www.indeed.com/viewjob?jk=1",
        f"<title>{job.title} - {job.city} - Indeed.com</title>",
        body,
    )


def stepstone(job: Job) -> KindCase:
    body = (
        f'<h1 data-at="header-job-title">{job.title}</h1><ul><li data-at="metadata-company-name">{job.company}</li><li data-at="metadata-location">{job.place}</li>'
        '<li data-at="metadata-online-date">Erschienen: vor 3 Tagen</li></ul><div data-at="job-ad-content">Text</div>'
    )
    return _case(
        "stepstone",
        job,
        "https://www.stepstone.de/stellenangebote--x--1-inline.html",
        f"<title>{job.title} Job {job.city} | StepStone</title>",
        body,
        "de",
    )


def own_site(job: Job) -> KindCase:
    """A company's own page without any data for machines: heading, labels and the name in three places."""
    body = (
        f'<header><img class="logo" alt="{job.company}" src="/l.png"></header><main><h1>{job.title}</h1><dl><dt>Location</dt><dd>{job.place}</dd><dt>Employment type</dt><dd>Full-time</dd></dl><p>Text</p>'
        f"</main><aside><h3>Other jobs</h3><ul><li>Driver, Hamburg</li></ul></aside><footer>© 2026 {job.company}</footer>"
    )
    head = f'<title>{job.title} | {job.company}</title><meta property="og:site_name" content="{job.company}">'
    return _case("own_site", job, f"https://www.{job.slug}.com/careers/1", head, body)


def career_list(job: Job) -> KindCase:
    """No posting at all: "Careers at …" is not a title."""
    items = "".join(
        f"<li><a href='/jobs/{i}'>{title}</a> <span class='location'>Berlin</span></li>"
        for i, title in enumerate(_TITLES)
    )
    body = f"<h1>Careers at {job.company}</h1><ul>{items}</ul>"
    return _case(
        "career_list",
        job,
        f"https://www.{job.slug}.com/careers",
        f"<title>Careers at {job.company}</title>",
        body,
        job_title=None,
        city=None,
    )


def confidential(job: Job) -> KindCase:
    node = {**_node(job), "hiringOrganization": "confidential"}
    return _case(
        "confidential",
        job,
        "https://jobs.example.org/2",
        f"<title>{job.title}</title>{ld(node)}",
        f"<h1>{job.title}</h1>",
        company_name=None,
    )


SHAPES: tuple[Callable[[Job], KindCase], ...] = (
    json_ld, workday, among_similar, microdata, greenhouse, lever, ashby, indeed, stepstone, own_site, career_list, confidential,
)  # fmt: skip


def job_cases() -> list[KindCase]:
    rng = random.Random(SEED)
    return [shape(job) for shape in SHAPES for job in _jobs(rng, 10)]
