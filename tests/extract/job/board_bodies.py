"""What the interfaces of systems for applicants answer, in their shapes, with made-up employers."""

from __future__ import annotations

import json
from typing import Any

GREENHOUSE: dict[str, Any] = {
    "absolute_url": "https://boards.greenhouse.io/ferncove/jobs/4410023", "internal_job_id": 3310, "id": 4410023, "title": "Harbour Engineer",
    "location": {"name": "Cork, Ireland"}, "updated_at": "2026-02-11T09:00:00-05:00", "first_published": "2026-02-01T09:00:00-05:00",
    "company_name": "Ferncove Marine", "requisition_id": "R-7", "content": "&lt;p&gt;You keep the &lt;b&gt;harbour&lt;/b&gt; running.&lt;/p&gt;",
    "departments": [{"id": 1, "name": "Works"}], "offices": [{"id": 2, "name": "Cork"}], "metadata": None,
    "pay_input_ranges": [{"min_cents": 5500000, "max_cents": 6500000, "currency_type": "EUR", "title": "Annual salary", "blurb": ""}],
}  # fmt: skip
LEVER: dict[str, Any] = {
    "id": "8a5c5b1e-0000-4000-8000-1f2f3f4f5f6f", "text": "Tide Analyst", "country": "GB", "workplaceType": "hybrid", "createdAt": 1770000000000,
    "categories": {"commitment": "Full-time", "department": "Data", "location": "Bristol, England", "team": "Tides", "allLocations": ["Bristol, England"]},
    "description": "<div>Read tides.</div>", "descriptionPlain": "Read tides.", "lists": [{"text": "You", "content": "<li>count</li>"}], "additional": "",
    "hostedUrl": "https://jobs.lever.co/ferncove/8a5c5b1e-0000-4000-8000-1f2f3f4f5f6f", "applyUrl": "https://jobs.lever.co/ferncove/8a5c5b1e-0000-4000-8000-1f2f3f4f5f6f/apply",
    "salaryRange": {"min": 40000, "max": 52000, "currency": "GBP", "interval": "per-year-salary"},
}  # fmt: skip
ASHBY: dict[str, Any] = {
    "apiVersion": "1",
    "jobs": [
        {"id": "11111111-aaaa-4aaa-8aaa-111111111111", "title": "Buoy Designer", "location": "Lisbon", "secondaryLocations": [], "department": "Design", "team": "Buoys",
         "isListed": True, "isRemote": False, "employmentType": "FullTime", "publishedAt": "2026-02-03T10:00:00.000+00:00",
         "address": {"postalAddress": {"addressRegion": "Lisboa", "addressCountry": "Portugal", "addressLocality": "Lisbon"}},
         "jobUrl": "https://jobs.ashbyhq.com/ferncove/11111111-aaaa-4aaa-8aaa-111111111111", "applyUrl": "https://jobs.ashbyhq.com/ferncove/11111111-aaaa-4aaa-8aaa-111111111111/application",
         "descriptionHtml": "<p>Draw buoys.</p>", "descriptionPlain": "Draw buoys."},
        {"id": "22222222-bbbb-4bbb-8bbb-222222222222", "title": "Rope Splicer", "location": "Porto", "department": "Works", "isRemote": False, "employmentType": "PartTime",
         "jobUrl": "https://jobs.ashbyhq.com/ferncove/22222222-bbbb-4bbb-8bbb-222222222222", "descriptionHtml": "<p>Splice.</p>", "publishedAt": "2026-02-04T10:00:00.000+00:00"},
    ],
}  # fmt: skip
WORKDAY: dict[str, Any] = {
    "jobPostingInfo": {
        "id": "d00d", "title": "Crane Operator", "jobDescription": "<p>Lift things.</p>", "location": "Rotterdam, Netherlands", "postedOn": "Posted 3 Days Ago",
        "startDate": "2026-02-20", "timeType": "Full time", "jobReqId": "JR-104", "jobPostingId": "Crane-Operator_JR-104", "country": {"descriptor": "Netherlands", "id": "c1"},
        "externalUrl": "https://ferncove.wd3.myworkdayjobs.com/Careers/job/Rotterdam/Crane-Operator_JR-104",
    },
    "hiringOrganization": {"name": "Ferncove Ports B.V.", "url": ""},
    "similarJobs": [{"title": "Crane Mechanic", "externalPath": "/job/Rotterdam/Crane-Mechanic_JR-105", "locationsText": "Rotterdam"}],
}  # fmt: skip
SMARTRECRUITERS: dict[str, Any] = {
    "id": "743999901", "uuid": "0f0f", "name": "Quay Planner", "jobAdId": "a1", "company": {"identifier": "Ferncove", "name": "Ferncove Group"},
    "releasedDate": "2026-02-05T08:00:00.000Z", "location": {"city": "Hamburg", "region": "HH", "country": "de", "remote": False, "fullLocation": "Hamburg, Germany"},
    "industry": {"id": "logistics", "label": "Logistics"}, "department": {"id": "1", "label": "Planning"}, "typeOfEmployment": {"id": "permanent", "label": "Full-time"},
    "postingUrl": "https://jobs.smartrecruiters.com/Ferncove/743999901-quay-planner", "applyUrl": "https://jobs.smartrecruiters.com/Ferncove/743999901-quay-planner?oga=true", "active": True,
    "jobAd": {"sections": {"companyDescription": {"title": "Us", "text": "<p>Ports.</p>"}, "jobDescription": {"title": "Job", "text": "<p>Plan quays.</p>"}}},
}  # fmt: skip
RECRUITEE: dict[str, Any] = {
    "offer": {
        "id": 1204, "slug": "lock-keeper", "title": "Lock Keeper", "company_name": "Ferncove Locks", "city": "Utrecht", "state_name": "Utrecht", "country": "Netherlands",
        "country_code": "NL", "location": "Utrecht, Netherlands", "department": "Works", "description": "<p>Keep locks.</p>", "requirements": "<p>Patience.</p>",
        "employment_type_code": "fulltime_permanent", "published_at": "2026-02-06 08:00:00 UTC", "remote": False, "hybrid": False,
        "careers_url": "https://ferncove.recruitee.com/o/lock-keeper", "careers_apply_url": "https://ferncove.recruitee.com/o/lock-keeper/c/new",
        "salary": {"min": "2800", "max": "3300", "currency": "EUR", "period": "month"},
    },
}  # fmt: skip
TEAMTAILOR: dict[str, Any] = {
    "data": {
        "id": "5567", "type": "jobs",
        "links": {"careersite-job-url": "https://ferncove.teamtailor.com/jobs/5567-diver", "careersite-job-apply-url": "https://ferncove.teamtailor.com/jobs/5567-diver/applications/new"},
        "attributes": {"title": "Diver", "body": "<p>Dive.</p>", "pitch": "Under water", "created-at": "2026-02-07T08:00:00.000+01:00", "employment-type": "fulltime",
                       "remote-status": "none", "human-status": "published"},
    },
    "included": [{"id": "9", "type": "locations", "attributes": {"name": "Head office", "city": "Malmö", "country": "Sweden"}}],
}  # fmt: skip
PERSONIO = """<?xml version="1.0" encoding="UTF-8"?>
<workzag-jobs><position><id>88123</id><subcompany>Ferncove Technik GmbH</subcompany><office>Kiel</office><department>Werft</department>
<recruitingCategory/><name>Bootsbauer (m/w/d)</name><jobDescriptions><jobDescription><name>Aufgaben</name><value><![CDATA[<p>Boote &amp; mehr.</p>]]></value></jobDescription></jobDescriptions>
<employmentType>permanent</employmentType><seniority>experienced</seniority><schedule>full-time</schedule><createdAt>2026-02-08T10:00:00+01:00</createdAt></position>
<position><id>88124</id><office>Lübeck</office><name>Segelmacher (m/w/d)</name><jobDescriptions/><schedule>part-time</schedule></position></workzag-jobs>"""


SMARTRECRUITERS_ENTRY: dict[str, Any] = {
    key: value for key, value in SMARTRECRUITERS.items() if key not in ("jobAd", "postingUrl", "applyUrl")
} | {"refNumber": "REF9", "ref": "https://api.smartrecruiters.com/v1/companies/ferncove/postings/743999901"}
TEAMTAILOR_FEED: dict[str, Any] = {
    "version": "https://jsonfeed.org/version/1.1", "title": "Ferncove Dives", "feed_url": "https://jobs.ferncove.example/jobs.json",
    "items": [
        {"id": f"{n}0fafb7d", "title": title, "url": f"https://jobs.ferncove.example/jobs/{n}-{title.lower()}", "date_published": "2026-02-04T09:26:20+01:00",
         "content_html": f"<p>{title} at sea.</p>",
         "_jobposting": {"@context": "http://schema.org/", "@type": "JobPosting", "title": title, "datePosted": "2026-02-04T09:26:20+01:00",
                         "identifier": {"@type": "PropertyValue", "name": "Ferncove Dives", "value": n},
                         "jobLocation": [{"@type": "Place", "address": {"@type": "PostalAddress", "addressLocality": city, "addressCountry": code}}]}}
        for n, title, city, code in ((5567, "Diver", "Malmö", "SE"), (5568, "Skipper", "Bergen", "NO"))
    ],
}  # fmt: skip
WORKABLE_BOARD: dict[str, Any] = {
    "name": "Ferncove Ropes",
    "jobs": [
        {"title": "Rope Tester", "shortcode": "AB12CD34EF", "telecommuting": True, "url": "https://apply.workable.com/j/AB12CD34EF", "published_on": "2026-02-08",
         "created_at": "2026-02-01", "country": "Spain", "city": "", "state": "", "locations": [{"country": "Spain", "countryCode": "ES", "city": "", "region": None}]},
        {"title": "Rope Maker", "shortcode": "FE98DC76BA", "telecommuting": False, "url": "https://apply.workable.com/j/FE98DC76BA", "published_on": "2026-02-09",
         "created_at": "2026-02-01", "country": "Spain", "city": "Vigo", "state": "", "locations": [{"country": "Spain", "countryCode": "ES", "city": "Vigo", "region": None}]},
    ],
}  # fmt: skip
WORKDAY_BOARD: dict[str, Any] = {
    "total": 2,
    "jobPostings": [
        {"title": "Crane Operator", "externalPath": "/job/Rotterdam/Crane-Operator_JR-104", "locationsText": "3 Locations", "postedOn": "Posted Yesterday", "bulletFields": ["JR-104"]},
        {"title": "Crane Mechanic", "externalPath": "/job/Rotterdam/Crane-Mechanic_JR-105", "locationsText": "Rotterdam, Netherlands", "postedOn": "Posted Today", "bulletFields": ["JR-105"]},
    ],
}  # fmt: skip


def body(data: dict[str, Any] | list[Any] | str) -> bytes:
    return (data if isinstance(data, str) else json.dumps(data)).encode()
