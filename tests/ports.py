"""Addresses for servers that cannot choose one themselves."""

from __future__ import annotations

import socket


def free_port() -> int:
    """One the kernel has just chosen; it does not choose it again soon."""
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])
