"""Chromium's words for what went wrong, in the fetcher's (see winnow.fetch.failure). Pure."""

from __future__ import annotations

import re

from winnow.fetch import failure
from winnow.fetch.outcome import Outcome

Ending = tuple[Outcome, str, str]

# net_error_list.h of Chromium; the first pattern that fits decides.
_ERRORS: tuple[tuple[str, Ending], ...] = (
    (
        r"CERT_|SSL_|BAD_SSL|ECH_|INSECURE_RESPONSE",
        (Outcome.ERROR, "tls", "no secure connection could be made"),
    ),
    (
        r"CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED|RESPONSE_BODY_TOO_BIG_TO_DRAIN",
        (Outcome.INCOMPLETE, "incomplete", "the page ended before it was complete"),
    ),
    (r"CONTENT_DECODING", (Outcome.ERROR, "encoding", "the page is not encoded as it says")),
    (r"TOO_MANY_REDIRECTS", (Outcome.ERROR, "too_many_redirects", "too many redirects")),
    (r"NAME_NOT_RESOLVED|DNS_", (Outcome.ERROR, "dns", "the host name could not be resolved")),
    (r"CONNECTION_TIMED_OUT", (Outcome.TIMEOUT, "connect_timeout", "no connection in time")),
    (r"TIMED_OUT", (Outcome.TIMEOUT, "total_timeout", "the page did not arrive in time")),
    (
        r"INVALID_HTTP|INVALID_CHUNKED|RESPONSE_HEADERS|INVALID_RESPONSE|HTTP2_|MULTIPLE_CONTENT|MULTIPLE_LOCATION"
        r"|UNSAFE_REDIRECT|INVALID_REDIRECT|HTTP_",
        (Outcome.ERROR, "protocol", "the server does not speak proper HTTP"),
    ),
    (r"PROXY_CONNECTION|TUNNEL_|CONNECTION_REFUSED", (Outcome.ERROR, "connect", "no connection could be made")),
    (
        r"EMPTY_RESPONSE|CONNECTION_|SOCKET_|NETWORK_|ADDRESS_",
        (Outcome.ERROR, "reset", "the connection broke"),
    ),
    (r"BLOCKED_BY|DISALLOWED|UNKNOWN_URL|UNSAFE_PORT", (Outcome.REFUSED, "refused", "the URL may not be fetched")),
)
CRASHED: Ending = (Outcome.ERROR, "browser_crashed", "the browser crashed on this page")
UNKNOWN: Ending = (Outcome.ERROR, "browser", "the browser could not show the page")


def describe_net_error(text: str, reason: BaseException | None = None) -> Ending:
    """`reason` is what the pinning proxy knows: it saw the cause, Chromium only that the proxy said no."""
    if reason is not None:
        return describe(reason)
    return next((ending for pattern, ending in _ERRORS if re.search(pattern, text)), UNKNOWN)


def describe(error: BaseException) -> Ending:
    if isinstance(error, TimeoutError):
        return Outcome.TIMEOUT, "connect_timeout", "no connection in time"
    if isinstance(error, OSError):
        return Outcome.ERROR, "connect", "no connection could be made"
    return failure.describe(error)
