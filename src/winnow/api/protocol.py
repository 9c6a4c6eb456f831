"""The HTTP protocol of uvicorn's fast parser. Malformed HTTP is answered with an envelope too (S-093)."""

from __future__ import annotations

import re
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.http.h11_impl import H11Protocol

from winnow.api.transport import unreadable

_REQUEST_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ \r\n]+ HTTP/1\.[01]\r?\n")  # RFC 9112 §3, any method


class _Enveloped:
    transport: Any

    def send_400_response(self, msg: str) -> None:
        self.transport.write(unreadable())
        self.transport.close()


class _AnyMethod(_Enveloped, H11Protocol):
    """A slower parser that accepts every method name."""


class Protocol(_Enveloped, AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """The fast parser knows a list of methods. A request with another one is handed to the parser that reads all of
    them, so that it is answered like any wrong method: by its path, with 405."""

    _within = False  # a request whose end has not come yet: what arrives is not the beginning of one
    _beginning = b""

    def data_received(self, data: bytes) -> None:
        self._beginning = b"" if self._within else data
        super().data_received(data)

    def on_message_begin(self) -> None:
        self._within = True
        super().on_message_begin()

    def on_message_complete(self) -> None:
        self._within = False
        super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        answered = self.cycle is None or self.cycle.response_complete
        if answered and not isinstance(self, H11Protocol) and _REQUEST_LINE.match(self._beginning):
            self._hand_over(self._beginning)
        else:
            super().send_400_response(msg)

    def _hand_over(self, data: bytes) -> None:
        self.connections.discard(self)
        other = _AnyMethod(config=self.config, server_state=self.server_state, app_state=self.app_state)
        other.connection_made(self.transport)
        self.transport.set_protocol(other)
        other.data_received(data)
