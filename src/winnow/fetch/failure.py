"""Every way a fetch can fail, as an outcome, a stable word and one sentence without an address (R-10)."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from winnow.errors import HostUnresolved, ProxyFailed, ProxySilent, UrlRefused
from winnow.fetch.deadline import IdleTimeout
from winnow.fetch.http.decode import BadEncoding, BodyTooLarge, BodyTruncated
from winnow.fetch.outcome import FetchResult, Outcome

# The first line that fits decides, so the more special exceptions come first.
_FAILURES: tuple[tuple[type[BaseException], Outcome, str, str], ...] = (
    (UrlRefused, Outcome.REFUSED, "refused", "the URL may not be fetched"),
    (HostUnresolved, Outcome.ERROR, "dns", "the host name could not be resolved"),
    (ProxySilent, Outcome.ERROR, "proxy_silent", "the proxy did not answer in time"),
    (ProxyFailed, Outcome.ERROR, "proxy", "the proxy could not be used"),
    (BodyTooLarge, Outcome.TOO_LARGE, "too_large", "the page is larger than allowed"),
    (BodyTruncated, Outcome.INCOMPLETE, "incomplete", "the page ended before it was complete"),
    (BadEncoding, Outcome.ERROR, "encoding", "the page is not encoded as it says"),
    (aiohttp.ConnectionTimeoutError, Outcome.TIMEOUT, "connect_timeout", "no connection in time"),
    (IdleTimeout, Outcome.TIMEOUT, "idle_timeout", "the server stopped sending"),
    (TimeoutError, Outcome.TIMEOUT, "total_timeout", "the page did not arrive in time"),
    (aiohttp.ClientSSLError, Outcome.ERROR, "tls", "no secure connection could be made"),
    (ssl.SSLError, Outcome.ERROR, "tls", "no secure connection could be made"),
    (aiohttp.ClientConnectorError, Outcome.ERROR, "connect", "no connection could be made"),
    (aiohttp.ClientPayloadError, Outcome.INCOMPLETE, "incomplete", "the page ended before it was complete"),
    (aiohttp.ClientResponseError, Outcome.ERROR, "protocol", "the server does not speak proper HTTP"),
    (HttpProcessingError, Outcome.ERROR, "protocol", "the server does not speak proper HTTP"),
    (aiohttp.ClientConnectionError, Outcome.ERROR, "reset", "the connection broke"),
    (OSError, Outcome.ERROR, "reset", "the connection broke"),
    (aiohttp.ClientError, Outcome.ERROR, "protocol", "the server does not speak proper HTTP"),
    (ValueError, Outcome.ERROR, "protocol", "the request or its answer is not proper HTTP"),
)
EXPECTED = tuple(kind for kind, *_ in _FAILURES)

_BLOCKED = frozenset({401, 403, 407, 451})  # the site says no; whether it is a challenge is the tiers' question
_RETRYABLE_STATUS = frozenset({429, 500, 502, 503, 504})  # P-039
_RETRYABLE_ERRORS = frozenset(
    {
        "proxy",
        "proxy_silent",
        "dns",
        "connect",
        "reset",
        "connect_timeout",
        "idle_timeout",
        "total_timeout",
        "incomplete",
        "browser_crashed",
        "browser",
        "api_busy",
        "api_error",
    }
)


def describe(error: BaseException) -> tuple[Outcome, str, str]:
    return next((outcome, word, sentence) for kind, outcome, word, sentence in _FAILURES if isinstance(error, kind))


def outcome_of_status(status: int) -> Outcome:
    return Outcome.BLOCKED if status in _BLOCKED else Outcome.ERROR


def is_retryable(result: FetchResult) -> bool:
    """Whether the same request may succeed later: P-039's five statuses, timeouts (E-040) and a network that
    failed. Not: other statuses, a refused URL, a page too large, a wrong encoding, redirect trouble and TLS
    (E-042: a person has to look). A name that does not resolve is tried again within the same few attempts
    before E-041's alert, because name servers fail for minutes and domains move once."""
    if result.status_code is not None and result.error_class == f"http_{result.status_code}":
        return result.status_code in _RETRYABLE_STATUS
    return result.error_class in _RETRYABLE_ERRORS


def sentence_of(word: str | None) -> str:
    """The sentence of a stored word, for a person who asks later."""
    if word is None or not word.startswith("http_"):
        return next((sentence for _, _, known, sentence in _FAILURES if known == word), word or "no answer")
    return f"the server answered {word.removeprefix('http_')}"
