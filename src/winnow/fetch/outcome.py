"""How a fetch ended. Every ending has one typed outcome (DESIGN §5, P-037)."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

import msgspec

from winnow.fetch.failure import FailureCode
from winnow.fetch.meaning import Outcome as Outcome  # part of the message of a result
from winnow.fetch.page_actions import NO_ACTIONS, PageActions

DEFAULT_TIMEOUT_MS = 30_000  # P-036
DEFAULT_MAX_BYTES = 10 * 1024 * 1024  # P-036


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a redirect hop may not be taken (no grant, robots); becomes the result of the fetch."""

    error_class: FailureCode
    error: str
    retry_after_s: float | None = None


def refusal_of(failure: FailureCode, error: str | None = None, *, retry_after_s: float | None = None) -> Refusal:
    return Refusal(error_class=failure, error=error or failure.meaning.sentence, retry_after_s=retry_after_s)


# Asked when everything is ready to send: a grant is for sending at once (DESIGN §11.11).
BeforeSending = Callable[[], Awaitable[Refusal | None]]


class FetchRequest(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One request. `headers` are the source's own (P-036), `etag`/`last_modified` make it conditional, `keep` names
    headers of the answer (in lower case) that are wanted with the result, `actions` what a browser does on the page."""

    url: str
    headers: dict[str, str] = {}
    etag: str | None = None
    last_modified: str | None = None
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    max_bytes: int = DEFAULT_MAX_BYTES
    keep: tuple[str, ...] = ()
    actions: PageActions = NO_ACTIONS


class FetchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """`error_class` is what failed, `error` a sentence about it that never names an address (R-10). `body` is decoded
    from its transfer and content encodings and is set only when the outcome is ok; `content_hash` is its SHA-256,
    computed when first used.

    `error_body` is the body of an error status that may be a wall, `kept` holds the headers only walls have and those
    the request asked for: fetch/blocked/walls.py decides from both. `screenshot` (JPEG) shows a page that failed in a
    browser."""

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
    error_class: FailureCode | None = None
    error: str | None = None
    error_body: bytes | None = None
    kept: dict[str, str] = {}
    screenshot: bytes | None = None

    def __post_init__(self) -> None:
        """Refuses a result whose outcome contradicts its failure."""
        meant = Outcome.OK if self.error_class is None else self.error_class.meaning.outcome
        if self.outcome is not meant:
            raise ValueError(f"a fetch that failed with {self.error_class} does not end {self.outcome}")

    @property
    def may_pass(self) -> bool:
        """Whether the same request may succeed later."""
        return self.error_class is not None and self.error_class.meaning.may_pass

    @property
    def ended_by_status(self) -> bool:
        """Whether the server's status is the failure, not a hop on the way to it."""
        return self.error_class is not None and self.error_class.is_status

    @property
    def content_hash(self) -> str | None:
        if self.hashed is None and self.body is not None:
            msgspec.structs.force_setattr(self, "hashed", hashlib.sha256(self.body).hexdigest())
        return self.hashed

    def hashed_as(self, content_hash: str) -> None:
        """Sets the hash where it was already computed elsewhere."""
        msgspec.structs.force_setattr(self, "hashed", content_hash)


def failed(url: str, failure: FailureCode, error: str | None = None, duration_ms: int = 0) -> FetchResult:
    """The result of a fetch that got no answer of the page's own server."""
    return FetchResult(
        outcome=failure.meaning.outcome,
        url=url,
        final_url=url,
        duration_ms=duration_ms,
        error_class=failure,
        error=error or failure.meaning.sentence,
    )
