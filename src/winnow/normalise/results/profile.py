"""Public profile: the result and how each of its fields is read (S-053)."""

from __future__ import annotations

import json
import re

from winnow.extract.adapter import Context
from winnow.extract.draft import Draft
from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.fields import Around, Field, Normalised, Result, around, link, normalise_fields, prose
from winnow.normalise.places.located import NormalizedLocation, location
from winnow.normalise.results.company import HttpsUrl, Line, Prose
from winnow.normalise.text import clean_line


class Experience(Result):
    title: Line | None = None
    company: Line | None = None
    period: Line | None = None


class Education(Result):
    school: Line
    degree: Line | None = None


class LinkedInProfileResult(Result):
    name: Line | None = None
    headline: Line | None = None
    current_company: Line | None = None
    location: NormalizedLocation | None = None
    summary: Prose | None = None
    profile_url: HttpsUrl | None = None
    image_url: HttpsUrl | None = None
    experience: list[Experience] | None = None
    education: list[Education] | None = None


_MASK = re.compile(r"\*{2,}")
_CONNECTIONS = re.compile(
    r"^\d[\d.,+]*\s*(?:connections|followers|kontakte|follower|connecties|volgers|relations|abonnés|contactos|seguidores)",
    re.IGNORECASE,
)


def _unmasked_text(raw: str, near: Around) -> str | Unread:
    """Text, unless the page hides it behind stars."""
    text = clean_line(raw)
    if _MASK.search(text):
        return unread(Doubt.MASKED, "***")
    return text if any(c.isalnum() for c in text) else unread(Doubt.EMPTY, raw)  # "--" stands where nothing was entered


def _place(raw: str, near: Around) -> NormalizedLocation | Unread:
    if _CONNECTIONS.match(raw) or _MASK.search(raw):
        return unread(Doubt.UNREADABLE, raw)
    return location(raw, near)


def _summary(raw: str, near: Around) -> str | Unread:
    return unread(Doubt.MASKED, "***") if _MASK.search(raw) else prose(raw, near) or unread(Doubt.EMPTY, raw)


def _experience(raw: str, near: Around) -> Experience | Unread:
    stated = _parts(raw)
    return Experience(**stated) if stated.get("title") or stated.get("company") else unread(Doubt.MASKED, "***")


def _education(raw: str, near: Around) -> Education | Unread:
    stated = _parts(raw)
    return (
        Education(school=stated["school"], degree=stated.get("degree"))
        if stated.get("school")
        else unread(Doubt.MASKED, "***")
    )


def _parts(raw: str) -> dict[str, str]:
    cleaned = {key: clean_line(str(value)) for key, value in json.loads(raw).items()}
    return {key: value for key, value in cleaned.items() if value and not _MASK.search(value)}


FIELDS = {
    "name": Field(_unmasked_text),
    "headline": Field(_unmasked_text),
    "current_company": Field(_unmasked_text),
    "location": Field(_place),
    "summary": Field(_summary),
    "profile_url": Field(link),
    "image_url": Field(link),
    "experience": Field(_experience, many=True, most=30),
    "education": Field(_education, many=True, most=30),
}


def normalise_profile(draft: Draft, ctx: Context) -> Normalised:
    return normalise_fields(draft, LinkedInProfileResult, FIELDS, around(draft, ctx))
