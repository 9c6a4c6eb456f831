"""Postings as the systems for applicants write them in HTML, as fetched and as a browser shows them: classes, attributes
and state as the systems have them, everything else invented."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from tests.quality.kind_cases import KindCase, ld
from tests.quality.small_sites import job_case

_FORM = (
    "<h2>Apply for this job</h2><form><label>First Name*</label><input><label>Location (City)*</label><input></form>"
)


def _state(name: str, data: dict[str, Any]) -> str:
    return f"<script>window.{name} = {json.dumps(data)};</script>"


def _attribute(data: dict[str, Any]) -> str:
    return escape(json.dumps(data), quote=True)


def ats_job_cases() -> list[KindCase]:
    return [
        *_greenhouse(),
        *_lever(),
        *_ashby(),
        *_workday(),
        *_personio(),
        *_smartrecruiters(),
        *_recruitee(),
        *_teamtailor(),
    ]


def _greenhouse() -> list[KindCase]:
    posting = {"title": "Kiln Engineer", "company_name": "Ostrow Ceramics", "job_post_location": "Leeds, United Kingdom", "content": "<p>Fire it.</p>",
               "published_at": "2025-03-04T10:00:00-05:00", "public_url": "https://job-boards.greenhouse.io/ostrow/jobs/41", "employment": "full_time",
               "pay_ranges": [{"title": "Salary", "min": "£55,000", "max": "£68,000", "currency_type": "GBP"}]}  # fmt: skip
    shown = """<div class="job-post"><div class="image-container"><a href="https://job-boards.greenhouse.io/ostrow"><img alt="Ostrow Ceramics Logo"></a></div>
        <div class="job__header"><div class="job__title"><h1 class="section-header section-header--large font-primary">Kiln Engineer</h1>
        <div class="job__location"><svg></svg><div>Leeds, United Kingdom</div></div></div><button>Apply</button></div>
        <div class="job__description body"><p>You fire our kilns.</p></div></div>"""
    return [
        job_case("greenhouse: new board, state and markup", "https://job-boards.greenhouse.io/ostrow/jobs/41", "en",
            '<title>Job Application for Kiln Engineer at Ostrow Ceramics</title><meta property="og:title" content="Kiln Engineer"><meta property="og:description" content="Leeds, United Kingdom">',
            shown + _FORM + _state("__remixContext", {"state": {"loaderData": {"routes/$url_token_.jobs_.$job_post_id": {"jobPost": posting}}}}),
            job_title="Kiln Engineer", company_name="Ostrow Ceramics", city="Leeds", date_posted=...),
        job_case("greenhouse: new board, markup only", "https://job-boards.greenhouse.io/ostrow/jobs/42", "en",
            "<title>Job Application for Kiln Engineer at Ostrow Ceramics</title>", shown + _FORM,
            job_title="Kiln Engineer", company_name="Ostrow Ceramics", city="Leeds"),
        job_case("greenhouse: old board", "https://boards.greenhouse.io/ostrow/jobs/43", "en", "<title>Job Application for Glaze Chemist at Ostrow Ceramics</title>",
            """<div id="main"><div id="app_body" class="app-body"><div id="logo"><a href="/ostrow"><img alt="Ostrow Ceramics Logo"></a></div>
            <div id="header"><a class="heading" href="/ostrow">View all jobs</a><h1 class="app-title">Glaze Chemist</h1><span class="company-name">at Ostrow Ceramics</span>
            <div class="location">Lyon, France; Remote</div></div><div id="content"><p>We glaze.</p></div></div></div>""" + _FORM,
            job_title="Glaze Chemist", company_name="Ostrow Ceramics", city=...),
        job_case("greenhouse: embedded application", "https://boards.greenhouse.io/embed/job_app?for=ostrow&token=44", "en", "<title>Ostrow Ceramics</title>",
            """<div id="app_body" class="app-body"><div id="header"><h1 class="app-title">Glaze Chemist</h1><span class="company-name">at Ostrow Ceramics</span>
            <div class="location">Lyon, France</div></div></div>""" + _FORM,
            job_title="Glaze Chemist", company_name="Ostrow Ceramics", city="Lyon"),
        job_case("greenhouse: a board of many", "https://job-boards.greenhouse.io/ostrow", "en", "<title>Jobs at Ostrow Ceramics</title>",
            """<h1>Current openings at Ostrow Ceramics</h1><div class="job-posts"><h3>Production</h3><table><tr class="job-post"><td><a href="/ostrow/jobs/41"><p>Kiln Engineer</p><p>Leeds</p></a></td></tr>
            <tr class="job-post"><td><a href="/ostrow/jobs/42"><p>Glaze Chemist</p><p>Lyon</p></a></td></tr></table></div>""",
            job_title=None, city=None),
    ]  # fmt: skip


def _lever() -> list[KindCase]:
    head = """<div class="main-header-logo"><a href="https://jobs.lever.co/halden"><img alt="Halden Optics logo"></a></div><div class="section-wrapper accent-section page-full-width">
        <div class="section page-centered posting-header"><div class="posting-headline"><h2>Lens Polisher</h2><div class="posting-categories">
        <div href="#" class="sort-by-time posting-category medium-category-label width-full capitalize-labels location">Toronto, Ontario</div>
        <div href="#" class="sort-by-team posting-category medium-category-label capitalize-labels department">Production – Lenses /</div>
        <div href="#" class="sort-by-commitment posting-category medium-category-label capitalize-labels commitment">Full-Time /</div>
        <div href="#" class="sort-by-time posting-category medium-category-label workplaceTypes">Hybrid</div></div></div>
        <div class="postings-btn-wrapper"><a class="postings-btn template-btn-submit" href="/halden/1/apply">Apply for this job</a></div></div></div>"""
    body = """<div class="section-wrapper page-full-width"><div class="section page-centered" data-qa="job-description"><div>We polish.</div></div>
        <div class="section page-centered" data-qa="salary-range"><h3>Salary range</h3><div>$61,000 - $70,000 a year</div></div></div>
        <a href="https://lever.co/" class="main-footer-logo">Jobs powered by <img alt="Lever logo"></a>"""
    posting = {"@type": "JobPosting", "title": "Lens Polisher", "datePosted": "2025-02-11", "hiringOrganization": {"@type": "Organization", "name": "Halden Optics"},
               "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": "Toronto, Ontario", "addressRegion": None, "addressCountry": None}},
               "employmentType": "Full-Time"}  # fmt: skip
    return [
        job_case("lever: markup only", "https://jobs.lever.co/halden/1", "en", "<title>Halden Optics - Lens Polisher</title>", head + body,
            job_title="Lens Polisher", company_name="Halden Optics", city="Toronto", employment_type=["FULL_TIME"], salary_range="61000-70000 CAD per year"),
        job_case("lever: with JSON-LD whose town holds the province", "https://jobs.lever.co/halden/1", "en", "<title>Halden Optics - Lens Polisher</title>" + ld(posting), head + body,
            job_title="Lens Polisher", company_name="Halden Optics", city="Toronto", employment_type=["FULL_TIME"], date_posted="2025-02-11"),
        job_case("lever: the form of an application", "https://jobs.lever.co/halden/1/apply", "en", "<title>Halden Optics - Lens Polisher</title>", head + """
            <h4>Submit your application</h4><form><label><div class="application-label">Current location ✱</div><input></label><label>Current company</label></form>""",
            job_title="Lens Polisher", company_name="Halden Optics", city="Toronto"),
    ]  # fmt: skip


def _ashby() -> list[KindCase]:
    posting = {"id": "a1", "title": "Loom Mechanic", "descriptionHtml": "<p>You keep looms running.</p>", "departmentName": "Mill", "locationName": "Ghent, Belgium",
               "workplaceType": "OnSite", "employmentType": "FullTime", "publishedDate": "2025-05-06", "compensationTierSummary": "€42K – €50K", "isListed": True}  # fmt: skip
    data = {
        "organization": {"name": "Tidewater Weavers", "publicWebsite": "https://www.tidewater.test"},
        "posting": posting,
        "jobBoard": None,
    }
    shown = """<div id="root"><nav><a href="https://jobs.ashbyhq.com/tidewater"><img alt="Tidewater Weavers"></a></nav><div class="_container"><h1 class="_title ashby-job-posting-heading">Loom Mechanic</h1>
        <div class="ashby-job-posting-left-pane"><div class="_section"><h2 class="_heading">Location</h2><p>Ghent, Belgium</p></div><div class="_section"><h2>Employment Type</h2><p>Full time</p></div>
        <div class="_section"><h2>Location Type</h2><p>On-site</p></div><div class="_section"><h2>Department</h2><p>Mill</p></div><div class="_section"><h2>Compensation</h2><ul><li>€42K – €50K</li></ul></div></div>
        <div class="_tabs"><a>Overview</a><a>Application</a></div><div class="_descriptionText"><p>You keep looms running.</p></div><button>Apply for this Job</button></div></div>
        <footer>Powered by Ashby</footer>"""
    return [
        job_case("ashby: as fetched", "https://jobs.ashbyhq.com/tidewater/a1", "en", "<title>Loom Mechanic @ Tidewater Weavers</title>", '<div id="root"></div>' + _state("__appData", data),
            job_title="Loom Mechanic", company_name="Tidewater Weavers", city="Ghent", employment_type=["FULL_TIME"], date_posted="2025-05-06", salary_range="42000-50000 EUR"),
        job_case("ashby: as a browser shows it", "https://jobs.ashbyhq.com/tidewater/a1", "en", "<title>Loom Mechanic @ Tidewater Weavers</title>", shown,
            job_title="Loom Mechanic", company_name="Tidewater Weavers", city="Ghent", employment_type=["FULL_TIME"], salary_range="42000-50000 EUR"),
    ]  # fmt: skip


def _workday() -> list[KindCase]:
    shown = """<div id="root"><header data-automation-id="header"><button data-automation-id="navigationItem-Careers Home">Careers Home</button></header>
        <div data-automation-id="jobPostingPage"><h2 data-automation-id="jobPostingHeader">Signal Planner</h2><a data-automation-id="adventureButton" role="button">Apply</a>
        <div data-automation-id="locations"><dl><dt>locations</dt><dd>Denver, Colorado</dd></dl></div><div data-automation-id="remoteType"><dl><dt>remote type</dt><dd>Hybrid</dd></dl></div>
        <div data-automation-id="time"><dl><dt>time type</dt><dd>Full time</dd></dl></div><div data-automation-id="postedOn"><dl><dt>posted on</dt><dd>Posted 3 Days Ago</dd></dl></div>
        <div data-automation-id="requisitionId"><dl><dt>job requisition id</dt><dd>R-2041</dd></dl></div><div data-automation-id="jobPostingDescription"><p>Plan signals.</p></div></div>
        <div data-automation-id="similarJobs"><h2>Similar Jobs (2)</h2><a>Track Planner</a><dl><dt>locations</dt><dd>Austin, Texas</dd></dl></div></div>"""
    posting = {"@type": "JobPosting", "title": "Signal Planner", "datePosted": "2025-06-01", "employmentType": "FULL_TIME", "identifier": {"@type": "PropertyValue", "name": "R-2041"},
               "hiringOrganization": {"@type": "Organization", "name": "Northrail Inc."}, "jobLocation": {"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": "Denver, Colorado", "addressCountry": "United States of America"}}}  # fmt: skip
    return [
        job_case("workday: as fetched", "https://northrail.wd5.myworkdayjobs.com/en-US/External/job/Denver-Colorado/Signal-Planner_R-2041", "en",
            '<title></title><meta property="og:title" content="Signal Planner"><meta property="og:description" content="Plan signals.">' + ld(posting), '<div id="root"></div>',
            job_title="Signal Planner", company_name="Northrail Inc.", city="Denver", employment_type=["FULL_TIME"], date_posted="2025-06-01"),
        job_case("workday: as a browser shows it", "https://northrail.wd5.myworkdayjobs.com/en-US/External/job/Denver-Colorado/Signal-Planner_R-2041", "en",
            '<title>Signal Planner</title><meta property="og:title" content="Signal Planner">', shown,
            job_title="Signal Planner", company_name=..., city="Denver", employment_type=["FULL_TIME"], date_posted=...),
    ]  # fmt: skip


def _personio() -> list[KindCase]:
    posting = {"@type": "JobPosting", "title": "Uhrmacher (m/w/d)", "datePosted": "2025-01-20", "employmentType": ["FULL_TIME"], "hiringOrganization": {"@type": "Organization", "name": "Brenner Uhren GmbH"},
               "jobLocation": [{"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": "Ulm", "addressCountry": "DE"}}]}  # fmt: skip
    shown = """<a href="/">Zurück zur Übersicht</a><h1 class="detail-title">Uhrmacher (m/w/d)</h1><p class="detail-subtitle">Festanstellung, Vollzeit · Ulm</p>
        <a href="#apply">Jetzt bewerben</a><div class="detail-block-description"><h3>Deine Aufgaben</h3><p>Uhren warten.</p></div>"""
    newer = """<main><h1 class="job-title">Uhrmacher (m/w/d)</h1><div class="job-attributes"><div><span>Ulm</span></div><div><span>Vollzeit</span></div><div><span>Festanstellung</span></div></div>
        <button>Auf diese Stelle bewerben</button><section><h2>Deine Aufgaben</h2><p>Uhren warten.</p></section></main>"""
    title = "<title>Uhrmacher (m/w/d) | Jobs bei Brenner Uhren GmbH</title>"
    return [
        job_case("personio: with JSON-LD", "https://brenner.jobs.personio.de/job/118", "de", title + ld(posting), shown,
            job_title="Uhrmacher (m/w/d)", company_name="Brenner Uhren GmbH", city="Ulm", employment_type=["FULL_TIME"], date_posted="2025-01-20"),
        job_case("personio: markup only", "https://brenner.jobs.personio.de/job/118", "de", title, shown,
            job_title="Uhrmacher (m/w/d)", company_name="Brenner Uhren GmbH", city="Ulm", employment_type=["FULL_TIME"]),
        job_case("personio: attributes in elements of their own", "https://brenner.jobs.personio.com/job/118?language=de", "de", title, newer,
            job_title="Uhrmacher (m/w/d)", company_name="Brenner Uhren GmbH", city=..., employment_type=["FULL_TIME"]),
    ]  # fmt: skip


def _smartrecruiters() -> list[KindCase]:
    return [
        job_case("smartrecruiters: microdata", "https://jobs.smartrecruiters.com/KarstHotels/744-night-manager", "en",
            '<title>Karst Hotels Night Manager | SmartRecruiters</title><meta property="og:title" content="Karst Hotels is looking for a Night Manager in Split, Croatia.">', """
            <main class="jobad-main job" itemscope itemtype="http://schema.org/JobPosting"><div class="jobad-header-logo"><img alt="Karst Hotels logo"></div><h1 class="job-title" itemprop="title">Night Manager</h1>
            <meta itemprop="datePosted" content="2025-04-02T08:00:00.000Z"><meta itemprop="industry" content="Hospitality">
            <div itemprop="hiringOrganization" itemscope itemtype="http://schema.org/Organization"><meta itemprop="name" content="Karst Hotels"></div>
            <ul class="job-details"><li class="job-detail" itemprop="jobLocation" itemscope itemtype="http://schema.org/Place"><span itemprop="address" itemscope itemtype="http://schema.org/PostalAddress">
            <spl-job-location formattedAddress="Split, Croatia" workplaceType="onsite"></spl-job-location><meta itemprop="addressLocality" content="Split"><meta itemprop="addressCountry" content="Croatia"></span></li>
            <li itemprop="employmentType" class="job-detail">Full-time</li></ul><section id="st-jobDescription" class="job-section"><h2>Job Description</h2><div itemprop="responsibilities">Nights.</div></section></main>""",
            job_title="Night Manager", company_name="Karst Hotels", city="Split", employment_type=["FULL_TIME"], date_posted=...),
        job_case("smartrecruiters: the place in an attribute", "https://careers.smartrecruiters.com/KarstHotels/744-night-manager", "en",
            "<title>Karst Hotels Night Manager | SmartRecruiters</title>", """
            <main class="jobad-main job" itemscope itemtype="http://schema.org/JobPosting"><h1 class="job-title" itemprop="title">Night Manager</h1>
            <div itemprop="hiringOrganization" itemscope itemtype="http://schema.org/Organization"><meta itemprop="name" content="Karst Hotels"></div>
            <ul class="job-details"><li class="job-detail" itemprop="jobLocation"><spl-job-location formattedAddress="Split, Croatia" workplaceType="onsite"></spl-job-location></li>
            <li itemprop="employmentType" class="job-detail">Full-time</li></ul></main>""",
            job_title="Night Manager", company_name="Karst Hotels", city="Split", employment_type=["FULL_TIME"]),
    ]  # fmt: skip


def _recruitee() -> list[KindCase]:
    offer = {"id": 77, "slug": "tile-setter", "status": "published", "primaryLangCode": "en", "departmentId": 7, "city": "Porto", "employmentType": "FULL_TIME",
             "translations": {"pt": {"title": "Ladrilhador", "country": "Portugal", "descriptionHtml": "<p>Azulejos.</p>"}, "en": {"title": "Tile Setter", "country": "Portugal", "descriptionHtml": "<p>You set tiles.</p>"}}}  # fmt: skip
    other = {"id": 78, "slug": "kiln-hand", "status": "published", "primaryLangCode": "en", "employmentType": "PART_TIME", "locationIds": [41], "city": "",
             "translations": {"en": {"title": "Kiln Hand", "country": "Portugal", "descriptionHtml": "<p>You fire.</p>"}}}  # fmt: skip
    third = {"id": 79, "slug": "foreman", "status": "published", "primaryLangCode": "en", "employmentType": "fulltime_permanent", "city": "Girona", "countryCode": "ES", "remote": True,
             "locations": [{"id": 42, "countryCode": "ES", "stateCode": "CT", "translations": {"en": {"city": "Girona", "country": "Spain", "name": "Spain ", "state": "Catalonia", "street": None}}},
                           {"id": 43, "countryCode": "PT", "translations": {"en": {"city": "Faro", "country": "Portugal", "name": "Portugal"}}}],
             "translations": {"en": {"title": "Foreman", "country": "Spain", "descriptionHtml": "<p>You lead.</p>"}}}  # fmt: skip
    config = {
        "company": {"name": "Azulejo Works"},
        "offers": [offer, other, third],
        "locations": [
            {"id": 40, "city": "Porto", "country": "Portugal"},
            {"id": 41, "city": "Braga", "country": "Portugal"},
        ],
    }
    data = {"appConfig": config}
    shown = """<header><a href="/"><img alt="Azulejo Works"></a></header><h1>Tile Setter</h1><div><span class="custom-css-style-job-location-city">Porto</span><span>, </span><span class="custom-css-style-job-location-country">Portugal</span></div>
        <span>On-site</span><h3>Job description</h3><p>You set tiles.</p><a href="/o/tile-setter/c/new">Apply now</a>"""
    return [
        job_case("recruitee: state in an attribute", "https://azulejo.recruitee.com/o/tile-setter", "en", "<title>Tile Setter - Azulejo Works</title>",
            f'<div data-component="PublicApp" data-props="{_attribute(data)}"></div>',
            job_title="Tile Setter", company_name="Azulejo Works", city="Porto", employment_type=["FULL_TIME"]),
        job_case("recruitee: the place by its id", "https://azulejo.recruitee.com/o/kiln-hand", "en", "<title>Kiln Hand - Azulejo Works</title>",
            f'<div data-component="PublicApp" data-props="{_attribute(data)}"></div>',
            job_title="Kiln Hand", company_name="Azulejo Works", city="Braga", employment_type=["PART_TIME"]),
        job_case("recruitee: places in a language of their own", "https://azulejo.recruitee.com/o/foreman", "en", "<title>Foreman - Azulejo Works</title>",
            f'<div data-component="PublicApp" data-props="{_attribute(data)}"></div>',
            job_title="Foreman", company_name="Azulejo Works", city="Girona", employment_type=["FULL_TIME"], remote=True),
        job_case("recruitee: as a browser shows it", "https://azulejo.recruitee.com/o/tile-setter", "en", "<title>Tile Setter - Azulejo Works</title>", shown,
            job_title="Tile Setter", company_name="Azulejo Works", city="Porto"),
    ]  # fmt: skip


def _teamtailor() -> list[KindCase]:
    posting = {"@type": "JobPosting", "title": "Sommelier", "datePosted": "2025-08-01T10:00:00+02:00", "validThrough": "2025-09-01", "employmentType": "FULL_TIME",
               "hiringOrganization": {"@type": "Organization", "name": "Gran Krog AB", "sameAs": "https://jobb.grankrog.test"},
               "jobLocation": [{"@type": "Place", "address": {"@type": "PostalAddress", "streetAddress": "Storgatan 3", "addressLocality": "Malmö", "addressCountry": "SE", "postalCode": "211 42"}}]}  # fmt: skip
    shown = """<section class="cover"><h1 class="font-company-header"><span>Sommelier</span></h1><div class="mt-4 text-lg"><span>Kitchen</span><span class="mx-[2px]">·</span><span>Malmö</span><span class="mx-[2px]">·</span><span>On-site</span></div>
        <a class="careersite-button" href="/jobs/55/applications/new">Apply for this job</a></section><div class="prose"><p>You pour.</p></div>
        <dl class="md:max-w-[70%]"><dt>Department</dt><dd>Kitchen</dd><dt>Locations</dt><dd>Malmö</dd><dt>Employment type</dt><dd>Full-time</dd></dl><h3>Contact</h3><p>Eva Lind Head Chef – Kitchen</p>
        <footer>Career site by Teamtailor</footer>"""
    title = "<title>Sommelier - Gran Krog AB</title>"
    return [
        job_case("teamtailor: JSON-LD on its own host", "https://jobb.grankrog.test/jobs/55-sommelier", "en", title + ld(posting), shown,
            job_title="Sommelier", company_name="Gran Krog AB", city="Malmö", employment_type=["FULL_TIME"], valid_through="2025-09-01"),
        job_case("teamtailor: markup only", "https://grankrog.teamtailor.com/jobs/55-sommelier", "en", title, shown,
            job_title="Sommelier", company_name="Gran Krog AB", city="Malmö", employment_type=["FULL_TIME"]),
    ]  # fmt: skip
