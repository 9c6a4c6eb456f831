"""The structure of a page as short text: what a language model needs to name the elements of a list (E-058)."""

from __future__ import annotations

import re

MAX_HTML = 2_000_000  # characters that are looked at
MAX_WORDS = 60  # of one text
_TOKEN = re.compile(r"<(/?)([a-zA-Z][\w-]*)([^<>]{0,4000})>|([^<]+)")
_ATTRIBUTE = re.compile(r"\b(class|id|href|datetime)\s*=\s*(\"[^\"]{0,200}\"|'[^']{0,200}')", re.IGNORECASE)
_UNSEEN = frozenset(["script", "style", "svg", "noscript", "template", "iframe", "select", "form"])
_BEGINS = ("<main", 'role="main"', "<h1", "<body")


def outline_text(html: str, most: int) -> str:
    """Tags with their names and addresses, and the beginnings of texts, from the page's main part on."""
    html = html[:MAX_HTML]
    lowered = html.lower()
    at = next((found for mark in _BEGINS if (found := lowered.find(mark)) >= 0), 0)
    kept: list[str] = []
    size, skipped = 0, ""
    for token in _TOKEN.finditer(html, html.rfind("<", 0, at + 1) if at else 0):
        name = (token[2] or "").lower()
        if skipped:
            skipped = "" if token[1] and name == skipped else skipped
            continue
        if name in _UNSEEN:
            skipped = "" if token[1] else name
            continue
        text = _tag(token) if name else " ".join(token[4].split())[:MAX_WORDS]
        size += len(text)
        if size > most:
            break
        kept.append(text)
    return "".join(kept)


def _tag(token: re.Match[str]) -> str:
    attributes = "".join(f" {match[1].lower()}={match[2]}" for match in _ATTRIBUTE.finditer(token[3]))
    return f"<{token[1]}{token[2].lower()}{attributes}>"
