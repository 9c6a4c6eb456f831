"""The socket the API listens on."""

from __future__ import annotations

import socket
from dataclasses import replace

import pytest

from winnow.errors import ConfigError
from winnow.run.bind import listening
from winnow.settings import Settings


def on(settings: Settings, port: int) -> Settings:
    return replace(settings, api=settings.api.model_copy(update={"api_host": "127.0.0.1", "api_port": port}))


def test_answers_are_not_held_back(settings: Settings) -> None:
    """Otherwise every answer on a connection that is used again may come 40 ms late."""
    with (
        listening(on(settings, 0)) as listener,
        socket.create_connection(listener.getsockname()),
        listener.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_port_that_is_taken_is_one_line(settings: Settings) -> None:
    with listening(on(settings, 0)) as listener, pytest.raises(ConfigError, match="WINNOW_API_PORT"):
        listening(on(settings, listener.getsockname()[1]))
