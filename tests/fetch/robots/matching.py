from __future__ import annotations

from winnow.fetch.robots.rules import parse


def allows(text: str | bytes, target: str, agent: str = "FooBot") -> bool:
    body = text if isinstance(text, bytes) else text.encode()
    return parse(body).decide(target, agent).allowed
