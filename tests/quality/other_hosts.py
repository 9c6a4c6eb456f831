"""The pages of companies served from a host that says nothing: copies, archives, previews, platforms with numbers."""

from __future__ import annotations

import re

import msgspec

from tests.quality.abroad_pages import abroad_company_cases
from tests.quality.company_pages import company_cases
from tests.quality.kind_cases import KindCase
from tests.quality.small_sites import small_company_cases

_OWN_ADDRESS = re.compile(r'<link[^>]*rel="canonical"[^>]*>|<meta[^>]*og:url[^>]*>')


def other_host_company_cases() -> list[KindCase]:
    cases = [*company_cases(), *small_company_cases(), *abroad_company_cases()]
    return [_moved(case, n) for n, case in enumerate(cases) if case.truth.get("company_name") is not None]


def _moved(case: KindCase, n: int) -> KindCase:
    truth = {"company_name": case.truth["company_name"]}
    html, url = _OWN_ADDRESS.sub("", case.html), f"https://s3-pages-8f3a.example.net/{n}.html"
    return msgspec.structs.replace(case, html=html, url=url, truth=truth)
