"""The mapping of C-051, what filters and facets need besides, and the document of one offer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

# Names of PostgreSQL's languages that OpenSearch and Elasticsearch have analyzers of under the same name.
LANGUAGES = (
    "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian", "norwegian",
    "portuguese", "romanian", "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
_KEYWORDS = ("currency", "availability", "shown_currency", "shown_availability", "language", "codes")
_REQUIRED: dict[str, dict[str, str]] = {  # C-051
    "product_id": {"type": "integer"},
    "product_name": {"type": "text", "analyzer": "standard"},
    "description": {"type": "text", "analyzer": "standard"},
    "brand": {"type": "keyword"},
    "category": {"type": "keyword"},
    "domain_name": {"type": "keyword"},
    "created_at": {"type": "date"},
}


def index_body() -> dict[str, Any]:
    """`dynamic` is strict: a field that nobody declared would be guessed from its first value."""
    properties: dict[str, dict[str, str]] = {
        **_REQUIRED,
        "source_id": {"type": "long"},
        "words_simple": {"type": "text", "analyzer": "standard"},
        **{f"words_{language}": {"type": "text", "analyzer": language} for language in LANGUAGES},
        **{f"text_{language}": {"type": "text", "analyzer": language} for language in ("simple", *LANGUAGES)},
        "text_simple": {"type": "text", "analyzer": "standard"},
        **{name: {"type": "keyword"} for name in _KEYWORDS},
        **{name: {"type": "double"} for name in ("price", "shown_price", "rating")},
        "shown_until": {"type": "date"},
    }
    return {
        "settings": {"auto_expand_replicas": "0-1", "refresh_interval": "30s"},
        "mappings": {"dynamic": "strict", "properties": properties},
    }


def document(row: Mapping[str, Any]) -> dict[str, Any]:
    """Name and brand are what PostgreSQL's documents weigh most; the description counts in its own language only."""
    language = row["language"] if row["language"] in LANGUAGES else "simple"
    words = " ".join(part for part in (row["product_name"], row["brand"]) if part)
    described = (row["description"] or "")[:50_000]
    copied = ("product_id", "product_name", "brand", "category", "domain_name", "source_id", "language", "codes",
              "currency", "availability", "shown_currency", "shown_availability")  # fmt: skip
    return {
        **{name: row[name] for name in copied},
        "description": described,
        "created_at": _moment(row["created_at"]),
        "words_simple": words,
        f"words_{language}": words,
        f"text_{language}": described,
        **{name: _number(row[name]) for name in ("price", "shown_price", "rating")},
        "shown_until": _moment(row["shown_until"]),
    }


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _moment(value: datetime | None) -> int | None:
    return None if value is None else round(value.timestamp() * 1_000)
