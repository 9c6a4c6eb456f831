"""Addresses for servers that cannot choose one themselves."""

from __future__ import annotations

import random
import socket

# Below the range from which kernels take the ports of outgoing connections and of servers that ask for any.
CHOICES = range(20_000, 32_768)


def free_port() -> int:
    """One that nobody uses, and that the kernel gives to nobody else before its server has started."""
    while True:
        port = random.SystemRandom().choice(CHOICES)
        with socket.socket() as tried:
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
