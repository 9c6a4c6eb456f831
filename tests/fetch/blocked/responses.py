"""Answers of sites, as the fetchers hand them on."""

from __future__ import annotations

from winnow.fetch.failure import of_status
from winnow.fetch.outcome import FetchResult, Outcome

WORDS = "A kettle of brushed steel for a litre and a half of water, quiet, with a handle that stays cool. "


def html(title: str, body: str, head: str = "", lang: str = "en") -> str:
    return (
        f'<!DOCTYPE html><html lang="{lang}"><head><meta charset="utf-8"><title>{title}</title>{head}</head>'
        f"<body>{body}</body></html>"
    )


def fetched(
    status: int, text: str, *, kept: dict[str, str] | None = None, media: str = "text/html", led_to: str | None = None
) -> FetchResult:
    """As the fetchers hand it on: a body with 2xx, otherwise an error body."""
    ok, body = 200 <= status < 300, text.encode()
    return FetchResult(
        outcome=Outcome.OK if ok else Outcome.BLOCKED if status in (401, 403, 451) else Outcome.ERROR,
        url="https://shop.example/p/1",
        final_url=led_to or "https://shop.example/p/1",
        redirects=[led_to] if led_to else [],
        duration_ms=3,
        status_code=status,
        body=body if ok else None,
        error_body=None if ok else body,
        error_class=None if ok else of_status(status),
        content_type=media,
        kept=kept or {},
    )
