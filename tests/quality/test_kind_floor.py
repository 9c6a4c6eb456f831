"""Companies, jobs, profiles, events and articles: page -> accepted result. The figures in floor.json
and small_floor.json may only rise.

DESIGN §11.25: a field that is null is a miss for recall and no error for precision; "null rather than a guess".
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.kinds.reading import read_target
from tests.product_pages import context, page
from tests.quality.abroad_pages import abroad_company_cases, abroad_job_cases
from tests.quality.ats_pages import ats_job_cases
from tests.quality.board_pages import board_job_cases
from tests.quality.company_pages import company_cases
from tests.quality.job_pages import job_cases
from tests.quality.kind_cases import KindCase
from tests.quality.other_hosts import other_host_company_cases
from tests.quality.other_pages import article_cases, event_cases, profile_cases
from tests.quality.small_sites import small_company_cases, small_job_cases
from winnow.kinds.registry import all_kinds

HERE = Path(__file__).parent
FLOOR = json.loads((HERE / "floor.json").read_text())["kinds"] | json.loads((HERE / "small_floor.json").read_text())
TYPES = all_kinds()
SETS = {
    "company": company_cases,
    "job_posting": job_cases,
    "profile": profile_cases,
    "event": event_cases,
    "article": article_cases,
    "small_company": small_company_cases,
    "small_job": small_job_cases,
    "board_job": board_job_cases,
    "ats_job": ats_job_cases,
    "abroad_company": abroad_company_cases,
    "abroad_job": abroad_job_cases,
    "other_host_company": other_host_company_cases,
}


def read(case: KindCase) -> dict[str, Any]:
    """The first result, with the parts of its place beside the other fields."""
    found = read_target(TYPES.target_type(case.target_type), page(case.html, case.url), context(case.url))
    data = dict(found.results[0].data) if found.results else {}
    place = data.get("headquarters") or data.get("location") or {}
    return {**data, "city": place.get("city"), "street": place.get("street"), "count": len(found.results)}


@pytest.mark.parametrize("kind", SETS)
def test_what_is_read_is_right_and_enough_is_read(kind: str):
    cases = SETS[kind]()
    wrong, missed, stated = [], [], 0
    for case in cases:
        data = read(case)
        for field, truth in case.truth.items():
            stated += truth is not None
            if data.get(field) is not None and data[field] != truth:
                wrong.append((case.shape, field, data[field], truth))
            elif data.get(field) != truth:
                missed.append((case.shape, field, truth))
    floor = FLOOR[kind]
    assert len(cases) >= floor["pages"]
    assert len(wrong) <= floor["wrong"], wrong[:20]
    assert 1 - len(missed) / stated >= floor["recall"], Counter((shape, field) for shape, field, _ in missed)
