"""The hosts that may receive the credentials of a provider (`SCRAPER_CREDENTIAL_HOSTS`).

    portal=portal.example.com, *.portal.example.com; crm=crm.example.org:8443

A caller names the page, so without such a list a caller could have a token sent to a host of its own. Only https,
except to this machine (S-068); a port other than 443 has to be named.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from winnow.errors import CredentialNotAllowed

_PROVIDER = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
_ENTRY = re.compile(r"(?P<wild>\*\.)?(?P<host>[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(?P<port>\d{1,5}))?")
_DEFAULT_PORTS = {"https": 443, "http": 80}

Hosts = Mapping[str, tuple[str, ...]]


def parse(text: str) -> dict[str, tuple[str, ...]]:
    """The hosts by provider; ValueError names the part that is wrong."""
    parts = [part.strip() for part in text.split(";")]
    return dict(_parse_part(part) for part in parts if part)


def _parse_part(part: str) -> tuple[str, tuple[str, ...]]:
    provider, sign, listed = part.partition("=")
    hosts = tuple(host.strip().lower() for host in listed.split(",") if host.strip())
    if not sign or not _PROVIDER.fullmatch(provider.strip()) or not hosts:
        raise ValueError(f"{part!r} is no entry such as portal=portal.example.com, *.portal.example.com")
    for host in hosts:
        if not _ENTRY.fullmatch(host):
            raise ValueError(f"{host!r} is no host, *.host or host:port")
    return provider.strip(), hosts


def check(hosts: Hosts, provider: str, url: str) -> None:
    """CredentialNotAllowed unless the address is https and one of the provider's hosts."""
    listed = hosts.get(provider)
    if listed is None:
        raise CredentialNotAllowed(
            f"no host is listed for the credentials of {provider!r} (SCRAPER_CREDENTIAL_HOSTS={provider}=host)"
        )
    parts = urlsplit(url)
    host = (parts.hostname or "").removesuffix(".")
    port = parts.port or _DEFAULT_PORTS.get(parts.scheme, 0)
    if parts.scheme != "https" and not is_this_machine(host):
        raise CredentialNotAllowed(f"credentials of {provider!r} are sent over https only")
    default = _DEFAULT_PORTS.get(parts.scheme)
    if not any(_matches(entry, host, port, default) for entry in listed):
        raise CredentialNotAllowed(
            f"{host} is not listed for the credentials of {provider!r} (SCRAPER_CREDENTIAL_HOSTS)"
        )


def _matches(entry: str, host: str, port: int, default: int | None) -> bool:
    found = _ENTRY.fullmatch(entry)
    if found is None:
        return False
    wanted = int(found["port"]) if found["port"] else default
    name = found["host"].strip("[]")
    return port == wanted and (host.endswith(f".{name}") if found["wild"] else host == name)


def is_this_machine(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
