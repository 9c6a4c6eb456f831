"""What an operator writes down: `socks5://user:password@proxy.example.com:1080?region=us`, or `direct`. Pure."""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import unquote

import msgspec

from winnow.errors import InvalidInput, UrlRefused
from winnow.fetch.egress.allow import NOTHING, AllowList
from winnow.fetch.url import check_host

DIRECT = "direct"  # the exit that is no proxy; counts as a healthy one (DESIGN §11.20)
Protocol = Literal["http", "https", "socks5"]
_PROTOCOLS: dict[str, Protocol] = {"http": "http", "https": "https", "socks5": "socks5", "socks5h": "socks5"}
_DEFAULT_PORTS = {"http": 80, "https": 443, "socks5": 1080}
_SHAPE = re.compile(
    r"(?P<scheme>[a-z0-9]+)://(?:(?P<user>[^:@/?#\s]*)(?::(?P<password>[^@/?#\s]*))?@)?"
    r"(?P<host>\[[^\]\s]+\]|[^:@/?#\s]+)(?::(?P<port>\d{1,5}))?/?(?:\?region=(?P<region>[A-Za-z0-9-]+))?",
    re.A | re.I,
)
_REGION = re.compile(r"[a-z0-9-]{2,32}", re.A)


class ProxyEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """`host` in its one reading. A password is kept out of every text about it."""

    protocol: Protocol
    host: str
    port: int
    username: str | None = None
    password: str | None = None
    region: str | None = None

    @property
    def url(self) -> str:
        """Without user and password: for people and logs."""
        return f"{self.protocol}://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    def __repr__(self) -> str:
        return f"Endpoint({self.url!r})"

    __str__ = __repr__


def parse_endpoint(text: str, allow: AllowList = NOTHING) -> ProxyEndpoint:
    """InvalidInput or UrlRefused without repeating the text: it may hold a password."""
    match = _SHAPE.fullmatch(text.strip())
    protocol = _PROTOCOLS.get(match["scheme"].lower()) if match else None
    if match is None or protocol is None:
        raise InvalidInput("a proxy is written http://, https:// or socks5://[user:password@]host:port", "proxy_url")
    return endpoint(
        protocol,
        match["host"],
        int(match["port"] or _DEFAULT_PORTS[protocol]),
        username=unquote(match["user"]) if match["user"] else None,
        password=unquote(match["password"]) if match["password"] else None,
        region=match["region"],
        allow=allow,
    )


def endpoint(
    protocol: Protocol,
    host: str,
    port: int,
    *,
    username: str | None = None,
    password: str | None = None,
    region: str | None = None,
    allow: AllowList = NOTHING,
) -> ProxyEndpoint:
    """Checked like any host we dial: a proxy inside the network has to be opened by WINNOW_EGRESS_ALLOW (R-10)."""
    try:
        name, _ = check_host(host, port, allow)
    except UrlRefused as refused:
        raise InvalidInput(f"proxy: {refused} (WINNOW_EGRESS_ALLOW opens what you mean to use)", "proxy_url") from None
    region = region.lower() if region else None
    if region is not None and not _REGION.fullmatch(region):
        raise InvalidInput("a region is a short word such as us or de-by", "region")
    for part in (username, password):  # RFC 1929: one byte of length; a line break would end a header
        if part is not None and (not 0 < len(part.encode()) <= 255 or any(c < " " or c == "\x7f" for c in part)):
            raise InvalidInput("user and password of a proxy have 1 to 255 bytes and no control characters", "username")
    if username is not None and ":" in username and protocol != "socks5":
        raise InvalidInput("a user name for an HTTP proxy cannot hold a colon", "username")  # RFC 7617 §2
    if password is not None and username is None:
        raise InvalidInput("a password needs a user name", "username")
    return ProxyEndpoint(protocol=protocol, host=name, port=port, username=username, password=password, region=region)


def parse_endpoints(texts: tuple[str, ...], allow: AllowList = NOTHING) -> tuple[list[ProxyEndpoint], bool]:
    """The proxies of a list, and whether it names `direct`."""
    named = [text for text in texts if text.lower() != DIRECT]
    return [parse_endpoint(text, allow) for text in named], len(named) < len(texts)
