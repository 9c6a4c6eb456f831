"""How a fetch ended. Every ending has one typed outcome (DESIGN §5, P-037)."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from enum import StrEnum

import msgspec

DEFAULT_TIMEOUT_MS = 30_000  # P-036
DEFAULT_MAX_BYTES = 10 * 1024 * 1024  # P-036


class Outcome(StrEnum):
    OK = "ok"
    ERROR = "error"
    BLOCKED = "blocked"
    TIMEOUT = "timeout"
    TOO_LARGE = "too_large"
    ROBOTS_BLOCKED = "robots_blocked"
    INCOMPLETE = "incomplete"
    REFUSED = "refused"


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a redirect hop may not be taken (no grant, robots); becomes the result of the fetch."""

    outcome: Outcome
    error_class: str
    error: str
    retry_after_s: float | None = None


# Asked when everything is ready to send: a grant is for sending at once (DESIGN §11.11).
BeforeSending = Callable[[], Awaitable[Refusal | None]]


class FetchRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request. `headers` are the source's own (P-036), `etag`/`last_modified` make it conditional, `keep` names
    headers of the answer (in lower case) that are wanted with the result."""

    url: str
    headers: dict[str, str] = {}
    etag: str | None = None
    last_modified: str | None = None
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    max_bytes: int = DEFAULT_MAX_BYTES
    keep: tuple[str, ...] = ()


class FetchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`error_class` is a stable word (dns, tls, reset, http_503, redirect_loop …), `error` an opaque
    sentence that never names an address (R-10). `body` is decoded from its transfer and content
    encodings and is set only when the outcome is ok; `content_hash` is its SHA-256, reckoned when first asked for.

    `said` is what came with a status that may be a wall's, `kept` are the headers only walls have and those the request
    asked for: fetch/blocked/walls.py tells from them what it was. `screenshot` (JPEG) shows a page that did not end
    well in a browser."""

    outcome: Outcome
    url: str
    final_url: str
    duration_ms: int
    status_code: int | None = None
    body: bytes | None = None
    charset: str = "utf-8"
    content_type: str = ""
    hashed: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_after_s: float | None = None
    not_modified: bool = False
    redirects: list[str] = []
    error_class: str | None = None
    error: str | None = None
    said: bytes | None = None
    kept: dict[str, str] = {}
    screenshot: bytes | None = None

    @property
    def content_hash(self) -> str | None:
        if self.hashed is None and self.body is not None:
            msgspec.structs.force_setattr(self, "hashed", hashlib.sha256(self.body).hexdigest())
        return self.hashed

    def hashed_as(self, content_hash: str) -> None:
        """Whoever reckoned it elsewhere saves doing so here."""
        msgspec.structs.force_setattr(self, "hashed", content_hash)
