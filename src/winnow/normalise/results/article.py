"""Article metadata: the result and how each of its fields is read."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import msgspec

from winnow.extract.adapter import Context
from winnow.extract.article.published import BESIDE_HEADING, BY_PHRASE
from winnow.extract.draft import Draft, Value
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around, Field, Normalised, Result, around, line, link, normalise_fields, prose
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.results.job_posting import day
from winnow.normalise.text import clean_line, fold


class ArticleMetadataResult(Result):
    title: Line | None = None
    authors: list[Line] | None = None
    published: str | None = None
    modified: str | None = None
    description: Prose | None = None
    image_url: HttpsUrl | None = None
    site_name: Line | None = None
    language: str | None = None
    canonical_url: HttpsUrl | None = None
    section: Line | None = None
    keywords: list[Line] | None = None


_BY = re.compile(r"^(?:by|von|door|par|por|di|de|af|written by|text)\s*:?\s+(?=[A-ZÀ-Ý])", re.IGNORECASE)
_NOT_AN_AUTHOR = frozenset(
    [
        "admin",
        "administrator",
        "editor",
        "redaktion",
        "author",
        "authors",
        "root",
        "user",
        "webmaster",
        "staff",
        "super user",
        "super-user",
    ]
)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?(?:[-_][A-Za-z]{2})?")
_TAIL = re.compile(r"\s+[|–—·»-]+\s+")


def _author(raw: str, near: Around) -> str | Unread:
    text = re.sub(r"\s*\([^)]*\)\s*$", "", _BY.sub("", clean_line(raw, 160))).strip(" ,;|")
    if (
        re.match(r"https?:|www\.|@|/", text)
        or "@" in text
        or not any(c.isalpha() for c in text)
        or len(text.split()) > 8
    ):
        return unread(Doubt.UNREADABLE, raw)
    return unread(Doubt.PLACEHOLDER, raw) if fold(text) in _NOT_AN_AUTHOR else text


def _site(raw: str, near: Around) -> str | Unread:
    text = clean_line(raw, 160)
    return unread(Doubt.UNREADABLE, raw) if re.match(r"https?:|www\.", text) else text or unread(Doubt.EMPTY, raw)


def _language(raw: str, near: Around) -> str | Unread:
    text = raw.strip().split(",")[0]
    if not _LANGUAGE.fullmatch(text):
        return unread(Doubt.UNREADABLE, raw)
    language, _, region = text.replace("_", "-").partition("-")
    return f"{language.lower()}-{region.upper()}" if len(region) == 2 else language.lower()


FIELDS = {
    "title": Field(line),
    "authors": Field(_author, many=True),
    "published": Field(day),
    "modified": Field(day),
    "description": Field(prose),
    "image_url": Field(link),
    "site_name": Field(_site),
    "language": Field(_language),
    "canonical_url": Field(link),
    "section": Field(line),
    "keywords": Field(line, many=True, most=30),
}


def normalise_article(draft: Draft, ctx: Context) -> Normalised:
    near = around(draft, ctx)
    values = draft.values | {"published": with_local_day(draft.values.get("published", []), near)}
    return normalise_fields(msgspec.structs.replace(draft, values=values), ArticleMetadataResult, FIELDS, near, _finish)


# Where a day stands as readers see it, in the paper's own time zone.
_SEEN = frozenset(["url", BESIDE_HEADING, BY_PHRASE])
_UTC = re.compile(r"\d{4}-?\d\d-?\d\dT.*(?:Z|[+-]00:?00)")


def with_local_day(values: list[Value], near: Around) -> list[Value]:
    """A moment in UTC of late evening is another day where the paper is: a day that readers see, and that is the one
    before or behind it, comes first."""
    if not values or not _UTC.fullmatch(values[0].raw.strip()):
        return values
    stated = _date_of(values[0], near)
    seen = [value for value in values[1:] if value.path in _SEEN]
    days = {found for value in seen if (found := _date_of(value, near)) is not None}
    if stated is None or len(days) != 1 or abs((days.pop() - stated).days) != 1:
        return values
    return [seen[0], *(value for value in values if value is not seen[0])]


def _date_of(value: Value, near: Around) -> date | None:
    found = day(value.raw, near)
    return None if isinstance(found, Unread) else date.fromisoformat(found[:10])


def _finish(values: dict[str, Any], near: Around) -> dict[str, Any]:
    if "title" in values and "site_name" in values:
        values["title"] = without_site(values["title"], values["site_name"])
    if len(values.get("keywords", [])) == 1:
        values["keywords"] = [word.strip() for word in values["keywords"][0].split(",") if word.strip()][:30]
    return values


def without_site(title: str, site: str) -> str:
    """ "Rain ahead | The Daily" is called "Rain ahead"."""
    parts = _TAIL.split(title)
    kept = parts[:-1] if len(parts) > 1 and fold(parts[-1]) == fold(site) else parts
    return title if len(kept) == len(parts) else title[: title.rindex(parts[-1])].rstrip(" |–—·»-")
