"""Articles: who wrote what, and when."""

from __future__ import annotations

from winnow.extract.adapter import Context
from winnow.extract.article.article import extract_article
from winnow.extract.draft import Extraction
from winnow.extract.page import Page
from winnow.kinds.results import Identity, model_kind, partial
from winnow.normalise.results.article import ArticleMetadataResult, normalise_article


def read(page: Page, ctx: Context) -> Extraction:
    return extract_article(page)


ARTICLE = model_kind(
    name="article",
    version="1.0.0",
    target_type="article_metadata",
    model=ArticleMetadataResult,
    read=read,
    normalise=normalise_article,
    judge=partial("canonical_url"),
    identity=Identity(("title",), "canonical_url"),
)
