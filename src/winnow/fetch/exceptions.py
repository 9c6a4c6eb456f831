"""Which failure each exception of a fetch stands for (fetch/failure.py)."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from winnow.errors import HostUnresolved, ProxyFailed, ProxySilent, UrlRefused
from winnow.fetch.deadline import IdleTimeout
from winnow.fetch.failure import FailureCode
from winnow.fetch.http.decode import BadEncoding, BodyTooLarge, BodyTruncated

# The first line that fits decides, so the more special exceptions come first.
_FAILURES: tuple[tuple[type[BaseException], FailureCode], ...] = (
    (UrlRefused, FailureCode.REFUSED),
    (HostUnresolved, FailureCode.DNS),
    (ProxySilent, FailureCode.PROXY_SILENT),
    (ProxyFailed, FailureCode.PROXY),
    (BodyTooLarge, FailureCode.TOO_LARGE),
    (BodyTruncated, FailureCode.INCOMPLETE),
    (BadEncoding, FailureCode.ENCODING),
    (aiohttp.ConnectionTimeoutError, FailureCode.CONNECT_TIMEOUT),
    (IdleTimeout, FailureCode.IDLE_TIMEOUT),
    (TimeoutError, FailureCode.TOTAL_TIMEOUT),
    (aiohttp.ClientSSLError, FailureCode.TLS),
    (ssl.SSLError, FailureCode.TLS),
    (aiohttp.ClientConnectorError, FailureCode.CONNECT),
    (aiohttp.ClientPayloadError, FailureCode.INCOMPLETE),
    (aiohttp.ClientResponseError, FailureCode.PROTOCOL),
    (HttpProcessingError, FailureCode.PROTOCOL),
    (aiohttp.ClientConnectionError, FailureCode.RESET),
    (OSError, FailureCode.RESET),
    (aiohttp.ClientError, FailureCode.PROTOCOL),
    (ValueError, FailureCode.PROTOCOL),
)
EXPECTED = tuple(kind for kind, _ in _FAILURES)


def failure_of(error: BaseException) -> FailureCode:
    """The failure an expected exception of a fetch stands for."""
    return next(failure for kind, failure in _FAILURES if isinstance(error, kind))
