"""Which failure each of Chromium's network errors stands for (fetch/failure.py). Pure."""

from __future__ import annotations

import re

from winnow.fetch.exceptions import failure_of
from winnow.fetch.failure import FailureCode

# net_error_list.h of Chromium; the first pattern that fits decides.
_ERRORS: tuple[tuple[str, FailureCode], ...] = (
    (r"CERT_|SSL_|BAD_SSL|ECH_|INSECURE_RESPONSE", FailureCode.TLS),
    (r"CONTENT_LENGTH_MISMATCH|INCOMPLETE_CHUNKED|RESPONSE_BODY_TOO_BIG_TO_DRAIN", FailureCode.INCOMPLETE),
    (r"CONTENT_DECODING", FailureCode.ENCODING),
    (r"TOO_MANY_REDIRECTS", FailureCode.TOO_MANY_REDIRECTS),
    (r"NAME_NOT_RESOLVED|DNS_", FailureCode.DNS),
    (r"CONNECTION_TIMED_OUT", FailureCode.CONNECT_TIMEOUT),
    (r"TIMED_OUT", FailureCode.TOTAL_TIMEOUT),
    (
        r"INVALID_HTTP|INVALID_CHUNKED|RESPONSE_HEADERS|INVALID_RESPONSE|HTTP2_|MULTIPLE_CONTENT|MULTIPLE_LOCATION"
        r"|UNSAFE_REDIRECT|INVALID_REDIRECT|HTTP_",
        FailureCode.PROTOCOL,
    ),
    (r"PROXY_CONNECTION|TUNNEL_|CONNECTION_REFUSED", FailureCode.CONNECT),
    (r"EMPTY_RESPONSE|CONNECTION_|SOCKET_|NETWORK_|ADDRESS_", FailureCode.RESET),
    (r"BLOCKED_BY|DISALLOWED|UNKNOWN_URL|UNSAFE_PORT", FailureCode.REFUSED),
)


def failure_of_net_error(text: str, reason: BaseException | None = None) -> FailureCode:
    """`reason` is what the pinning proxy knows: it saw the cause, Chromium only that the proxy refused."""
    if reason is not None:
        return failure_of_dial(reason)
    return next((failure for pattern, failure in _ERRORS if re.search(pattern, text)), FailureCode.BROWSER)


def failure_of_dial(error: BaseException) -> FailureCode:
    """What the pinning proxy met while it dialled: nothing had been sent yet."""
    if isinstance(error, TimeoutError):
        return FailureCode.CONNECT_TIMEOUT
    if isinstance(error, OSError):
        return FailureCode.CONNECT
    return failure_of(error)
