"""Validates e-mail addresses, and rejects lookalikes (`logo@2x.png`, `you@example.com`)."""

from __future__ import annotations

import re

import tldextract

from winnow.normalise.doubts import Doubt, Unread, unread
from winnow.normalise.reserved import is_name_there

# RFC 5321 lengths; the characters people really have in addresses, not all that RFC 5322 would allow.
_ADDRESS = re.compile(
    r"([A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_+-])?)@((?:[\w](?:[\w-]{0,61}\w)?\.)+[^\W\d_]{2,24})"
)
_MAX = 254
_FILES_TEXT = """
    png jpg jpeg gif svg webp avif ico css js json mp4 pdf woff woff2 ttf map html htm php txt zip
"""
_FILES = frozenset(_FILES_TEXT.split())
# Reserved by RFC 2606, or what templates and forms put where an address belongs.
_PLACEHOLDER_DOMAINS = re.compile(
    r"(?:^|\.)(?:example\.(?:com|org|net|edu)|example|invalid|test|localhost|local|domain\.(?:com|tld|de)|yourdomain\.\w+"
    r"|yourcompany\.\w+|your-?(?:web)?site\.\w+|company\.com|mysite\.com|website\.com|mail\.tld|sentry\.io|sentry-next\.\w+\.\w+"
    r"|wixpress\.com|ingest\.\w+\.sentry\.io|mustermann?\.de|musterfirma\.de|beispiel\.de|voorbeeld\.nl|exemple\.(?:fr|com)"
    r"|ejemplo\.(?:com|es)|esempio\.(?:it|com)|exemplo\.(?:com|pt)|placeholder\.\w+|email\.com|godaddy\.com)$",
    re.IGNORECASE,
)
_PLACEHOLDER_NAMES = re.compile(
    r"(?:your\.?(?:name|email|mail|e-mail)|(?:max|erika)\.?mustermann|john\.?doe|jane\.?doe|user(?:name)?|e-?mail"
    r"|name|vorname\.nachname|prenom\.nom|nombre|nome|naam|firstname\.?lastname|someone|somebody|xxx+|test|no-?reply"
    r"|do-?not-?reply|mailer-daemon|filler)",
    re.IGNORECASE,
)
# Long strings of hex are keys of error trackers, not people.
_KEY = re.compile(r"[0-9a-f]{24,}", re.IGNORECASE)
_suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


def read_email(raw: str, url: str = "") -> str | Unread:
    """`url` is the page's."""
    text = raw.strip().strip("<>()[]\"'.,;:").removeprefix("mailto:").partition("?")[0].strip()
    found = _ADDRESS.fullmatch(text)
    if found is None or len(text) > _MAX or ".." in text:
        return unread(Doubt.UNREADABLE, raw)
    name, domain = found[1], found[2].lower()
    is_own = is_name_there(domain, url)
    if domain.rpartition(".")[2] in _FILES or not (is_own or _suffixes(domain).suffix):
        return unread(Doubt.INVALID, raw)
    is_placeholder = _PLACEHOLDER_DOMAINS.search(domain) and not is_own
    if is_placeholder or _PLACEHOLDER_NAMES.fullmatch(name) or _KEY.fullmatch(name):
        return unread(Doubt.PLACEHOLDER, raw)
    return f"{name}@{domain}" if not name.isupper() else f"{name.lower()}@{domain}"
