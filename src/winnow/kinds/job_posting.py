"""Job postings."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.draft import Extraction
from winnow.extract.job.job_posting import extract_job_posting
from winnow.extract.page import Page
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.results.job_posting import JobPostingResult, normalise_job_posting


def read(page: Page, ctx: Context) -> Extraction:
    return extract_job_posting(page)


JOB_POSTING = model_kind(
    name="job_posting",
    version="1.1.0",
    target_type="job_posting",
    model=JobPostingResult,
    read=read,
    normalise=normalise_job_posting,
    judge=partial("posting_url"),
    identity=Identity(("job_title", "company_name"), "posting_url"),
)
