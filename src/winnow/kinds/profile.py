"""Profiles of people. Only their result is kept (DESIGN §11.26)."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.draft import Extraction
from winnow.extract.page import Page
from winnow.extract.profile.profile import extract_profile
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.results.profile import LinkedInProfileResult, normalise_profile


def read(page: Page, ctx: Context) -> Extraction:
    return extract_profile(page)


PROFILE = model_kind(
    name="profile",
    version="1.0.0",
    target_type="linkedin_profile",
    model=LinkedInProfileResult,
    read=read,
    normalise=normalise_profile,
    judge=partial("profile_url"),
    identity=Identity(("name",)),
    personal=True,
)
