"""A page, what is asked of it, and what is true about it."""

from __future__ import annotations

import json
from typing import Any

import msgspec


class KindCase(msgspec.Struct, frozen=True):
    """`truth` holds the fields that are scored; None means the page does not say, and nothing may be read."""

    shape: str
    target_type: str
    url: str
    html: str
    truth: dict[str, Any]


def ld(*nodes: dict[str, Any]) -> str:
    blocks = nodes[0] if len(nodes) == 1 else {"@graph": list(nodes)}
    return f'<script type="application/ld+json">{json.dumps({"@context": "https://schema.org", **blocks})}</script>'


def document(head: str, body: str, lang: str) -> str:
    return f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8">{head}</head><body>{body}</body></html>'
