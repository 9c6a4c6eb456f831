"""Companies, as their own websites describe them."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.company.company import extract_company
from winnow.extract.draft import Extraction
from winnow.extract.page import Page
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.results.company import CompanyWebsiteResult, normalise_company


def read(page: Page, ctx: Context) -> Extraction:
    return extract_company(page)


COMPANY = model_kind(
    name="company",
    version="1.1.0",
    target_type="company_website",
    model=CompanyWebsiteResult,
    read=read,
    normalise=normalise_company,
    judge=partial("website_url"),
    identity=Identity(("company_name",), "website_url"),
)
