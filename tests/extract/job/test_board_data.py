"""Job postings out of the JSON and XML that systems for applicants answer with (S-055)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.extract.job import board_bodies as bodies
from tests.kinds.reading import read_target
from tests.product_pages import NOW, context
from winnow.extract.page import Page
from winnow.kinds.registry import all_kinds

JOB = all_kinds().target_type("job_posting")


def read(data: Any, url: str = "https://api.board.example/posting", kind: str = "application/json") -> Any:
    page = Page(url=url, body=bodies.body(data), fetched_at=NOW, charset="utf-8", content_type=kind)
    return read_target(JOB, page, context(url))


CASES = [
    ("greenhouse", bodies.GREENHOUSE, "Harbour Engineer", "Ferncove Marine", "Cork", "IE", "2026-02-01", "55000-65000 EUR per year"),
    ("lever", bodies.LEVER, "Tide Analyst", None, "Bristol", "GB", "2026-02-02", "40000-52000 GBP per year"),
    ("workday", bodies.WORKDAY, "Crane Operator", "Ferncove Ports B.V.", "Rotterdam", "NL", "2026-02-20", None),
    ("smartrecruiters", bodies.SMARTRECRUITERS, "Quay Planner", "Ferncove Group", "Hamburg", "DE", "2026-02-05", None),
    ("recruitee", bodies.RECRUITEE, "Lock Keeper", "Ferncove Locks", "Utrecht", "NL", "2026-02-06", "2800-3300 EUR per month"),
    ("teamtailor", bodies.TEAMTAILOR, "Diver", None, "Malmö", "SE", "2026-02-07", None),
]  # fmt: skip


@pytest.mark.parametrize(("data", "expected"), [(case[1], case[2:]) for case in CASES], ids=[case[0] for case in CASES])
def test_s055_the_answer_about_one_posting_is_that_posting(data: Any, expected: tuple[str | None, ...]):
    found = read(data).results[0].data
    place = found["location"] or {}
    posted = (found["date_posted"] or "")[:10]
    assert (found["job_title"], found["company_name"], place.get("city"), place.get("country_code"), posted, found["salary_range"]) == expected  # fmt: skip
    assert found["description"]
    assert found["employment_type"] == ["FULL_TIME"] or data is bodies.GREENHOUSE
    assert found["remote"] is None


def test_s055_greenhouse_texts_are_unescaped_markup():
    assert read(bodies.GREENHOUSE).results[0].data["description"] == "You keep the harbour running."


def test_s055_of_a_board_the_posting_that_the_address_names():
    url = "https://api.ashbyhq.com/posting-api/job-board/ferncove/22222222-bbbb-4bbb-8bbb-222222222222"
    assert read(bodies.ASHBY, url).results[0].data["job_title"] == "Rope Splicer"
    first = read(bodies.ASHBY, "https://jobs.ashbyhq.com/ferncove#11111111-aaaa-4aaa-8aaa-111111111111").results[0].data
    assert (first["job_title"], first["location"]["city"], first["location"]["country_code"]) == (
        "Buoy Designer",
        "Lisbon",
        "PT",
    )


@pytest.mark.parametrize("data", [bodies.ASHBY, bodies.PERSONIO, {"jobs": []}, {"error": "not found"}, [1, 2]])
def test_s055_a_list_of_jobs_is_no_posting(data: Any):
    kind = "application/xml" if data is bodies.PERSONIO else "application/json"
    found = read(data, "https://api.board.example/list", kind)
    assert (found.results, str(found.failure)) == ([], "SELECTOR_NOT_FOUND")


def test_s055_a_position_out_of_personios_xml():
    found = read(bodies.PERSONIO, "https://ferncove.jobs.personio.de/job/88123", "application/xml").results[0].data
    assert (found["job_title"], found["company_name"], found["location"]["city"]) == (
        "Bootsbauer (m/w/d)",
        "Ferncove Technik GmbH",
        "Kiel",
    )
    assert (found["employment_type"], found["description"]) == (["FULL_TIME"], "Boote & mehr.")


@pytest.mark.parametrize(
    "text", ['{"title": ', "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'b'>]><workzag-jobs>&a;</workzag-jobs>"]
)
def test_s055_broken_or_unfolding_data_is_refused(text: str):
    assert str(read(text).failure) == "PAGE_STRUCTURE_CHANGED"


def test_s055_data_whose_type_is_not_named_is_known_by_how_it_begins():
    assert read(bodies.RECRUITEE, kind="text/plain").results[0].data["job_title"] == "Lock Keeper"


def test_s055_an_entry_of_a_list_without_texts_is_a_posting():
    found = read(bodies.SMARTRECRUITERS_ENTRY).results[0].data
    assert (found["job_title"], found["company_name"], found["location"]["city"], found["description"]) == (
        "Quay Planner",
        "Ferncove Group",
        "Hamburg",
        None,
    )


ENTRIES = [
    ("teamtailor", bodies.TEAMTAILOR_FEED, "https://jobs.ferncove.example/jobs/5567-diver", "Diver", "Ferncove Dives", "Malmö", "SE"),
    ("workable", bodies.WORKABLE_BOARD, "https://apply.workable.com/j/AB12CD34EF", "Rope Tester", "Ferncove Ropes", None, "ES"),
    ("workday", bodies.WORKDAY_BOARD, "https://ferncove.wd3.myworkdayjobs.com/wday/cxs/ferncove/Careers/job/Rotterdam/Crane-Mechanic_JR-105", "Crane Mechanic", None, "Rotterdam", "NL"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "url", "expected"), [(case[1], case[2], case[3:]) for case in ENTRIES], ids=[case[0] for case in ENTRIES])  # fmt: skip
def test_s055_of_a_list_the_entry_whose_address_is_asked_for(data: Any, url: str, expected: tuple[str | None, ...]):
    found = read(data, url).results[0].data
    place = found["location"] or {}
    assert (found["job_title"], found["company_name"], place.get("city"), place.get("country_code")) == expected
    assert read(data, "https://api.board.example/list").results == []


def test_s055_a_count_of_places_is_no_place():
    assert read(bodies.WORKDAY_BOARD["jobPostings"][0]).results[0].data["location"] is None


def test_s055_a_product_and_a_person_are_no_postings():
    for other in ({"title": "Rope", "url": "https://x.example/rope", "description": "Long."}, {"name": "Ada", "url": "https://x.example/ada"}):  # fmt: skip
        assert str(read(other).failure) == "SELECTOR_NOT_FOUND"
