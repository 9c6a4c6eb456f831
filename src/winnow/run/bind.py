"""Binds the port of the API before anything else starts, so that a port in use is one clear line."""

from __future__ import annotations

import socket

from winnow.errors import ConfigError
from winnow.settings import Settings

BACKLOG = 2_048


def listening(settings: Settings) -> socket.socket:
    """Open the listening socket without Nagle's delay, which its connections inherit. asyncio sets that only on
    sockets it has made itself, and without it an answer in two parts waits 40 ms for the caller's delayed
    acknowledgement."""
    host, port = settings.api.api_host, settings.api.api_port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        listener = socket.create_server(found[4][:2], family=found[0], backlog=BACKLOG)
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listener
    except OSError as wrong:
        why = (wrong.strerror or str(wrong)).partition(" (while")[0]  # the address again
        raise ConfigError(
            f"the API cannot listen on {host}:{port} ({why}): set WINNOW_API_HOST or WINNOW_API_PORT"
        ) from None
