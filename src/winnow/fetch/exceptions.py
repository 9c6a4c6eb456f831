"""Which failure each exception of a fetch stands for (fetch/failure.py)."""

from __future__ import annotations

import ssl

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError

from winnow.errors import HostUnresolved, ProxyFailed, ProxySilent, UrlRefused
from winnow.fetch.deadline import IdleTimeout
from winnow.fetch.failure import Failure
from winnow.fetch.http.decode import BadEncoding, BodyTooLarge, BodyTruncated

# The first line that fits decides, so the more special exceptions come first.
_FAILURES: tuple[tuple[type[BaseException], Failure], ...] = (
    (UrlRefused, Failure.REFUSED),
    (HostUnresolved, Failure.DNS),
    (ProxySilent, Failure.PROXY_SILENT),
    (ProxyFailed, Failure.PROXY),
    (BodyTooLarge, Failure.TOO_LARGE),
    (BodyTruncated, Failure.INCOMPLETE),
    (BadEncoding, Failure.ENCODING),
    (aiohttp.ConnectionTimeoutError, Failure.CONNECT_TIMEOUT),
    (IdleTimeout, Failure.IDLE_TIMEOUT),
    (TimeoutError, Failure.TOTAL_TIMEOUT),
    (aiohttp.ClientSSLError, Failure.TLS),
    (ssl.SSLError, Failure.TLS),
    (aiohttp.ClientConnectorError, Failure.CONNECT),
    (aiohttp.ClientPayloadError, Failure.INCOMPLETE),
    (aiohttp.ClientResponseError, Failure.PROTOCOL),
    (HttpProcessingError, Failure.PROTOCOL),
    (aiohttp.ClientConnectionError, Failure.RESET),
    (OSError, Failure.RESET),
    (aiohttp.ClientError, Failure.PROTOCOL),
    (ValueError, Failure.PROTOCOL),
)
EXPECTED = tuple(kind for kind, _ in _FAILURES)


def failure_of(error: BaseException) -> Failure:
    """The failure an expected exception of a fetch stands for."""
    return next(failure for kind, failure in _FAILURES if isinstance(error, kind))
