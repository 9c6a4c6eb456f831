"""The target types that come with Winnow."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from pydantic import BaseModel

from winnow.extract.adapter import Context
from winnow.extract.article.article import extract_article
from winnow.extract.company.company import extract_company
from winnow.extract.draft import Draft, Extraction
from winnow.extract.event.event import extract_events
from winnow.extract.job.job_posting import extract_job_posting
from winnow.extract.page import Page
from winnow.extract.profile.profile import extract_profile
from winnow.judge.gates import judge_offer
from winnow.judge.generic import GenericOffer
from winnow.judge.target_read import judge_required
from winnow.judge.target_type import Needs, TargetType
from winnow.judge.verdict import Verdict
from winnow.normalise.fields import Normalised
from winnow.normalise.results.article import ArticleMetadataResult, normalise_article
from winnow.normalise.results.company import CompanyWebsiteResult, normalise_company
from winnow.normalise.results.event import EventResult, normalise_event
from winnow.normalise.results.job_posting import JobPostingResult, normalise_job_posting
from winnow.normalise.results.product import ProductResult, normalise_product, product_offer
from winnow.normalise.results.profile import LinkedInProfileResult, normalise_profile


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A target type made of two functions. `required` names the fields without which a result is worthless."""

    name: str
    kind: str
    version: str
    model: type[BaseModel]
    required: tuple[str, ...]
    read: Callable[[Page], Extraction]
    finish: Callable[[Draft, Context], Normalised]
    needs: Needs = Needs.STATIC_FIRST

    def extract(self, page: Page, ctx: Context) -> Extraction:
        return self.read(page)

    def normalise(self, draft: Draft, ctx: Context) -> Normalised:
        return self.finish(draft, ctx)

    def judge(self, found: Normalised, draft: Draft, ctx: Context) -> Verdict:
        return judge_required(found, self.required)


COMPANY_WEBSITE = Kind(
    name="company_website",
    kind="company",
    version="1.1.0",
    model=CompanyWebsiteResult,
    required=("company_name",),
    read=extract_company,
    finish=normalise_company,
)
JOB_POSTING = Kind(
    name="job_posting",
    kind="job_posting",
    version="1.0.0",
    model=JobPostingResult,
    required=("job_title",),
    read=extract_job_posting,
    finish=normalise_job_posting,
)
LINKEDIN_PROFILE = Kind(
    name="linkedin_profile",
    kind="profile",
    version="1.0.0",
    model=LinkedInProfileResult,
    required=("name",),
    read=extract_profile,
    finish=normalise_profile,
)
EVENT = Kind(
    name="event",
    kind="event",
    version="1.0.0",
    model=EventResult,
    required=("title", "start"),
    read=extract_events,
    finish=normalise_event,
)
ARTICLE_METADATA = Kind(
    name="article_metadata",
    kind="article",
    version="1.0.0",
    model=ArticleMetadataResult,
    required=("title",),
    read=extract_article,
    finish=normalise_article,
)


class Product:
    """The offer waterfall under the same registry; its verdict is the one of prices."""

    name = "product"
    kind = "product"
    version = GenericOffer.version
    needs = Needs.STATIC_FIRST
    model = ProductResult

    def extract(self, page: Page, ctx: Context) -> Extraction:
        return GenericOffer().extract(page, ctx)

    def normalise(self, draft: Draft, ctx: Context) -> Normalised:
        return normalise_product(draft, ctx)

    def judge(self, found: Normalised, draft: Draft, ctx: Context) -> Verdict:
        return judge_offer(product_offer(draft, ctx), ctx.currency and [ctx.currency])


KINDS: tuple[TargetType, ...] = (COMPANY_WEBSITE, JOB_POSTING, LINKEDIN_PROFILE, EVENT, ARTICLE_METADATA, Product())
